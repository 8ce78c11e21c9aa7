import { quote } from '../../../core/base/plain-text.ts'
import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import { sysfsLines } from '../../base/read-text.ts'
import { decide, supports, unclear } from '../../base/steps.ts'
import { storageBlockDevices, storageSwaps } from '../block-devices/index.ts'
import { numberOfPath } from '../disk-encryption/graph.ts'
import {
  AT_REST_LIMITS,
  argueRoots,
  isHostsFile,
  mountRoots,
  pathRoots,
  quoted,
  type Root,
  readStorage,
  STORAGE_WANTS,
  type Storage,
} from '../disk-encryption/roots.ts'
import { type Mount, storageMounts } from '../mounts/probes.ts'
import { type CoredumpSettings, coredumpSettings } from './coredump.ts'

/** Where the kernel writes the memory of a crashed process; see core(5). */
export type CoreDumps =
  | { readonly kind: 'handler'; readonly program: string }
  | { readonly kind: 'file'; readonly pattern: string }

export const coreDumpPattern = defineProbe({
  id: 'memory.core-pattern',
  title: 'Destination of process memory dumps',
  why: 'When a program crashes, its memory, and the data in it, may be written to a drive.',
  commands: { pattern: run(['cat', '/proc/sys/kernel/core_pattern']) },
  parse: ({ pattern }) =>
    pattern.exitCode === 0 ? parseCorePattern(pattern.text) : unknown('the core dump pattern could not be read'),
})

/** Reads core_pattern: a leading pipe hands the dump to a program, anything else is a file name. */
export function parseCorePattern(text: string): Parsed<CoreDumps> {
  const pattern = text.replace(/\n$/, '')
  if (pattern.trim() === '') return unknown('the core dump pattern is empty')
  if (!pattern.startsWith('|')) return known({ kind: 'file', pattern })
  return known({ kind: 'handler', program: pattern.slice(1).trim().split(/\s+/)[0] ?? '' })
}

export interface Kdump {
  /** Whether a crash kernel is loaded; null when the kernel offers none (the file does not exist). */
  readonly loaded: boolean | null
  /** Directives of kdump.conf and kdump-tools that name a target, as written. */
  readonly targets: readonly { readonly directive: string; readonly value: string }[]
  readonly configured: boolean
}

/**
 * Only directives that name a target are read, and only the scheme of an address: SUSE’s file and the FTP line of
 * kdump-tools may contain a password.
 */
const TARGETS =
  '^[[:space:]]*(path|raw|ext[234]|xfs|btrfs|minix|nfs4?|ssh)[[:space:]]+[^[:space:]]+|^[[:space:]]*(KDUMP_COREDIR=[^[:space:]@]*|NFS=|SSH=|FTP=)|^[[:space:]]*KDUMP_SAVEDIR="?((file:(//)?)?/[^"[:space:]@]*|(ftp|sftp|ssh|nfs|cifs):)'

export const kernelDumps = defineProbe({
  id: 'memory.kdump',
  title: 'Kernel crash dumps',
  why: 'A kernel crash dump is a copy of all memory.',
  commands: {
    loaded: run(['cat', '/sys/kernel/kexec_crash_loaded']),
    config: run(['grep', '-sHoE', TARGETS, '/etc/kdump.conf', '/etc/default/kdump-tools', '/etc/sysconfig/kdump']),
  },
  parse: ({ loaded, config }) => parseKdump(loaded, config.text),
})

/** Reads /sys/kernel/kexec_crash_loaded (0 or 1) and the target lines of kdump.conf(5), kdump-tools(5) or SUSE's kdump(5). */
export function parseKdump(loaded: Pick<Answer, 'exitCode' | 'text' | 'errorText'>, config: string): Parsed<Kdump> {
  const flag = loaded.text.trim()
  const absent = loaded.exitCode !== 0 && /No such file or directory/.test(loaded.errorText)
  if (!absent && (loaded.exitCode !== 0 || !/^[01]$/.test(flag)))
    return unknown('the crash kernel’s state could not be read')
  const lines = [...sysfsLines(config).values()].flatMap((found) => found.split('\n'))
  const targets = lines.flatMap((line) => {
    const parts = /^\s*([A-Za-z0-9_]+)(?:\s+|=)"?([^"]*)"?\s*$/.exec(line)
    return parts === null ? [] : [{ directive: (parts[1] ?? '').toLowerCase(), value: parts[2] ?? '' }]
  })
  return known({ loaded: absent ? null : flag === '1', targets, configured: lines.length > 0 })
}

const SYSTEMD = /\/systemd-coredump$/

/** Handlers with a known place: coredump.conf(5), apport, ABRT. */
const HANDLERS: readonly { readonly program: RegExp; readonly folder: string }[] = [
  { program: SYSTEMD, folder: '/var/lib/systemd/coredump' },
  { program: /\/apport(\/apport)?$/, folder: '/var/crash' },
  { program: /\/abrt-hook-ccpp$/, folder: '/var/spool/abrt' },
]

/** Whether dumps are handed to systemd-coredump, and its settings keep it from writing any. */
const isWrittenNowhere = (core: CoreDumps, settings: Parsed<CoredumpSettings>): boolean =>
  core.kind === 'handler' && SYSTEMD.test(core.program) && settings.ok && settings.fact.writesNothing

/** The folder that programs dump their memory into; none where it is not known, or differs from program to program. */
export function programDumpRoots(
  storage: Storage,
  core: CoreDumps,
  settings: Parsed<CoredumpSettings>,
): readonly Root[] {
  if (isWrittenNowhere(core, settings)) return []
  const folder = core.kind === 'handler' ? folderOf(core.program) : folderIn(core.pattern)
  return folder === undefined ? [] : pathRoots(storage, [folder], 'program dumps in')
}

