import { quote } from '../../core/plain-text.ts'
import { type Answer, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface DmStatus {
  /** Device-mapper RAID, which LVM uses: one letter per member, A in sync, a not yet, D failed, - not there. */
  readonly raids: readonly { readonly name: string; readonly level: string; readonly health: string }[]
  /** Devices with more than one way to them: paths that work, and paths that failed. */
  readonly multipaths: readonly { readonly name: string; readonly active: number; readonly failed: number }[]
}

/**
 * dmsetup(8) status; the kernel's Documentation/admin-guide/device-mapper/dm-raid.rst (status line) and drivers/md/dm-mpath.c
 * (multipath_status). A status line holds no keys: those are in tables only.
 */
export const storageDmStatus = defineProbe({
  id: 'storage.dm-status',
  title: 'State of mapped devices',
  why: 'Shows whether a member of an LVM RAID volume or a path to a drive has failed.',
  ignoredInDrift: {
    why: 'Devices are listed in the order in which they were opened.',
    normalize: ({ raids, multipaths }: DmStatus) => ({ raids: inOrder(raids), multipaths: inOrder(multipaths) }),
  },
  commands: { status: runAsRoot(['dmsetup', 'status']) },
  parse: ({ status }) => readDmStatus(status),
})

function readDmStatus({ exitCode, text, errorText }: Answer): Parsed<DmStatus> {
  // ENODEV on the control device: this kernel has no device mapper, and so nothing mapped.
  if (exitCode !== 0 && /control: open failed: No such device$/m.test(errorText))
    return known({ raids: [], multipaths: [] })
  if (exitCode !== 0) return unknown(`dmsetup failed: ${quote(errorText)}`)
  const rows = lines(text).map((line) => /^(.{1,300}?): \d{1,20} \d{1,20} (\S+)(?: (.*))?$/.exec(line))
  if (text.trim() !== 'No devices found' && rows.includes(null))
    return unknown('the output of dmsetup has an unexpected format')
  const raids: { name: string; level: string; health: string }[] = []
  const multipaths: { name: string; active: number; failed: number }[] = []
  for (const row of rows) {
    const [, name = '', target, rest = ''] = row ?? []
    const words = rest.split(/\s+/)
    if (target === 'raid') {
      const [level = '', , health = ''] = words
      if (!/^[AaD-]{1,64}$/.test(health)) return unknown('the state of a RAID volume has an unexpected format')
      raids.push({ name, level, health })
    }
    if (target === 'multipath') multipaths.push({ name, ...countPaths(words) })
  }
  return known({ raids, multipaths })
}

/** A path is a device number, then A or F, then how often it failed. */
function countPaths(words: readonly string[]): { readonly active: number; readonly failed: number } {
  const states = words.flatMap((word, at) => (/^\d{1,5}:\d{1,8}$/.test(word) ? [words[at + 1]] : []))
  const active = states.filter((state) => state === 'A').length
  return { active, failed: states.length - active }
}
