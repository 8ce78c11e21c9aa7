import type { Finding } from '../../core/finding/finding.ts'
import { of } from '../../core/phrases.ts'
import { compare } from '../../core/recording.ts'
import { type Block, type Cell, heading, type Line, text } from '../../core/report-document.ts'
import { deviationsOverRuns } from './deviations-over-runs.ts'
import type { Matter } from './input.ts'
import { when } from './wording.ts'

/**
 * Deviations in the form used for SOC 2 evidence: how many of the nodes tested, when found, when remediated, and whether
 * open at the end. One run shows all but remediation, at one point in time; with earlier runs of the period, all are shown.
 */
export function deviationBlocks(matter: Matter): readonly Block[] {
  const { assessment, earlier } = matter
  if (earlier !== undefined) return deviationsOverRuns(matter, earlier)
  const gaps = [...matter.shown.findings, ...matter.shown.informational]
  const asOf = when(assessment.asOf)
  return [
    heading(3, `Deviations as of ${asOf}`, true),
    text(
      `Results are as of ${asOf}, not over a period. One collection shows which deviations existed and were open at that time. Remediation and recurrence require later collections and are not shown. A risk acceptance does not remove a deviation.`,
    ),
    gaps.length === 0
      ? text('No deviations noted on the nodes tested.')
      : {
          kind: 'table',
          columns: [
            { title: 'Expected condition', width: 56 },
            { title: 'Deviations / tested', width: 12 },
            { title: 'Found (UTC)', width: 20 },
            { title: 'Open at evaluation', width: 12 },
          ],
          rows: gaps.map(row),
        },
  ]
}

/** A time without its zone, for columns headed UTC. */
const moment = (instant: string): string => when(instant).replace(/ UTC$/, '')

function row({ check, criterion, deviations, tested }: Finding): readonly Cell[] {
  const found = deviations.flatMap(({ observedAt }) => observedAt ?? []).sort(compare)
  const [first] = found
  const last = found.at(-1)
  const excepted = deviations.filter(({ accepted }) => accepted !== null).length
  const foundLines: readonly Line[] =
    first === undefined || last === undefined
      ? [{ text: 'Time unknown' }]
      : when(first) === when(last)
        ? [{ text: moment(first) }]
        : [{ text: moment(first) }, { text: `to ${moment(last)}` }]
  return [
    [{ text: criterion.expected }, { text: check, style: 'quiet' }],
    [{ text: of(deviations.length, tested), mark: 'square-cross' }],
    foundLines,
    [
      { text: of(deviations.length, deviations.length) },
      ...(excepted === 0 ? [] : [{ text: `${excepted} risk-accepted`, style: 'quiet' } as const]),
    ],
  ]
}
