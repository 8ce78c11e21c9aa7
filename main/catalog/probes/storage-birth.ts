import { defineProbe, glob, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { listingIsComplete } from '../isolation/listing.ts'
import { lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'
import { sysfsLines } from '../storage/sysfs-lines.ts'

export interface StorageBirth {
  /** When each path was made, in seconds since 1970; null where its file system keeps no such date. Paths that are not there have no entry. */
  readonly born: ReadonlyMap<string, number | null>
  /** What was ever written to each ext4 file system, in KiB, by the kernel name of its device. */
  readonly written: ReadonlyMap<string, number>
}

/** The root of a file system is made with it; the others are made by an installation. Nothing here can be on a network mount that hangs. */
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
