import type { Decision } from '../../../schemas/types.ts'
import { decisionWords, standingWords } from '../../../schemas/words.ts'
import { oneLine } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { decidedFor, decisionsOf } from '../register/decisions.ts'
import { type Standing, standingOf } from '../register.ts'
import { factBlock, furtherEntries, MOST_ENTRIES, typed } from './declared.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks, itemName } from './items.ts'
import { type Block, heading, plainCell, type Section, text } from './model.ts'
import { lasts, peopleRows, withdrawal } from './signed.ts'
import { titles } from './titles.ts'
import { of, plural, stateLine, when } from './wording.ts'

const GROUPS: readonly Standing[] = ['expired', 'in-force', 'not-begun', 'withdrawn']

/** What named people decided about rows, and the rows that wait for such a decision. */
export function decisionSection(matter: Matter): Section {
  const { register, assessment } = matter
  const groups = GROUPS.map((standing) => ({
    standing,
    entries: decisionsOf(register)
      .filter((entry) => standingOf(entry, assessment.asOf) === standing)
      .sort((a, b) => compare(rowKey(a), rowKey(b)) || compare(a.decidedAt, b.decidedAt) || compare(a.id, b.id)),
  })).filter(({ entries }) => entries.length > 0)
  return {
    id: 'decisions',
    title: titles.decisions,
    blocks: [
      text(
        'Decisions of people about an addressable specification (45 CFR 164.306(d)(3)), and reasons why a row does not apply. They last for a time and change no verdict. Nobody here judged the reasons.',
      ),
      ...(groups.length === 0 ? [text('No decision is on file.')] : []),
      ...groups.flatMap(({ standing, entries }): readonly Block[] => [
        heading(3, `${standingWords[standing]} (${entries.length})`, true),
        ...(standing === 'expired' ? [text('What has ended counts for nothing until somebody decides again.')] : []),
        ...entries.slice(0, MOST_ENTRIES).flatMap((entry) => entryBlocks(matter, entry, standing)),
        ...furtherEntries(entries.length),
      ]),
      ...addressable(matter),
      ...unreasoned(matter),
    ],
  }
}

const rowKey = ({ framework, control }: Decision): string => `${framework}\n${control}`

function entryBlocks({ catalog }: Matter, entry: Decision, standing: Standing): readonly Block[] {
  const { decision, factors, alternativeMeasure, riskAnalysis, withdrawn } = entry
  const optional = (label: string, words: string | null) => (words === null ? [] : [{ label, value: typed(words) }])
  return [
    heading(4, itemName(catalog, entry)),
    factBlock([
      { label: 'Decision', value: [{ text: decisionWords[decision], style: 'strong' }] },
      { label: 'Standing', value: plainCell(lasts(standing, entry.expiresAt)) },
      { label: 'Reason', value: typed(entry.reason, 4000) },
      ...optional('Factors weighed', factors),
      ...optional('Measure in its place', alternativeMeasure),
      ...optional('Risk analysis', riskAnalysis),
      { label: 'Owner', value: plainCell(oneLine(entry.owner, 200)) },
      ...peopleRows(entry),
      { label: 'Decided', value: plainCell(when(entry.decidedAt)) },
      ...(withdrawn === null ? [] : [{ label: 'Withdrawn', value: plainCell(withdrawal(withdrawn)) }]),
    ]),
  ]
}

/** Addressable rows that nobody decided about. Addressable is not optional. */
function addressable(matter: Matter): readonly Block[] {
  const { register, assessment } = matter
  const rows = chosenFrameworks(matter).current.flatMap(({ id: framework, controls }) =>
    controls.filter(({ level }) => level === 'addressable').map(({ key: control }) => ({ framework, control })),
  )
  if (rows.length === 0) return []
  const open = rows.filter((row) => decidedFor(register, row, assessment.asOf).length === 0)
  return [
    heading(3, 'Addressable specifications without a decision', true),
    text(
      open.length === 0
        ? `None: each of the ${plural(rows.length, 'addressable specification')} has a decision in force.`
        : `${of(open.length, rows.length)} have none in force. Addressable is not optional: it asks for an assessment, then for the measure, or for a written reason and another measure where that is reasonable.`,
    ),
    ...(open.length === 0 ? [] : [rowTable(matter, open)]),
  ]
}

/** Controls that the servers show cannot apply to them, without an approved decision that they do not apply. */
function unreasoned(matter: Matter): readonly Block[] {
  const { current } = chosenFrameworks(matter)
  const chosen = new Set(current.map(({ id }) => id))
  const open = matter.assessment.controls.filter(
    ({ framework, server, rationale }) =>
      chosen.has(framework) && server.state === 'not-applicable' && rationale === null,
  )
  return open.length === 0
    ? []
    : [
        heading(3, 'Controls not applicable to servers by observation, without an approved decision', true),
        text(
          'The servers show that no required check can apply to them. The documents of the control decide; it stays in scope.',
        ),
        rowTable(matter, open),
      ]
}

function rowTable(matter: Matter, rows: readonly { readonly framework: string; readonly control: string }[]): Block {
  const states = new Map(
    matter.assessment.controls.map(({ framework, control, state }) => [`${framework}\n${control}`, state]),
  )
  return {
    kind: 'table',
    columns: [
      { title: 'Item', width: 64 },
      { title: 'State now', width: 36 },
    ],
    rows: rows.map((row) => {
      const state = states.get(`${row.framework}\n${row.control}`)
      return [
        plainCell(itemName(matter.catalog, row)),
        state === undefined ? plainCell('Not evaluated') : [stateLine(state)],
      ]
    }),
  }
}