const folderOf = (handler: string): string | undefined => HANDLERS.find(({ program }) => program.test(handler))?.folder

/** Everything from the first placeholder on is made up by the kernel; the folder before it is where the file lands. */
const folderIn = (pattern: string): string | undefined =>
  pattern.startsWith('/') && pattern !== '/dev/null' ? (pattern.split('%')[0]?.replace(/[^/]*$/, '') ?? '/') : undefined

type KernelDumpTarget = { readonly kind: 'remote' | 'device' | 'folder'; readonly at: string }

/** Where a loaded crash kernel writes, as stated in kdump.conf(5), kdump-tools(5) and SUSE’s kdump(5). */
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

/** What the dumps of a crash kernel are stored on; empty where none is loaded, or where its target was not listed. */
export function kernelDumpRoots(storage: Storage, kdump: Kdump): readonly Root[] {
  if (kdump.loaded !== true || !kdump.configured) return []
  const { kind, at } = kernelDumpTarget(kdump)
  if (kind === 'folder') return pathRoots(storage, [at], 'kernel dumps in')
  const number = kind === 'device' ? numberOfPath(storage.graph, at) : undefined
  return number === undefined ? [] : [{ name: `kernel dumps on ${quoted(at)}`, walked: storage.device(number) }]
}

export const encryptionAtRestCrashDumps = defineCheck({
  id: 'encryption.at-rest.crash-dumps',
  property: 'encryption-at-rest',
  expected: 'Memory dumps of programs and of the kernel are off, or are written to encrypted storage.',
  limitations: `${AT_REST_LIMITS} Earlier dumps are not searched for, and limits that a program sets for itself are not read.`,
  requires: {
    mounts: storageMounts,
    devices: storageBlockDevices,
    swaps: storageSwaps,
    core: coreDumpPattern,
    kdump: kernelDumps,
  },
  optional: { ...STORAGE_WANTS, settings: coredumpSettings },
  evaluate({ mounts, devices, swaps, core, kdump }, { settings, ...wanted }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const because = [...argueCore(storage, core, settings), ...argueKdump(storage, kdump)]
    return decide(because)
  },
})

function argueCore(storage: Storage, core: CoreDumps, settings: Parsed<CoredumpSettings>): readonly DraftObservation[] {
  const probe = coreDumpPattern.id
  if (isWrittenNowhere(core, settings))
    return [
      supports(
        'Program dumps are handed to systemd-coredump, which writes none (Storage=none and ProcessSizeMax=0).',
        coredumpSettings,
      ),
    ]
  if (core.kind === 'handler') {
    if (/^(\/usr)?\/bin\/(false|true)$/.test(core.program)) {
      return [
        { direction: 'supports', text: `Program dumps are handed to ${quote(core.program)}, which drops them.`, probe },
      ]
    }
    const roots = programDumpRoots(storage, core, settings)
    return roots.length === 0
      ? [
          {
            direction: 'unclear',
            text: `Program dumps are handed to ${quote(core.program)}; where it keeps them is not known.`,
            probe,
          },
        ]
      : argueRoots(roots)
  }
  if (core.pattern === '/dev/null') return [{ direction: 'supports', text: 'Program dumps go to “/dev/null”.', probe }]
  if (core.pattern.startsWith('/')) return argueRoots(programDumpRoots(storage, core, settings))
  // A relative pattern, the kernel’s own default, lands in the working directory of the program that crashed, which can be any mount.
  return argueRoots(
    mountRoots(storage, (mount) => !isHostsFile(mount)).map((found) => ({
      ...found,
      name: `program dumps anywhere in ${found.name}`,
    })),
  ).map((step) =>
    step.direction === 'contradicts'
      ? {
          ...step,
          direction: 'unclear',
          text: `${step.text} Whether programs may write dumps was not read: the kernel’s own limit for their size is 0 (RLIMIT_CORE), and service managers and programs can raise it.`,
        }
      : step,
  )
}

function argueKdump(storage: Storage, kdump: Kdump): readonly DraftObservation[] {
  const { configured } = kdump
  const probe = kernelDumps.id
  const none = withoutKernelDumps(kdump, storage.holding('/sys/kernel'))
  if (none !== null) return [none]
  const { kind, at } = kernelDumpTarget(kdump)
  if (kind === 'remote') {
    return [
      { direction: 'unclear', text: `A crash kernel is loaded and sends dumps to another system (${at}).`, probe },
    ]
  }
  if (!configured)
    return [{ direction: 'unclear', text: 'A crash kernel is loaded; where it writes was not found.', probe }]
  const roots = kernelDumpRoots(storage, kdump)
  return roots.length === 0
    ? [{ direction: 'unclear', text: `Kernel dumps go to ${quote(at)}, which is not among the listed devices.`, probe }]
    : argueRoots(roots)
}

/**
 * The observation that no crash kernel is loaded; null where one is. The absence of the kernel’s file shows this only
 * where sysfs itself is mounted.
 */
export function withoutKernelDumps({ loaded }: Kdump, sysKernel: Mount | undefined): DraftObservation | null {
  if (loaded === true) return null
  if (loaded === false) return supports('No crash kernel is loaded, so no kernel dump is written.', kernelDumps)
  return sysKernel?.fsType === 'sysfs'
    ? supports('The kernel has no support for crash dumps.', kernelDumps)
    : unclear('The kernel’s own settings are not visible here.', kernelDumps)
}
