import { defineCheck } from '../../core/check.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { type Mount, storageMounts } from '../probes/storage-mounts.ts'
import { workingDirectories } from '../probes/storage-working-directories.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { decide } from '../steps.ts'
import { argueRoots, quoted, root } from '../storage/argue.ts'
import { mountKind } from '../storage/kinds.ts'
import { AT_REST_LIMITS } from '../storage/limits.ts'
import { pathRoots, readStorage, STORAGE_WANTS, type Storage } from '../storage/roots.ts'

/** Mount points that hold copies of working data by their name: /scratch, /mnt/local_nvme0, /data/checkpoints, /var/lib/docker. */
const WORKING =
  /(^|\/)(scratch|local[-_]?(scratch|ssd|nvme|disk)|cache|checkpoints?|ckpts?|tmp|temp)[-_]?\w{0,16}(\/|$)/i
const CONTAINERS = /^\/var\/lib\/(docker|containerd|containers|kubelet|rancher|k0s|microk8s|enroot|lxc|lxd|incus)(\/|$)/

/** A place where something is mounted on use counts by what is mounted there now. */
const holds = (mount: Mount, storage: Storage): boolean =>
  mountKind(mount) === 'automount' ? storage.holding(mount.point) === mount : mountKind(mount) !== 'pseudo'

export const encryptionAtRestScratch = defineCheck({
  id: 'encryption.at-rest.scratch',
  property: 'encryption-at-rest',
  expected: 'Scratch, cache, checkpoint, temporary and container directories are on encrypted storage or in memory.',
  limitations: `${AT_REST_LIMITS} Directories are recognized by conventional names, container engine settings and the declared paths; others are not searched for, and symbolic links are not resolved.`,
  requires: {
    mounts: storageMounts,
    devices: storageBlockDevices,
    swaps: storageSwaps,
    directories: workingDirectories,
  },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps, directories }, wanted) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const working = mounts.mounts
      .filter((mount) => holds(mount, storage) && (WORKING.test(mount.point) || CONTAINERS.test(mount.point)))
      .map((mount) => root(quoted(mount.point), storage.mount(mount)))
    const because = argueRoots([
      ...working,
      ...pathRoots(storage, ['/tmp', '/var/tmp', ...directories.paths], 'directory'),
    ])
    return decide(because)
  },
})
