import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const FOLDER = 'docs/decisions'
const STATUS = /^(proposed|accepted|rejected|superseded by \d{4})$/

const records = readdirSync(FOLDER)
  .filter((name) => name !== 'README.md')
  .sort()
  .map((name) => ({ name, text: readFileSync(`${FOLDER}/${name}`, 'utf8') }))
const lineOf = (text: string, label: string): string =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${label}: `))
    ?.slice(label.length + 2) ?? ''

test.each(records)('$name has a number, a date, a status and the three parts', ({ name, text }) => {
  const [number = ''] = name.split('-')
  expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/)
  expect(text.startsWith(`# ${number}. `)).toBe(true)
  expect(lineOf(text, 'Date')).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  expect(lineOf(text, 'Status')).toMatch(STATUS)
  expect(text.match(/^## .+$/gm)).toEqual(['## Context', '## Decision', '## Consequences'])
})

test('numbers have no gap, and dates never go back', () => {
  expect(records.map(({ name }) => Number(name.slice(0, 4)))).toEqual(records.map((_, index) => index + 1))
  const dates = records.map(({ text }) => lineOf(text, 'Date'))
  expect(dates).toEqual([...dates].sort())
})

test('the index lists every record, with its title, date and status', () => {
  const rows = readFileSync(`${FOLDER}/README.md`, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ['))
  expect(rows).toEqual(
    records.map(({ name, text }) => {
      const [number, title] = [name.slice(0, 4), text.split('\n')[0]?.slice('# 0000. '.length)]
      return `| [${number}](${name}) | ${title} | ${lineOf(text, 'Date')} | ${lineOf(text, 'Status')} |`
    }),
  )
})
