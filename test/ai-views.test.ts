import { describe, expect, test } from 'vitest'
import { alsoFiles } from '../main/app/export/output-files.ts'
import { AI_VIEWS, HIPAA_VIEWS, loadAiViews } from '../main/catalog/definition/frameworks/views.ts'
import type { Sheet } from '../main/core/all-ports.ts'
import { carrierGrid, frameworkGrid, viewSheets } from '../main/present/formats/grids/ai-views.ts'
import type { Grid, GridCell } from '../main/present/formats/grids/grid.ts'
import { workbookOf } from '../main/present/formats/workbook.ts'
import { BANNED } from '../schemas/words.ts'
import { formatSample } from './support/format-sample.ts'

const input = formatSample()
const rowsOf = ({ columns, rows }: Grid): readonly Readonly<Record<string, GridCell>>[] =>
  rows.map((row) => Object.fromEntries(columns.map(({ title }, at) => [title, row[at] ?? ''])))
const textOf = (cell: GridCell | undefined): string => (Array.isArray(cell) ? cell.join('\n') : String(cell ?? ''))
const entered = (row: Readonly<Record<string, GridCell>>): readonly GridCell[] =>
  Object.entries(row).flatMap(([title, cell]) => (title.includes('entered by people') ? [cell] : []))

describe('data of the views', () => {
  test('state whether titles of publications that are not at hand were compared with them', () => {
    const named = AI_VIEWS.frameworks.filter(({ id }) => ['nist-ai-rmf', 'iso-42001', 'hhs-cpg'].includes(id))
    expect(named).toHaveLength(3)
    for (const { sources } of [...named, HIPAA_VIEWS.practices])
      expect(sources.join('; ')).toMatch(/compared with public (summaries|reproductions)/)
  })

  test('every framework states its status, sources and limits, in allowed words', () => {
    expect(AI_VIEWS.frameworks.map(({ id, status }) => [id, status])).toEqual([
      ['nist-ai-rmf', 'voluntary'],
      ['iso-42001', 'voluntary'],
      ['hhs-cpg', 'voluntary'],
      ['dora', 'in-force'],
      ['fedramp-20x', 'guidance'],
      ['eu-ai-act', 'in-force'],
    ])
    for (const { notShown } of [AI_VIEWS.carriers, ...AI_VIEWS.frameworks]) expect(notShown.length).toBeGreaterThan(40)
    const text = JSON.stringify(AI_VIEWS)
    expect(BANNED.filter((banned) => banned.test(text))).toEqual([])
  })

  const { carriers, frameworks } = AI_VIEWS
  const [carrier] = carriers.rows
  const [framework] = frameworks
  if (carrier === undefined || framework === undefined) throw new Error('no data')
  test.each([
    [
      'an unknown check of a carrier',
      { carriers: { ...carriers, rows: [{ ...carrier, answers: { ...carrier.answers, access: ['no.such'] } }] } },
    ],
    ['a carrier twice', { carriers: { ...carriers, rows: [carrier, carrier] } }],
    [
      'an unknown request',
      { frameworks: [{ ...framework, rows: [{ id: 'x', title: 'x', checks: [], requests: ['ER-999'] }] }] },
    ],
    ['a framework without a source', { frameworks: [{ ...framework, sources: [] }] }],
  ])('%s stops the program', (_, changes) => {
    expect(() => loadAiViews({ ...AI_VIEWS, ...changes })).toThrow()
  })
})

describe('carriers of AI workloads', () => {
  const rows = rowsOf(carrierGrid(input))

  test('have one row each, and what they hold is left to people', () => {
    expect(rows.map(({ carrier }) => carrier)).toEqual(AI_VIEWS.carriers.rows.map(({ title }) => title))
    for (const row of rows) expect(entered(row)).toEqual([''])
  })

  test('count the results of the report; what no server shows is stated so', () => {
    const memory = rows.find(({ carrier }) => carrier === 'GPU memory and key-value caches')
    const deviating = input.assessment.nodes.filter(({ results }) =>
      results.some(({ check, verdict }) => check === 'tenancy.gpu-processes' && verdict === 'not-satisfied'),
    )
    const [, line = ''] = /^tenancy\.gpu-processes: (.*)$/m.exec(textOf(memory?.['who can reach it'])) ?? []
    expect(deviating.length).toBeGreaterThan(0)
    expect(line).toMatch(new RegExp(`\\b${deviating.length} of \\d+ not satisfied\\b`))
    expect(memory?.['where it is']).toBe('Not observable from the server.')
    expect(textOf(memory?.['what happens at hand-over'])).toBe('lifecycle.gpu-memory-scrub: a document answers it.')
  })

  test('name the findings of their checks and no other', () => {
    const checks = new Map(input.shown.findings.map(({ reference, check }) => [reference, check]))
    for (const [at, row] of rows.entries()) {
      const related = Object.values(AI_VIEWS.carriers.rows[at]?.answers ?? {}).flat()
      for (const reference of textOf(row.findings).split(', ').filter(Boolean))
        expect(related).toContain(checks.get(reference))
    }
    expect(rows.some(({ findings }) => findings !== '')).toBe(true)
  })
})

describe('views of further frameworks', () => {
  const rows = rowsOf(frameworkGrid(input))

  test('have each id once with its status, and conclude nothing', () => {
    const all = AI_VIEWS.frameworks.flatMap(({ title, rows: own }) => own.map(({ id }) => `${title} ${id}`))
    expect(rows.map(({ framework, id }) => `${framework} ${id}`)).toEqual(all)
    expect(new Set(rows.map(({ status }) => status))).toEqual(
      new Set(['Voluntary', 'In force for its addressees', 'Guidance']),
    )
    for (const row of rows) expect(entered(row)).toEqual([''])
  })

  test('are no framework of the conclusions, and no sheet of the register workbook', () => {
    const ids = new Set(input.catalog.frameworks.map(({ id }) => id))
    expect(AI_VIEWS.frameworks.filter(({ id }) => ids.has(id))).toEqual([])
    const names = new Set(workbookOf(input).map(({ name }) => name))
    expect(viewSheets(input).filter(({ name }) => names.has(name))).toEqual([])
  })
})

test('the output “views” is one workbook with both sheets', async () => {
  const written: (readonly Sheet[])[] = []
  const ports = {
    tidyMemory: () => undefined,
    xlsx: async (sheets: readonly Sheet[]) => {
      written.push(sheets)
      return new Uint8Array()
    },
  } as unknown as Parameters<typeof alsoFiles>[0]
  const names: string[] = []
  for await (const [name] of alsoFiles(ports, ['views'], input as unknown as Parameters<typeof alsoFiles>[2]))
    names.push(name)
  expect(names).toEqual([`${input.prefix}_views.xlsx`])
  expect(written.flat().map(({ name }) => name)).toEqual(['AI carriers', 'Framework views'])
})
