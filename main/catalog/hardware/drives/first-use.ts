import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { listingIsComplete } from '../../base/read-listing.ts'
import { inOrder, lines, sysfsLines } from '../../base/read-text.ts'
import { named, unclear } from '../../base/steps.ts'
import { storageBlockDevices, storageLsblk, storageSwaps } from '../../data-protection/block-devices/index.ts'
import { readStorage, STORAGE_WANTS, unusedDevices } from '../../data-protection/disk-encryption/roots.ts'
import { storageMounts } from '../../data-protection/mounts/probes.ts'

interface StorageBirth {
  /** When each path was made, in seconds since 1970; null where its file system keeps no such date. Paths that are not there have no entry. */
  readonly born: ReadonlyMap<string, number | null>
  /** Total written to each ext4 file system, in KiB, by the kernel name of its device. */
  readonly written: ReadonlyMap<string, number>
}

/**
 * The root of a file system is created with it; the others are created by an installation. None can be on a network
 * mount that hangs.
 */
const PATHS = ['/', '/boot', '/var', '/lost+found', '/etc/machine-id', '/var/log/installer']

/** statx(2), stx_btime, which stat(1) prints with %W (0 where it is not known); Documentation/ABI/testing/sysfs-fs-ext4. */
export const storageBirth = defineProbe({
  id: 'storage.birth',
  title: 'Creation dates of file systems and amounts written',
  why: 'A newly provided server has file systems created at that time; older ones were in use before.',
  ignoredInDrift: {
    why: 'Counters of written data increase.',
    normalize: ({ born }: StorageBirth) => ({ born: inOrder(born) }),
  },
  commands: {
    born: run(['stat', '-c', '%W %n', ...PATHS]),
    written: run(['grep', '-sH', '', glob('/sys/fs/ext4/*/lifetime_write_kbytes')]),
  },
  parse({ born, written }): Parsed<StorageBirth> {
    const rows = lines(born.text).map((line) => /^(\d{1,12}) (\/\S{0,64})$/.exec(line))
    if (!listingIsComplete(born) || rows.length === 0 || rows.includes(null))
      return unknown('the dates of file systems could not be read')
    return known({
      born: new Map(rows.map((row) => [row?.[2] ?? '', Number(row?.[1]) === 0 ? null : Number(row?.[1])])),
      written: new Map(
        [...sysfsLines(written.text)].flatMap(([path, value]) => {
          const device = /^\/sys\/fs\/ext4\/([^/]+)\//.exec(path)?.[1]
          return device !== undefined && /^\d{1,15}$/.test(value.trim()) ? [[device, Number(value)] as const] : []
        }),
      ),
    })
  },
})

/** A record: whether a date fits the handover is known only to who has its papers (NIST SP 800-88 rev. 1 §4.7 requires those). */
export const lifecycleFirstUseState = defineCheck({
  id: 'lifecycle.first-use-state',
  property: 'encryption-at-rest',
  expected:
    'The creation dates of file systems, the amounts written to them, and other signatures on the drives are recorded.',
  ends: 'recorded',
  limitations:
    'A date is reported by the file system and can be set when it is created or copied with an image. The absence of data from an earlier use is not shown: free space is not read. Drive counters are recorded with drive health, and a certificate of erasure is a document to attach.',
  requires: { birth: storageBirth, mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: STORAGE_WANTS,
  evaluate({ birth, mounts, devices, swaps }, wanted) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const unused = unusedDevices(storage, wanted.zpool)
    const hasSignatures = [...storage.graph.devices.values()].some(({ fsType }) => fsType !== '')
    const names = named(unused.map(({ name, signature }) => `${name} (${signature})`))
    const left =
      unused.length === 0
        ? hasSignatures
          ? 'Every signature that was listed belongs to something in use.'
          : 'No signature was listed on any drive, which does not show what data is there.'
        : `Not in use, and there all the same: ${names}.`
    return {
      verdict: 'informational',
      observations: [
        ...made(birth),
        ...written(birth),
        ...(wanted.lsblk.ok ? [unclear(left, storageLsblk)] : unclearAbout(storageLsblk, wanted.lsblk)),
      ],
    }
  },
})

const made = ({ born }: StorageBirth): readonly DraftObservation[] =>
  [...born].map(([path, seconds]) =>
    unclear(
      seconds === null
        ? `${named([path])}: its file system keeps no date of its making.`
        : `${named([path])} was made on ${dayOf(seconds)} (UTC, by the node’s clock of that time).`,
      storageBirth,
      'born',
    ),
  )

const MIB = 1024
const written = ({ written: all }: StorageBirth): readonly DraftObservation[] =>
  [...all].map(([device, kib]) =>
    unclear(
      `${named([device])}: ${Math.round(kib / MIB)} MiB were written to its ext4 file system since it was made.`,
      storageBirth,
      'written',
    ),
  )

/** A number of at most twelve digits is within what a date can hold. */
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
