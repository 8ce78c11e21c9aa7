import type { SignOff } from '../../../schemas/types.ts'
import { oneLine } from '../plain-text.ts'
import { dayOf } from './declared.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, type Line, plainCell, type Section, text } from './model.ts'
import { titles } from './titles.ts'

const ROLES: readonly (readonly [role: SignOff['role'], title: string, does: string])[] = [
  ['collector', 'Collector', 'Ran the collection'],
  ['reviewer', 'Reviewer', 'Read the results against the evidence'],
  ['approver', 'Approver', 'Releases the report to its audience'],
  ['qualified-person', 'Qualified person', 'May act for the entity in the matters this report speaks of'],
]

/** Long enough to write on. */
const LINE = '_'.repeat(18)

/** Who collected, reviewed and approved. The auditor has no line here. */
export function signOffSection({ assessment }: Matter): Section {
  const { engagement } = assessment.scope
  const entries = engagement?.signOff ?? []
  return {
    id: 'sign-off',
    title: titles['sign-off'],
    blocks: [
      text(
        'The people of the entity sign here. Auditors do not: what they find stands in a report of their own. A name in this table is what the engagement says; it is no signature. The seal of this file shows a key, not a role.',
      ),
      ...(engagement === undefined
        ? [text('No engagement was declared, so nobody is named. The lines are left blank to sign by hand.')]
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
