import type { CoreDumps } from '../probes/core-dump-pattern.ts'
import type { Kdump } from '../probes/kdump.ts'
import { quoted, type Root } from './argue.ts'
import { numberOfPath } from './graph.ts'
import { pathRoots, type Storage } from './roots.ts'

/** Handlers with a known place: coredump.conf(5), apport, ABRT. */
const HANDLERS: readonly { readonly program: RegExp; readonly folder: string }[] = [
  { program: /\/systemd-coredump$/, folder: '/var/lib/systemd/coredump' },
  { program: /\/apport(\/apport)?$/, folder: '/var/crash' },
  { program: /\/abrt-hook-ccpp$/, folder: '/var/spool/abrt' },
]

/** The folder that programs dump their memory into; none where it is not known, or differs from program to program. */
export function programDumpRoots(storage: Storage, core: CoreDumps): readonly Root[] {
  const folder = core.kind === 'handler' ? folderOf(core.program) : folderIn(core.pattern)
  return folder === undefined ? [] : pathRoots(storage, [folder], 'program dumps in')
}

const folderOf = (handler: string): string | undefined => HANDLERS.find(({ program }) => program.test(handler))?.folder

/** Everything from the first placeholder on is made up by the kernel; the folder before it is where the file lands. */
const folderIn = (pattern: string): string | undefined =>
  pattern.startsWith('/') && pattern !== '/dev/null' ? (pattern.split('%')[0]?.replace(/[^/]*$/, '') ?? '/') : undefined

type KernelDumpTarget = { readonly kind: 'remote' | 'device' | 'folder'; readonly at: string }

/** Where a loaded crash kernel writes, as kdump.conf(5), kdump-tools(5) and SUSE's kdump(5) state. */
export function kernelDumpTarget({ targets }: Kdump): KernelDumpTarget {
  const named = (directive: string): string | undefined =>
    targets.find((target) => target.directive === directive)?.value
  const remote = ['nfs', 'nfs4', 'ssh', 'ftp'].find((directive) => named(directive) !== undefined)
  if (remote !== undefined) return { kind: 'remote', at: remote }
  const saved = named('kdump_savedir')
  const scheme = /^(ftp|sftp|ssh|nfs|cifs):/.exec(saved ?? '')?.[1]
  if (scheme !== undefined) return { kind: 'remote', at: scheme }
  const device = ['raw', 'ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'minix']
    .map(named)
    .find((value) => value !== undefined)
  if (device !== undefined) return { kind: 'device', at: device }
  const folder = saved?.replace(/^file:(\/\/)?/, '')
  return { kind: 'folder', at: folder ?? named('path') ?? named('kdump_coredir') ?? '/var/crash' }
}

/** What holds the dumps of a crash kernel; none where none is loaded, or where what it names was not listed. */
export function kernelDumpRoots(storage: Storage, kdump: Kdump): readonly Root[] {
  if (kdump.loaded !== true || !kdump.configured) return []
  const { kind, at } = kernelDumpTarget(kdump)
  if (kind === 'folder') return pathRoots(storage, [at], 'kernel dumps in')
  const number = kind === 'device' ? numberOfPath(storage.graph, at) : undefined
  return number === undefined ? [] : [{ name: `kernel dumps on ${quoted(at)}`, walked: storage.device(number) }]
}
