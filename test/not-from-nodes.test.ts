import { describe, expect, test } from 'vitest'
import { controlsTable } from '../main/app/tables.ts'
import { assess } from '../main/core/assess.ts'
import type { Catalog, NotFromNodes } from '../main/core/catalog.ts'
import { buildReport, documentText } from '../main/core/report.ts'
import { rollUp } from '../main/core/rollup.ts'
import type { Register } from '../schemas/types.ts'
import { attachmentOf, registerOf } from './support/register.ts'
import { sampleInput } from './support/report/sample.ts'

const input = sampleInput()
const [framework] = input.catalog.frameworks
const control = framework?.controls.find(
  ({ evidenceClass, nodeEvidence, supports }) =>
    supports.length > 0 && evidenceClass !== 'manual' && evidenceClass !== 'out-of-scope' && nodeEvidence === 'primary',
)
if (framework === undefined || control === undefined) throw new Error('the sample has no control with checks')

const BEYOND: NotFromNodes = {
  id: 'access.break-glass',
  from: 'record',
  why: 'Which account is for emergencies is an arrangement between people.',
  bring: 'The emergency procedure and the log of its uses.',
}
/** The sample, its first such control mapped to a check that is not built. */
const mapped: Catalog = {
  ...input.catalog,
  frameworks: input.catalog.frameworks.map((one) => ({
    ...one,
    controls: one.controls.map((row) =>
      one.id === framework.id && row.key === control.key
        ? { ...row, supports: [...row.supports, { check: BEYOND.id, shows: 'Its uses.' }] }
        : row,
    ),
  })),
}
const explained: Catalog = { ...mapped, notFromNodes: [BEYOND] }
const judgedBy = (catalog: Catalog) => ({
  ...input.assessment,
  controls: rollUp(catalog, input.assessment.scope.frameworks, input.assessment.nodes, {
    register: input.register,
    asOf: input.assessment.asOf,
    uncovered: 0,
  }),
})
const textOf = (catalog: Catalog, register: Register = input.register): string =>
  documentText(buildReport({ ...input, catalog, assessment: judgedBy(catalog), register })).join('\n')

const NOT_HERE = /Not in this catalog version, so not collected on any node:[^\n]*access\.break-glass/

describe('a mapped check that nodes cannot bear', () => {
  test('moves no state by being explained: it is not collected on any node, as before', () => {
    expect(judgedBy(explained).controls).toEqual(judgedBy(mapped).controls)
    const row = judgedBy(explained).controls.find((one) => one.control === control.key)
    expect(row?.checks.at(-1)).toMatchObject({ check: BEYOND.id, built: false, met: 0 })
    expect(['not-supported', 'insufficient-evidence']).toContain(row?.nodePart)
  })

  test('stands in the report with its reason and what to attach, not as a check that is missing', () => {
    const before = textOf(mapped)
    expect(before).toMatch(NOT_HERE)
    const after = textOf(explained)
    expect(after).not.toMatch(NOT_HERE)
    expect(after).toContain(`${BEYOND.id}: it takes a record from people. ${BEYOND.why} To attach: ${BEYOND.bring}`)
    expect(after).toMatch(/; 1 of \d+ checks that nodes cannot bear/)
    expect(after).toContain('Checks that nodes cannot bear')
  })

  test('is told as attached once its record is, and the state stays', () => {
    const register = registerOf({
      attachments: [
        attachmentOf({
          controls: [{ framework: framework.id, control: control.key }],
          need: BEYOND.bring,
          validUntil: '2027-06-30T23:59:59.999Z',
        }),
      ],
    })
    expect(textOf(explained, register)).toContain(`Attached and not examined: ${BEYOND.bring}`)
  })

  test('is told in the table of controls', () => {
    const cell = (catalog: Catalog): string =>
      controlsTable(judgedBy(catalog), catalog)
        .flat()
        .find((text) => text.includes(BEYOND.id)) ?? ''
    expect(cell(mapped)).toContain(`${BEYOND.id}: no check yet`)
    expect(cell(explained)).toContain(`${BEYOND.id}: nodes cannot bear it`)
  })

  test('is part of what a catalog’s digest is over', () => {
    const digest = (catalog: Catalog): string =>
      assess({ catalog, scope: input.assessment.scope, recordings: [], asOf: input.assessment.asOf }).catalog.digest
    expect(digest(explained)).not.toBe(digest(mapped))
  })
})
