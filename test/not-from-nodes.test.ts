import { describe, expect, test } from 'vitest'
import { controlsTable } from '../main/app/export/output-files.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { concludeControls } from '../main/core/conclusion/conclude.ts'
import type { Catalog } from '../main/core/rules/catalog.ts'
import type { OffNodeCheck } from '../main/core/rules/requests.ts'
import { checksGrid } from '../main/present/formats/grids/claims.ts'
import { documentText } from '../main/present/report.ts'
import { checkSourceWords } from '../schemas/conclusion-words.ts'
import type { Register } from '../schemas/types.ts'
import { inspectedFor, registerOf } from './support/register.ts'
import { sampleInput } from './support/report/sample.ts'
import { wholeReport } from './support/report/whole.ts'
import { evidenceRequestOf } from './support/rollup-kit.ts'

const input = sampleInput()
const [framework] = input.catalog.frameworks
const control = framework?.controls.find(
  ({ evidenceType, nodeEvidence, mappings }) =>
    mappings.length > 0 &&
    evidenceType !== 'documentary' &&
    evidenceType !== 'out-of-scope' &&
    nodeEvidence === 'primary',
)
if (framework === undefined || control === undefined) throw new Error('the sample has no control with checks')

const BEYOND: OffNodeCheck = {
  id: 'access.break-glass',
  source: 'document',
  why: 'Which account is for emergencies is an arrangement between people.',
}

const REQUEST = evidenceRequestOf({
  id: 'ER-21',
  title: 'The emergency procedure and the log of its uses',
  time: 'period',
  serves: [BEYOND.id],
})

/** The sample, its first such control mapped to a check that is not built. */
const mapped: Catalog = {
  ...input.catalog,
  frameworks: input.catalog.frameworks.map((one) => ({
    ...one,
    controls: one.controls.map((row) =>
      one.id === framework.id && row.key === control.key
        ? { ...row, mappings: [...row.mappings, { check: BEYOND.id, shows: 'Its uses.' }] }
        : row,
    ),
  })),
}

const explained: Catalog = { ...mapped, offNodeChecks: [BEYOND], requests: [REQUEST] }
const assessedBy = (catalog: Catalog, register: Register = input.register) => ({
  ...input.assessment,
  controls: concludeControls(catalog, input.assessment.scope.frameworks, input.assessment.nodes, {
    register,
    asOf: input.assessment.asOf,
    engagement: undefined,
    uncovered: 0,
  }),
})
const rowIn = (catalog: Catalog, register?: Register) => {
  const row = assessedBy(catalog, register).controls.find((one) => one.control === control.key)
  if (row === undefined) throw new Error('the row is not assessed')
  return row
}

const checkIn = (catalog: Catalog) => rowIn(catalog).checks.find(({ check }) => check === BEYOND.id)

describe('a mapped check that no node can answer', () => {
  test('is a server test that the catalog lacks, until a document is named in its place', () => {
    expect(checkIn(mapped)).toMatchObject({ source: 'server', built: false, decides: true, satisfied: 0, tested: 0 })
    expect(rowIn(mapped).documents.outstanding.map(({ request }) => request)).not.toContain(REQUEST.id)
    expect(checkIn(explained)).toMatchObject({ source: 'document', built: false, decides: false, population: 0 })
    expect(rowIn(explained).documents.outstanding).toContainEqual({
      request: REQUEST.id,
      title: REQUEST.title,
      level: null,
    })
  })

  test('is answered by its request at its minimum level, and by nothing below', () => {
    const received = registerOf({ documents: [inspectedFor(REQUEST.id, { level: 'received' })] })
    const inspected = registerOf({ documents: [inspectedFor(REQUEST.id)] })
    const held = rowIn(explained).documents.held
    expect(rowIn(explained, received).documents).toMatchObject({ held })
    expect(rowIn(explained, received).documents.outstanding).toContainEqual({
      request: REQUEST.id,
      title: REQUEST.title,
      level: 'received',
    })
    expect(rowIn(explained, inspected).documents).toMatchObject({ held: held + 1 })
  })

  test('is named in the report with the reason, and with the document that is asked for', () => {
    const text = documentText(wholeReport({ ...input, catalog: explained, assessment: assessedBy(explained) })).join(
      '\n',
    )
    expect(text).toContain(BEYOND.why)
    expect(text).toContain(REQUEST.title)
  })

  test('is listed in the table of controls with where its answer comes from', () => {
    const cells = (catalog: Catalog) => {
      const [head = [], ...rows] = controlsTable(assessedBy(catalog), catalog)
      const row = rows.find((one) => one[1] === control.id) ?? []
      return (title: string): string => row[head.indexOf(title)] ?? ''
    }
    expect(cells(mapped)('results per deciding check')).toContain(`${BEYOND.id} (required): not tested on`)
    expect(cells(mapped)('results per deciding check')).toContain('not in this catalog version')
    expect(cells(explained)('results per deciding check')).not.toContain(BEYOND.id)
    expect(cells(explained)('other checks')).toContain(`${BEYOND.id} (required): ${checkSourceWords.document}`)
    expect(cells(explained)('outstanding documents')).toContain(`${REQUEST.id} ${REQUEST.title} (nothing on file`)
  })

  test('is listed in the sheet of checks with its reason and its request', () => {
    expect(checksGrid(explained).rows.at(-1)).toEqual([
      BEYOND.id,
      checkSourceWords.document,
      BEYOND.why,
      `${REQUEST.id} ${REQUEST.title}`,
    ])
  })

  test('is part of what a catalog’s digest is over', () => {
    const digest = (catalog: Catalog): string =>
      assess({ catalog, scope: input.assessment.scope, recordings: [], asOf: input.assessment.asOf }).catalog.digest
    expect(digest(explained)).not.toBe(digest(mapped))
  })
})
