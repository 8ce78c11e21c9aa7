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
  /** Who was asked for the time, or null. */
  readonly authority: string | null
  /** Null for a demonstration, whose key is kept nowhere. */
  readonly kept: Keeping['kept'] | null
  readonly withhold: Input<'export.build'>['withhold']
  readonly handOut: HandOut | null
}

/** What a reader of an export must know, in sentences: every place where it is less than somebody may think. */
export function exportNotes(sealed: Sealed): readonly string[] {
  const { run, demo, kept } = sealed
  const missing = missingIn(run).length
  return [
    ...(demo ? ['Demo data, sealed by a key that nobody may trust.'] : []),
    ...(missing === 0
      ? []
      : [`${missing} of ${run.assessment.nodes.length} declared nodes have no evidence in this run.`]),
    ...timeNotes(sealed),
    ...handOutNotes(sealed),
    ...(kept === 'file' ? [`Your signing key is kept ${FILE_WORDS}.`] : []),
    'It lies in the folder of Barewitness on this computer until you save it.',
    ...(demo ? [] : ['The chain of runs names this pack now. Discarding it unsaved keeps its files in that folder.']),
  ]
}

function timeNotes({ exported, authority }: Sealed): readonly string[] {
  const { level, stamped, shortfalls } = exported
  if (authority === null) return ['Time from this computer only: no time-stamp authority took part.']
  if (shortfalls.length === 0 && stamped && level === 'B-LTA') return []
  return [
    `You asked for a time-stamp by ${plain(authority)}. What could be had is less than that.`,
    stamped ? 'The pack has a time-stamp.' : 'The pack has no time-stamp: its time is from this computer only.',
    level === 'B-B'
      ? 'The report has no time-stamp either: it stays at PAdES level B-B.'
      : `The report has a time-stamp, at PAdES level ${level}${level === 'B-LTA' ? '.' : ': its long-term check is not in it.'}`,
    ...shortfalls.map(wordsOf),
  ]
}

function handOutNotes({ withhold, handOut }: Sealed): readonly string[] {
  if (withhold === null || handOut === null) return []
  const { verdicts, isolation, unstated } = handOut.underivable
  return [
    `Parts are withheld from the copy by ${plain(withhold.who)}: ${plain(withhold.why, 500)}`,
    `Give away ${handOut.name} alone. Every other file holds what is withheld from it.`,
    ...(verdicts.length === 0
      ? ['Every verdict can still be derived again from the copy.']
      : [`${verdicts.length} verdicts can no longer be derived again from the copy.`]),
    ...(isolation.length === 0
      ? []
      : [`What ${isolation.length} nodes run on can no longer be derived again from the copy.`]),
    ...(unstated.length === 0 ? [] : [`The copy holds no readable results of ${unstated.length} nodes.`]),
  ]
}
