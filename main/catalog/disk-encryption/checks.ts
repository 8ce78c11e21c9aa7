import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { storageBlockDevices, storageLsblk, storageSwaps } from '../block-devices/probes.ts'
import { ephiPlace, mountsOf, workingDirectories } from '../ephi/paths.ts'
import { isReadOnlyImage, mountKind } from '../mounts/kinds.ts'
import { type Mount, storageMounts } from '../mounts/probes.ts'
import { count, decide, named, unclear } from '../steps.ts'
import { sysfsLines } from '../sysfs-lines.ts'
import {
  AT_REST_LIMITS,
  argueRoots,
  exemptSteps,
  mountRoots,
  openVolumeRoots,
  pathRoots,
  quoted,
  readStorage,
  root,
  STORAGE_WANTS,
  type Storage,
  swapRoots,
  type Unused,
  unusedDevices,
} from './roots.ts'

/**
 * Starts from everything that holds data, not from the drives: plaintext escapes next to encrypted drives (swap files, overlays, bind
 * mounts, loop images) are found only from above. Anchor: NIST SP 800-111 §4; DISA RHEL-09-231190 asks the same by hand.
 */
export const encryptionAtRestBlockGraph = defineCheck({
  id: 'encryption.at-rest.block-graph',
  property: 'encryption-at-rest',
  expected: 'Every mounted file system, swap area and open encrypted volume is on encrypted storage or in memory.',
  limitations: `${AT_REST_LIMITS} Which paths hold ePHI is known only where the fleet file declares them. Boot partitions are listed, not evaluated. Data on drives that is not mounted is listed, not evaluated; keys of single folders (fscrypt) are not credited; symbolic links and mounts of other namespaces are not followed. A self-encrypting drive counts as unencrypted here.`,
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps }, wanted, { node }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const declared = pathRoots(storage, node.ephiPaths ?? [], 'declared ePHI path')
    const steps = argueRoots([...mountRoots(storage), ...swapRoots(storage), ...openVolumeRoots(storage), ...declared])
    const idle = argueUnused(unusedDevices(storage, wanted.zpool))
    return { verdict: decide(steps).verdict, observations: [...steps, ...exemptSteps(storage), ...idle] }
  },
})

/** Reported next to the verdict: nothing reaches these devices now, and what they hold is there all the same. */
function argueUnused(unused: readonly Unused[]): readonly DraftObservation[] {
  const isClosed = ({ signature }: Unused): boolean => signature === 'crypto_LUKS'
  const said = (of: readonly Unused[], text: string): readonly DraftObservation[] =>
    of.length === 0
      ? []
      : [
          {
            direction: 'unclear',
            text: `${text}: ${named(of.map(({ name, signature }) => `${name} (${signature})`))}.`,
            probe: storageLsblk.id,
          },
        ]
  return [
    ...said(unused.filter(isClosed), 'Not evaluated, because they are closed encrypted volumes'),
    ...said(
      unused.filter((one) => !isClosed(one)),
      'Not evaluated, because they are not in use, though they may hold data in clear text',
    ),
  ]
}

