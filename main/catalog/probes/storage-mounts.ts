import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { inOrder, isPassingMount } from '../steady.ts'
import { unescapeOctal } from '../storage/escapes.ts'

/** One line of mountinfo, see proc_pid_mountinfo(5). */
export interface Mount {
  readonly id: string
  /** The mount that it is on; may be one that is not listed. */
  readonly parent: string
  /** Device number of the file system, major:minor; major 0 for file systems without a block device. */
  readonly device: string
  /** The directory of the file system that is mounted here: other than / for bind mounts and subvolumes. */
  readonly root: string
  readonly point: string
  readonly fsType: string
  readonly source: string
  /** Options of this mount and of the file system, each still with its octal escapes. */
  readonly options: readonly string[]
}

export interface Mounts {
  readonly mounts: readonly Mount[]
}

// Sources of network file systems can be addresses with a name and a password in front of the host (RFC 3986 §3.2.1): those stay there.
const WITHOUT_CREDENTIALS = 's#://[^/ ]*@#://#g'

export const storageMounts = defineProbe({
  id: 'storage.mounts',
  title: 'Mounted file systems',
  why: 'Every location where data can be stored is below a mount.',
  ignoredInDrift: {
    why: 'Mounts are numbered in the order of creation; logins, containers and services mount folders while they exist; and sizes of memory file systems depend on the memory found at start. Not detected: other mounts below those folders.',
    normalize: ({ mounts }: Mounts) => ({
      mounts: inOrder(
        mounts
          .filter(({ point, fsType }) => fsType !== 'nsfs' && !isPassingMount(point))
          .map(({ id: _, parent: __, device: ___, options, ...mount }) => ({
            ...mount,
            options: inOrder(options.filter((option) => !isPassingOption(mount.fsType, mount.point, option))),
          })),
      ),
    }),
  },
  commands: { mountinfo: run(['sed', '-e', WITHOUT_CREDENTIALS, '/proc/self/mountinfo']) },
  parse: ({ mountinfo }) =>
    mountinfo.exitCode === 0 ? parseMountinfo(mountinfo.text) : unknown('the kernel’s mount table could not be read'),
})

/** Reads mountinfo. One line that is not understood makes the whole response unusable: it may be the mount that matters. */
export function parseMountinfo(text: string): Parsed<Mounts> {
  const mounts: Mount[] = []
  for (const line of text.split('\n')) {
    if (line === '') continue
    const mount = parseLine(line)
    if (mount === null) return unknown(`a line of the mount table could not be read: ${quote(line)}`)
    mounts.push(mount)
  }
  return mounts.some(({ point }) => point === '/') ? known({ mounts }) : unknown('the mount table has no root')
}

function parseLine(line: string): Mount | null {
  const fields = line.split(' ')
  const separator = fields.indexOf('-', 6)
  const [id = '', parent = '', device = '', root = '', point = '', options = ''] = fields
  const [fsType = '', source = '', superOptions = ''] = separator < 0 ? [] : fields.slice(separator + 1)
  if (!/^\d+:\d+$/.test(device) || root === '' || !point.startsWith('/') || fsType === '') return null
  return {
    id,
    parent,
    device,
    root: unescapeOctal(root),
    point: unescapeOctal(point),
    fsType: unescapeOctal(fsType),
    source: unescapeOctal(source),
    options: [...options.split(','), ...superOptions.split(',')],
  }
}

/** Numbers of the mounter's own (autofs(5)), and sizes that follow from the memory that the kernel found. */
const isPassingOption = (fsType: string, point: string, option: string): boolean =>
  fsType === 'autofs'
    ? /^(fd|pgrp|pipe_ino)=/.test(option)
    : ['tmpfs', 'devtmpfs'].includes(fsType) &&
      /^\/(run|dev)(\/|$)/.test(point) &&
      /^(size|nr_inodes|nr_blocks)=/.test(option)
