import type { Input } from '../../../schemas/ipc.ts'
import { plain } from '../../core/plain-text.ts'
import type { Exported } from '../export.ts'
import type { HandOut } from './export-hand-out.ts'
import { missingIn, wordsOf } from './export-plan.ts'
import type { RunState } from './session.ts'
import { FILE_WORDS, type Keeping } from './trust-secrets.ts'

export interface Sealed {
  readonly run: RunState
  readonly demo: boolean
  readonly exported: Exported
  /** The time-stamp authority that was queried, or null. */
  readonly authority: string | null
  /** Null for a demo, whose key is not stored. */
  readonly kept: Keeping['kept'] | null
  readonly withhold: Input<'export.build'>['withhold']
  readonly handOut: HandOut | null
}

/** Notices for the reader of an export, in sentences: every point where it shows less than a reader may assume. */
export function exportNotes(sealed: Sealed): readonly string[] {
  const { run, demo, kept } = sealed
  const missing = missingIn(run).length
  return [
    ...(demo ? ['Demo data, sealed by a demo key that can never be trusted.'] : []),
    ...(missing === 0
      ? []
      : [`${missing} of ${run.assessment.nodes.length} nodes in the population have no evidence in this run.`]),
    ...timeNotes(sealed),
    ...handOutNotes(sealed),
    ...(kept === 'file' ? [`Your signing key is stored ${FILE_WORDS}.`] : []),
    'It is stored in the Barewitness folder on this computer until you save it.',
    ...(demo
      ? []
      : ['The run chain now contains this pack. If you discard it unsaved, its files stay in that folder.']),
  ]
}

function timeNotes({ exported, authority }: Sealed): readonly string[] {
  const { level, stamped, shortfalls } = exported
  if (authority === null) return ['Time from this computer only: no time-stamp authority was used.']
  if (shortfalls.length === 0 && stamped && level === 'B-LTA') return []
  return [
    `You requested a time-stamp by ${plain(authority)}. It could not be obtained completely.`,
    stamped ? 'The pack has a time-stamp.' : 'The pack has no time-stamp: its time is from this computer only.',
    level === 'B-B'
      ? 'The report has no time-stamp either: it is at PAdES level B-B.'
      : `The report has a time-stamp, at PAdES level ${level}${level === 'B-LTA' ? '.' : ', without the data for long-term validation.'}`,
    ...shortfalls.map(wordsOf),
  ]
}

function handOutNotes({ withhold, handOut }: Sealed): readonly string[] {
  if (withhold === null || handOut === null) return []
  const { verdicts, isolation, unstated } = handOut.underivable
  return [
    `Parts of the copy are redacted by ${plain(withhold.who)}: ${plain(withhold.why, 500)}`,
    `Share ${handOut.name} only. All other files contain the redacted parts.`,
    ...(verdicts.length === 0
      ? ['All verdicts can still be reproduced from the copy.']
      : [`${verdicts.length} verdicts can no longer be reproduced from the copy.`]),
    ...(isolation.length === 0
      ? []
      : [`The execution environment of ${isolation.length} nodes can no longer be reproduced from the copy.`]),
    ...(unstated.length === 0 ? [] : [`The copy contains no readable results of ${unstated.length} nodes.`]),
  ]
}
