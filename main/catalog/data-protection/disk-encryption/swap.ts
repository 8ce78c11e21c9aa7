import { defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import { sysfsLines } from '../../base/read-text.ts'
import { decide } from '../../base/steps.ts'
import { storageBlockDevices, storageSwaps } from '../block-devices/index.ts'
import { storageMounts } from '../mounts/probes.ts'
import { numberOfPath } from './graph.ts'
import { AT_REST_LIMITS, argueRoots, readStorage, root, STORAGE_WANTS, type Storage, swapRoots } from './roots.ts'

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
function parseHibernation(text: string): Parsed<Hibernation> {
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
  const taken = hibernation.kind === 'device' ? takesNoImage(storage, hibernation.device) : null
  if (taken !== null)
    return [
      {
        direction: 'supports',
        text: `A hibernation device is set; ${taken}, and an image is written to no other place.`,
        probe: storageHibernation.id,
      },
    ]
  if (hibernation.kind === 'device') return argueRoots([root('hibernation image', storage.device(hibernation.device))])
  const text =
    hibernation.kind === 'not-offered'
      ? 'The kernel does not offer hibernation.'
      : 'No hibernation device is set; an image would go to a swap area listed here.'
  return [{ direction: 'supports', text, probe: storageHibernation.id }]
}

/**
 * Why the device that is set takes no image; null where it may take one. Installers name the swap volume of that day on the kernel’s command
 * line, and it stays there where swap is switched off, as for Kubernetes, or was replaced by zram or by an area with a random key. An image is
 * written to a swap area in use on that very device and nowhere else (kernel/power/swap.c, swsusp_swap_check; mm/swapfile.c, swap_type_of). A
 * swap file counts by the device that its file system is on, so that one leaves this open.
 */
function takesNoImage({ swaps, graph }: Storage, device: string): string | null {
  if (!swaps.ok) return null
  const { areas } = swaps.fact
  if (areas.length === 0) return 'no swap area is in use'
  const numbers = areas.map(({ name, kind }) => (kind === 'file' ? undefined : numberOfPath(graph, name)))
  return numbers.every((number) => number !== undefined && number !== device) ? 'no swap area in use is on it' : null
}
