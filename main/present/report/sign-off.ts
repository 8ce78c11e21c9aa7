import type { SignOff } from '../../../schemas/types.ts'
import { oneLine } from '../../core/plain-text.ts'
import { type Block, type Cell, heading, type Line, plainCell, type Section, text } from '../../core/report-document.ts'
import { dayOf } from './boundary.ts'
import type { Matter } from './input.ts'
import { titles, when } from './wording.ts'

const ROLES: readonly (readonly [role: SignOff['role'], title: string, does: string])[] = [
  ['collector', 'Collector', 'Performed the collection'],
  ['reviewer', 'Reviewer', 'Reviewed the results against the evidence'],
  ['approver', 'Approver', 'Releases the report to its audience'],
  ['qualified-person', 'Qualified person', 'Authorized to act for the entity in the matters covered by this report'],
]

/** Blank line for a handwritten entry. */
const LINE = '_'.repeat(14)

/** Preparer, reviewer and approver. The auditor does not sign this report. */
export function signOffSection({ assessment }: Matter): Section {
  const { engagement } = assessment.scope
  const entries = engagement?.signOff ?? []
  return {
    id: 'sign-off',
    title: titles['sign-off'],
    blocks: [
      heading(3, 'Assertion of management'),
      text(
        `Text for management to confirm or change; the signature below is by a person. “We are responsible for the description of the system and its boundary, for the completeness of the declared population, for the declarations printed in this report as ours, and for the design and operation of the controls. The evidence was collected from the servers listed. The deviations, scope limitations and outstanding documents in this report are complete as far as we know. Known changes after ${when(assessment.asOf)} that would change its results are stated to its readers.”`,
      ),
      heading(3, 'Signatures'),
      text(
        'For signature by the entity. Auditors do not sign here; they issue their own report. Names in this table come from the engagement and are not signatures. The seal of this file identifies a key, not a role.',
      ),
      ...(engagement === undefined
        ? [
            text(
              'The engagement is not defined, so no names are printed. The lines are blank for handwritten signatures.',
            ),
          ]
        : []),
      table(entries),
    ],
  }
}

const table = (entries: readonly SignOff[]): Block => ({
  kind: 'table',
  rowHeaders: true,
  columns: [
    { title: 'Role', width: 30 },
    { title: 'Name and title', width: 28 },
    { title: 'Date', width: 18 },
    { title: 'Signature', width: 24 },
  ],
  rows: ROLES.flatMap(([role, title, does]): readonly (readonly Cell[])[] => {
    const named = entries.filter((entry) => entry.role === role)
    const roleCell: Cell = [
      { text: title, style: 'strong' },
      { text: does, style: 'quiet' },
    ]
    if (named.length === 0) return [[roleCell, blank(), blank(), blank()]]
    return named.map(({ name, title: held, on }) => [
      roleCell,
      [{ text: oneLine(name, 200) }, { text: oneLine(held, 200), style: 'quiet' } satisfies Line],
      on === null ? blank() : plainCell(dayOf(on)),
      blank(),
    ])
  }),
})

const blank = (): Cell => plainCell(LINE)
