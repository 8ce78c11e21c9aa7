import { quote } from '../../core/base/plain-text.ts'
import { geodesicKm } from '../../core/geo/geodesy.ts'
import type { Context, DraftObservation } from '../../core/rules/check.ts'
import { contradicts, supports, unclear } from '../base/steps.ts'
import { nonceEcho } from '../operations/evidence/probes.ts'
import { neededFor, neededText, type Question } from './answers.ts'
import { type Delay, type DelayIndication, delayIndication } from './discs.ts'
import { kilometres } from './peers.ts'
import type { Asked } from './verdict.ts'

/** What the round-trip times show about one place or policy, as draft observations. */
export interface Bound {
  readonly indicates: DelayIndication
  readonly because: readonly DraftObservation[]
}

/** Each time on its own, then what has to be known about them. Times from records depend on no capture. */
export const timeSteps = (
  { discs, notes }: Delay,
  direction: DraftObservation['direction'],
): readonly DraftObservation[] => [
  ...discs.map(({ text, maxDistanceKm, record }): DraftObservation => {
    const step = { direction: maxDistanceKm === null ? 'unclear' : direction, text } as const
    return { ...step, probe: record === null ? nonceEcho.id : null }
  }),
  ...notes.map((note) => unclear(note, null)),
]

/** A place or policy against all times at once. */
export function boundBy({ title, asked }: Question, delay: Delay, context: Context): Bound {
  const place = quote(title)
  if (!asked.ok)
    return {
      indicates: 'unusable',
      because: [unclear(`${place} names no area for comparison: ${asked.error}.`, null)],
    }
  const indicates = delayIndication(delay, asked.value.region)
  return {
    indicates,
    because: [
      conclusion(indicates, `${place}${distances(asked.value, delay)}`, () =>
        neededText(neededFor(asked.value, delay, context)),
      ),
    ],
  }
}

function conclusion(indicates: DelayIndication, place: string, hint: () => string): DraftObservation {
  switch (indicates) {
    case 'inside':
      return supports(`Every point within the distance bound is inside ${place}.`, nonceEcho)
    case 'outside':
      return contradicts(
        `No point within the distance bound is inside ${place}: the SSH responder is not there.`,
        nonceEcho,
      )
    case 'undecided':
      return unclear(`${place}: not contradicted by the times, and not bounded within it. ${hint()}`, nonceEcho)
    case 'empty':
      return unclear(
        `The times exclude each other, so at least one of the vantage points is wrong; they are no evidence about ${place}.`,
        nonceEcho,
      )
    case 'unusable':
      return unclear(`There is no usable round-trip time for ${place}. ${hint()}`, nonceEcho)
  }
}

/** For a declared place: the distance of its center from each vantage point with a usable time. */
function distances({ region }: Asked, { discs }: Delay): string {
  if (region.kind !== 'disc') return ''
  const { center, radiusKm } = region.disc
  const far = discs
    .filter(({ maxDistanceKm }) => maxDistanceKm !== null)
    .map(({ vantage }) => `${kilometres(geodesicKm(vantage, center))} from ${quote(vantage.name)}`)
  return ` (declared to within ${radiusKm} km${far.length === 0 ? '' : `; its center is ${far.slice(0, 4).join(', ')}`})`
}
