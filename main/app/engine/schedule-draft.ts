import type { CadenceDraft, ScheduleDraft } from '../../../schemas/ipc-schedules.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { fleetPath } from '../../core/layout.ts'
import { type Cadence, cadenceText, HOURS } from '../../core/period/cadence.ts'
import { ok } from '../../core/result.ts'
import type { ScheduleDraft as Planned } from '../schedules.ts'
import { identitiesFolder } from './trust-secrets.ts'

/**
 * A schedule for the window's own fleet, as a person entered it; its runs are stored with the window's own and use the
 * same declarations. `chosen`: files by handle. Fails with input.refused for an unknown cadence or handle.
 */
export function plannedFrom(
  folder: string,
  { cadence: asked, zone, identity, passphrase, ...draft }: ScheduleDraft,
  chosen: ReadonlyMap<string, string>,
): Outcome<Planned> {
  const cadence = cadenceFrom(asked, zone)
  if (cadence === null) return fail('input.refused', 'a schedule can run every 1, 2, 3, 4, 6, 8 or 12 hours')
  const passphraseFile = passphrase === null ? undefined : chosen.get(passphrase)
  if (passphrase !== null && passphraseFile === undefined)
    return fail('input.refused', 'the passphrase file is no longer known; choose it again')
  const words = cadenceText(cadence)
  return ok({
    ...draft,
    fleet: fleetPath(folder),
    out: folder,
    // The time zone is a separate field of the file.
    cadence: words.slice(0, -` in ${zone}`.length),
    zone,
    notify: [],
    options: {
      declarations: folder,
      identityFolder: identitiesFolder(folder),
      ...(identity === null ? {} : { identity }),
      ...(passphraseFile === undefined ? {} : { passphraseFile }),
    },
  })
}

function cadenceFrom({ every, hours, weekday, day, at }: CadenceDraft, zone: string): Cadence | null {
  switch (every) {
    case 'hours': {
      const known = HOURS.find((one) => one === hours)
      return known === undefined ? null : { every, hours: known, at: at % 60, zone }
    }
    case 'day':
      return { every, at, zone }
    case 'week':
      return { every, weekday, at, zone }
    case 'month':
      return { every, day, at, zone }
  }
}
