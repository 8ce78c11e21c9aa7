import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvOf, defused } from '../main/adapters/stored-file.ts'
import { controlsTable, findingsTable, populationTable, resultsTable } from '../main/app/export/output-files.ts'
import { matterOf } from '../main/present/report.ts'
import type { Reconciliation } from '../schemas/types.ts'
import { registerOf, riskAcceptanceOf } from './support/register.ts'
import { sampleInput } from './support/report/sample.ts'

/** Any UTF-16 but halves of pairs, which UTF-8 cannot hold. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xd7ff }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units))

const read = (rows: readonly (readonly string[])[], delimiter = ','): string[][] =>
  parse(csvOf(rows), { bom: true, delimiter, relax_quotes: true, relax_column_count: true })

describe('a CSV file', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['\rx', "'\rx"],
    ['\uff1d1', "'\uff1d1"],
    ['\uff20x', "'\uff20x"],
    ['"=1"', `'"=1"`],
    ["'=1", "''=1"],
    ['  =1', "'  =1"],
    ['a\n=1', "a\n'=1"],
    ['a;=1', "a;'=1"],
    ['a=1', 'a=1'],
    ['2026-11-20', '2026-11-20'],
    ['', ''],
  ])('defuses %j', (cell, expected) => {
    expect(defused(cell)).toBe(expected)
    expect(read([['x', cell]])).toEqual([['x', expected]])
  })

  test('reads back as it was written, with any content', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyText, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (rows) => {
        expect(parse(csvOf(rows), { bom: true, skip_empty_lines: false })).toEqual(rows.map((row) => row.map(defused)))
      }),
    )
  })

  test('no cell begins like a formula, also where a program splits at other characters', () => {
    const text = fc
      .array(fc.constantFrom('=', '+', '-', '@', ';', '\t', '\n', '\r', '"', "'", ' ', 'a', '\uff1d'))
      .map((all) => all.join(''))
    fc.assert(
      fc.property(text, (cell) => {
        for (const part of defused(cell).split(/[;\t\r\n]/)) expect(part).not.toMatch(/^[\s"]*[=+\-@\uff1d]/)
      }),
    )
  })
})

describe('tables', () => {
  const input = { ...sampleInput(), remediations: [] }
  const { assessment, catalog } = input
  const given = { ...input, shown: matterOf(input).shown }
  const contradicted = assessment.nodes
    .flatMap(({ node, results }) => results.map((finding) => ({ node, ...finding })))
    .find(({ verdict }) => verdict === 'not-satisfied')
  const register = registerOf({
    riskAcceptances: [riskAcceptanceOf({ check: contradicted?.check ?? '', nodes: [contradicted?.node ?? ''] })],
  })

  test('keep their columns in place: new ones stand at the end', () => {
    expect([...resultsTable(given)][0]?.slice(0, 9)).toEqual([
      'node',
      'check',
      'expected condition',
      'verdict',
      'label',
      'observations',
      'limitations',
      'collected at (UTC)',
      'recording SHA-256',
    ])
    expect(controlsTable(assessment, catalog)[0]).toEqual([
      'framework',
      'control',
      'title',
      'evidence type',
      'level',
      'state',
      'state label',
      'server part',
      'server part label',
      'nodes in scope',
      'nodes tested',
      'nodes deviating',
      'nodes with all deviations risk-accepted',
      'nodes not tested',
      'document part',
      'document part label',
      'documents required',
      'documents on file',
      'outstanding documents',
      'document deviations',
      'results per deciding check',
      'observations',
      'other checks',
      'alternative evidence',
      'not covered',
      'risk acceptances per check',
      'decision',
    ])
  })

  test('a risk acceptance is listed beside the verdict, which stays', () => {
    const rows = [...resultsTable({ ...given, register })].filter(
      (row) => row[10] !== '' && row[10] !== 'risk acceptance',
    )
    expect(rows.map((row) => [row[0], row[1], row[3], row[9]])).toEqual([
      [contradicted?.node, contradicted?.check, 'not-satisfied', '2027-03-01T23:59:59.999Z'],
    ])
  })

  test('every row has as many cells as there are columns', () => {
    for (const table of [
      [...resultsTable(given)],
      findingsTable(given),
      controlsTable(assessment, catalog),
      populationTable(assessment),
    ])
      expect(new Set(table.map((row) => row.length)).size).toBe(1)
  })

  test('the population states which lists a node is on, and where there is no list', () => {
    const [first] = assessment.nodes
    const reconciliation: Reconciliation = {
      declared: 1,
      inFleet: 0,
      collected: 1,
      inventory: 1,
      nodes: [
        {
          node: first?.node ?? '',
          declared: true,
          inFleet: false,
          collected: true,
          inventory: { id: 'srv-1', by: 'name' },
        },
      ],
      inventoryOnly: [],
      conflicts: [],
      unreconciled: 0,
    }
    expect(populationTable(assessment)[1]?.slice(0, 6)).toEqual([
      first?.node,
      'no list',
      'no list',
      'no list',
      '',
      'no',
    ])
    expect(populationTable({ ...assessment, reconciliation })[1]?.slice(0, 6)).toEqual([
      first?.node,
      'yes',
      'no',
      'srv-1',
      'name',
      'yes',
    ])
  })
})