/** The part of DISA RHEL-09-231190 and NIST SP 800-111 that is not about declared ePHI: copies, logs and caches that no one declared. */
export const encryptionAtRestOtherMounts = defineCheck({
  id: 'encryption.at-rest.other-mounts',
  property: 'encryption-at-rest',
  expected: 'Every mounted file system outside the declared ePHI paths is on encrypted storage.',
  limitations: `${AT_REST_LIMITS} Boot and EFI partitions, read-only images and file systems in memory are excluded; swap, and data on drives that is not mounted, have their own checks. A mount that holds a declared ePHI path, or is below one, is tested by encryption.at-rest.ephi-paths alone. Self-encrypting drives and keys of single folders (fscrypt) are not credited.`,
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps }, wanted, { node }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const paths = node.ephiPaths ?? []
    const declared = new Set<Mount>(paths.flatMap((path) => mountsOf(ephiPlace(storage, path))))
    const tested = argueRoots(
      mountRoots(storage, (mount) => !declared.has(mount) && mountKind(mount) !== 'memory' && !isReadOnlyImage(mount)),
    )
    const scope: readonly DraftObservation[] =
      paths.length > 0
        ? []
        : [unclear('No ePHI path is declared for this server, so every mount counts as another.', null)]
    const beside = [...scope, ...exemptSteps(storage)]
    if (tested.length > 0) return { verdict: decide(tested).verdict, observations: [...tested, ...beside] }
    const text = `${count(mounts.mounts.length, 'mount')} were read. Outside the declared ePHI paths they are boot partitions, read-only images, interfaces of the kernel and memory.`
    return { verdict: 'not-applicable', observations: [unclear(text, storageMounts), ...beside] }
  },
})

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

/** Where a hibernation image would be written. */
type Hibernation =
  | { readonly kind: 'not-offered' }
  | { readonly kind: 'no-device' }
  | { readonly kind: 'device'; readonly device: string }

export const storageHibernation = defineProbe({
  id: 'storage.hibernation',
  title: 'Hibernation device',
  why: 'Hibernation writes all of memory to a drive.',
  commands: {
    power: run([
      'grep',
      '-sH',
      '',
      '/sys/power/state',
      '/sys/power/disk',
      '/sys/power/resume',
      '/sys/power/pm_freeze_timeout',
    ]),
  },
  parse: ({ power }) => parseHibernation(power.text),
})

/**
 * Reads /sys/power (Documentation/ABI/testing/sysfs-power). The files `disk` and `resume` exist only where hibernation is built in, so
 * their absence means something once another file of the folder was shown. `resume` is the device number, 0:0 for none.
 */
export function parseHibernation(text: string): Parsed<Hibernation> {
  const files = sysfsLines(text)
  if (files.size === 0) return unknown('the kernel’s power settings were not shown')
  const mode = files.get('/sys/power/disk')
  const resume = files.get('/sys/power/resume')?.trim()
  if (mode === undefined && resume === undefined) return known({ kind: 'not-offered' })
  // On a locked-down kernel the mode reads [disabled]; nothing can then be written.
  if (mode?.includes('[disabled]') === true) return known({ kind: 'not-offered' })
  if (resume === undefined || !/^\d+:\d+$/.test(resume)) return unknown('the hibernation device was not shown')
  return known(resume === '0:0' ? { kind: 'no-device' } : { kind: 'device', device: resume })
}

export const encryptionAtRestSwap = defineCheck({
  id: 'encryption.at-rest.swap',
  property: 'encryption-at-rest',
  expected: 'Swap and hibernation are absent, or are written to encrypted storage.',
  limitations: `${AT_REST_LIMITS} Swap that was in use before this collection may have left data on a drive.`,
  requires: {
    mounts: storageMounts,
    devices: storageBlockDevices,
    swaps: storageSwaps,
    hibernation: storageHibernation,
  },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps, hibernation }, wanted) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const none: readonly DraftObservation[] =
      swaps.areas.length > 0 || !storage.swaps.ok
        ? []
        : [{ direction: 'supports', text: 'The kernel lists no swap area in use.', probe: storageSwaps.id }]
    const because = [...none, ...argueRoots(swapRoots(storage)), ...argueHibernation(storage, hibernation)]
    return decide(because)
  },
})

function argueHibernation(storage: Storage, hibernation: Hibernation): readonly DraftObservation[] {
  if (hibernation.kind === 'device') return argueRoots([root('hibernation image', storage.device(hibernation.device))])
  const text =
    hibernation.kind === 'not-offered'
      ? 'The kernel does not offer hibernation.'
      : 'No hibernation device is set; an image would go to a swap area listed here.'
  return [{ direction: 'supports', text, probe: storageHibernation.id }]
}
