import { describe, expect, test } from 'vitest'
import { testsGrid } from '../main/present/formats/grids/audit.ts'
import { testsPage } from '../main/present/formats/tests-page.ts'
import { formatSample, shownAgain } from './support/format-sample.ts'

const input = formatSample()
const page = testsPage(input)
const textsOf = (html: string, tag: string): readonly string[] =>
  [...html.matchAll(new RegExp(`<${tag}\\b[^>]*>(.*?)</${tag}>`, 'gs'))].map(([, text = '']) => text)

describe('the page of tests of controls', () => {
  const bodies = textsOf(page, 'tbody')
  const tests = bodies.flatMap((body) => textsOf(body, 'tr'))

  test('has each test of the workbook once, and each control once over its tests', () => {
    const rows = testsGrid(input).rows
    expect(tests.length).toBe(rows.length)
    expect(tests.map((row) => textsOf(row, 'td').length).every((cells) => cells === 2)).toBe(true)
    const controls = new Set(rows.map(([framework, control]) => `${String(framework)} ${String(control)}`))
    expect(bodies.flatMap((body) => textsOf(body, 'th')).length).toBe(controls.size)
  })
  test('its spans close: as many rows follow a control as it has tests', () => {
    for (const body of bodies) {
      const spans = [...body.matchAll(/rowspan="(\d+)"/g)].map(([, rows]) => Number(rows))
      expect(spans.reduce((sum, rows) => sum + rows, 0)).toBe(textsOf(body, 'tr').length)
    }
  })
  test('is plain: what a word processor would drop or load is not in it', () => {
    const tags = new Set([...page.matchAll(/<([a-z0-9]+)/g)].map(([, tag]) => tag))
    expect([...tags].sort()).toEqual([
      'body',
      'caption',
      'col',
      'colgroup',
      'h1',
      'h2',
      'head',
      'html',
      'meta',
      'p',
      'strong',
      'style',
      'table',
      'tbody',
      'td',
      'th',
      'thead',
      'title',
      'tr',
    ])
    expect(page).not.toMatch(/https?:|url\(|src=|href=/)
  })
  test('states that demo data is none of a server', () => {
    expect(testsPage({ ...input, demo: true })).toContain('<strong>Demo data')
    expect(testsPage({ ...input, demo: false })).not.toContain('Demo data')
  })
  test('shows names as text, whatever they hold', () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e & "'
    const { engagement: _, ...scope } = input.assessment.scope
    const named = testsPage(
      shownAgain({ ...input, assessment: { ...input.assessment, scope: { ...scope, fleet: hostile } } }),
    )
    expect(named).not.toMatch(/<img|\u202e/)
    expect(named).toContain('&lt;img')
  })
})
