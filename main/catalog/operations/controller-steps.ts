import { type DraftObservation, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type Bmc, bmc } from '../probes/bmc.ts'
import { type BmcPresence, bmcPresence } from '../probes/bmc-presence.ts'
import { supports, unclear } from '../steps.ts'

/**
 * What the management controller shows, argued by `read`; or why it shows nothing. Only where the kernel and the firmware list no
 * controller does its silence leave nothing open.
 */
export function controllerSteps(
  presence: BmcPresence,
  controller: Parsed<Bmc>,
  read: (told: Bmc) => readonly DraftObservation[],
): readonly DraftObservation[] {
  if (controller.ok)
    // a response of another form leaves no row, as does a controller without a sensor: neither shows that all is well.
    return (controller.fact.sensors ?? 0) === 0
      ? [unclear('The management controller listed no sensor that could be read.', bmc)]
      : read(controller.fact)
  if (presence.device || presence.listed.length > 0) return unclearAbout(bmc, controller)
  return [
    supports(
      'The kernel and the firmware list no management controller: there are no sensors of one to read.',
      bmcPresence,
    ),
  ]
}
