import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type Crypttab, storageCrypttab } from '../probes/crypttab.ts'
import { type FailedUnits, servicesFailed } from '../probes/services-failed.ts'
import { type SysfsBlock, storageBlockDevices } from '../probes/storage-block-devices.ts'
import { systemLoad } from '../probes/system-load.ts'
import { count, named, supports } from '../steps.ts'

const HOUR = 3600

export const availabilityBootRecovery = defineCheck({
  id: 'availability.boot-recovery',
  property: 'operations',
  expected: 'The time since the last start, and services that did not start or have failed since, are recorded.',
  ends: 'recorded',
  limitations:
    'A service that was never set to start, or that runs and does no work, does not count as failed. Whether a start needs a person, for example to type a passphrase, shows only at the next start.',
  requires: { load: systemLoad },
  optional: { failed: servicesFailed, crypttab: storageCrypttab, blocks: storageBlockDevices },
  evaluate: ({ load }, { failed, crypttab, blocks }) => ({
    verdict: 'informational',
    observations: [
      supports(`The node has run for ${duration(load.uptimeSeconds)} since its last start.`, systemLoad),
      ...(failed.ok ? [failedStep(failed.fact)] : unclearAbout(servicesFailed, failed)),
      ...(crypttab.ok ? volumeSteps(crypttab.fact, blocks) : unclearAbout(storageCrypttab, crypttab)),
    ],
  }),
})

const failedStep = ({ units }: FailedUnits): DraftObservation =>
  supports(
    units.length === 0
      ? 'The service manager knows of no failed unit.'
      : `${count(units.length, 'unit')} failed: ${named(units, 12)}.`,
    servicesFailed,
  )

/** crypttab(5): every entry without noauto is opened at start, under its name as a mapped device. */
function volumeSteps({ entries }: Crypttab, blocks: Parsed<SysfsBlock>): readonly DraftObservation[] {
  const wanted = entries.filter(({ options }) => !options.includes('noauto')).map(({ name }) => name)
  if (wanted.length === 0) return [supports('No encrypted volume is listed to be opened at start.', storageCrypttab)]
  if (!blocks.ok) return unclearAbout(storageBlockDevices, blocks)
  const open = new Set([...blocks.fact.devices.values()].flatMap(({ dmName }) => dmName ?? []))
  const closed = wanted.filter((name) => !open.has(name))
  return [
    supports(
      closed.length === 0
        ? `${count(wanted.length, 'encrypted volume')} listed to be opened at start, all open now.`
        : `Of ${count(wanted.length, 'encrypted volume')} listed to be opened at start, not open now: ${named(closed)}.`,
      storageCrypttab,
    ),
  ]
}

/** Whole days above two days, else hours. */
function duration(seconds: number): string {
  const hours = Math.floor(seconds / HOUR)
  return hours >= 48 ? count(Math.floor(hours / 24), 'day') : count(hours, 'hour')
}
