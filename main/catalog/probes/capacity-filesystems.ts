import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { asList, asRecord, asText, type JsonValue, readJson } from '../read-text.ts'
import { inOrder, isPassingMount } from '../steady.ts'

export interface FilesystemUse {
  readonly mountpoint: string
  /** Whole percent in use. */
  readonly usedPercent: number
}
export interface FilesystemUses {
  readonly filesystems: readonly FilesystemUse[]
}

/** More than a host of containers has; a larger response is not read. */
const MOST = 20_000

/** lsblk(8), since util-linux 2.33. It looks at mounted block devices only, never at network mounts, which can hang. */
export const capacityFilesystems = defineProbe({
  id: 'capacity.filesystems',
  title: 'File system usage',
  why: 'Shows whether a local file system is about to run out of space.',
  ignoredInDrift: {
    why: 'Files are written and deleted.',
    normalize: ({ filesystems }: FilesystemUses) => ({
      mountpoints: inOrder(filesystems.map(({ mountpoint }) => mountpoint).filter((point) => !isPassingMount(point))),
    }),
  },
  commands: { use: run(['lsblk', '-J', '-l', '-o', 'MAJ:MIN,FSUSE%,MOUNTPOINT']) },
  parse({ use }) {
    if (use.exitCode !== 0) return unknown('lsblk did not report the usage of the file systems')
    const json = readJson(use.text, 'lsblk')
    if (!json.ok) return json
    const rows = asList(asRecord(json.fact).blockdevices).map(asRecord)
    if (rows.length > MOST) return unknown(`lsblk listed more than ${MOST} devices`)
    const found = new Map<string, number>()
    for (const row of rows) {
      const mountpoint = asText(row.mountpoint)
      const percent = percentOf(row['fsuse%'])
      if (mountpoint?.startsWith('/') === true && percent !== null) found.set(mountpoint, percent)
    }
    return found.size === 0
      ? unknown('lsblk named no file system with its use')
      : known<FilesystemUses>({
          filesystems: [...found].map(([mountpoint, usedPercent]) => ({ mountpoint, usedPercent })),
        })
  },
})

function percentOf(value: JsonValue | undefined): number | null {
  const digits = /^(\d{1,3})%$/.exec(asText(value) ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}
