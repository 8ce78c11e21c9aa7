import { compare } from '../recording.ts'
import { deviationsOverRuns } from './deviations-over-runs.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, text } from './model.ts'
import { type Contradiction, contradicted } from './summary.ts'
import { of, when } from './wording.ts'

/**
 * Contradicted claims the way a reader of SOC 2 evidence looks for them: how many of the population, when found, when fixed, and whether
 * open at the end. One run tells the first, the second and the last, as of one moment; with the runs before it, all of them are told.
 */
export function deviationBlocks(matter: Matter): readonly Block[] {
  const { assessment, earlier } = matter
  if (earlier !== undefined) return deviationsOverRuns(matter, earlier)
  const gaps = contradicted(matter)
  const asOf = when(assessment.asOf)
  return [
    heading(3, `Deviations as of ${asOf}`, true),
    text(
      `This is a reading as of ${asOf}, not over a period. From one collection can be told what was found and what was open then. When something was fixed, and whether it came back, takes later collections, so no column says it. An accepted exception does not take a deviation away.`,
    ),
    gaps.length === 0
      ? text('No check was contradicted on any node that answered.')
      : {
          kind: 'table',
          columns: [
            { title: 'Expected', width: 56 },
            { title: 'Nodes apart', width: 12 },
            { title: 'Found (UTC)', width: 20 },
            { title: 'Open then', width: 12 },
          ],
          rows: gaps.map((gap) => row(matter, gap)),
        },
  ]
}

/** A moment where the column says UTC. */
const moment = (instant: string): string => when(instant).replace(/ UTC$/, '')

function row({ assessment, accepted }: Matter, { check, nodes }: Contradiction): readonly Cell[] {
  const apart = new Set(nodes)
  const found = assessment.nodes
    .flatMap(({ node, observedAt }) => (apart.has(node) && observedAt !== null ? [observedAt] : []))
    .sort(compare)
  const [first] = found
  const last = found.at(-1)
  const excepted = nodes.filter((node) => accepted.inForce(node, check.id) !== null).length
  const foundLines: readonly Line[] =
    first === undefined || last === undefined
      ? [{ text: 'The moment is not known' }]
      : when(first) === when(last)
        ? [{ text: moment(first) }]
        : when(first) === when(last)
          ? [{ text: moment(first) }]
          : [{ text: moment(first) }, { text: `to ${moment(last)}` }]
  return [
    [{ text: check.claim }, { text: check.id, style: 'quiet' }],
    [{ text: of(nodes.length, assessment.nodes.length), mark: 'square-cross' }],
    foundLines,
    [
      { text: of(nodes.length, nodes.length) },
      ...(excepted === 0 ? [] : [{ text: `${excepted} of them accepted`, style: 'quiet' } as const]),
    ],
  ]
}
