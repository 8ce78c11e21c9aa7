import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disclosureCommand } from '../main/cli/commands/disclosure.ts'
import { commandLine } from './support/command-line.ts'
import { keepingKit } from './support/keeping-kit.ts'
import { packOf } from './support/kept-runs.ts'
import { leaveReserved, withoutLinks } from './support/without-links.ts'

const kit = keepingKit()
const cli = commandLine(() => kit.ports, disclosureCommand)

/** What `disclosure …` prints to stdout, as JSON, and its exit code. */
async function printed(...argv: readonly string[]): Promise<{ readonly code: number; readonly json: unknown }> {
  const code = await cli.run('redact', ...argv)
  return { code, json: JSON.parse(cli.printed) }
}

test('--json prints what was written, and what a copy discloses, part by part', async () => {
  const root = kit.root()
  await kit.run('run-1', '2026-11-18T10:00:00.000Z')
  const copy = join(root, 'copy.zip')
  const why = ['--redacted-by', 'Owner', '--reason', 'not asked for']
  const made = await printed(
    ...['create', packOf(root, 'run-1'), '--out', copy, ...why],
    ...['--redact-node', 'node-a', '--json'],
  )
  expect(made).toMatchObject({ code: 0, json: { copy, underivable: { verdicts: expect.any(Array) } } })
  const none = join(root, 'none.zip')
  const asked = ['create', packOf(root, 'run-1'), '--out', none, ...why, '--redact-node', 'node-a']
  const previewed = await printed(...asked, '--preview', '--json')
  const { underivable } = made.json as { readonly underivable: unknown }
  expect([previewed, existsSync(none)]).toEqual([{ code: 0, json: { copy: null, underivable } }, false])
  const all = (await printed('show', copy, '--json')).json as {
    files: { unit: number; withheld: { of: string; part: number }[] }[]
  }
  expect(all).toMatchObject({ copy, problems: [] })
  expect(all.files.map(({ unit }) => unit)).toEqual(all.files.map((_, index) => index + 1))
  const first = all.files.find(({ withheld }) => withheld.some(({ of }) => of === 'content'))
  const place = first?.withheld.find(({ of }) => of === 'content')
  if (first === undefined || place === undefined) throw new Error('nothing is withheld')
  const one = await printed('show', copy, '--json', '--file-number', `${first.unit}`)
  expect(one.json).toMatchObject({ files: [{ unit: first.unit, text: expect.any(String) }] })
  const reveal = join(root, 'reveal.json')
  const at = ['--file-number', `${first.unit}`, '--part-number', `${place.part}`]
  expect(await printed('reveal', packOf(root, 'run-1'), copy, ...at, '--out', reveal, '--json')).toEqual({
    code: 0,
    json: { reveal, unit: first.unit, of: 'content', part: place.part },
  })
  const opened = join(root, 'opened.zip')
  expect(await printed('apply', copy, reveal, '--out', opened, '--json')).toEqual({
    code: 0,
    json: { copy: opened, reveal },
  })
})

test('a copy takes over a name that a killed process had reserved', async () => {
  const root = kit.root()
  await kit.run('run-1', '2026-11-18T10:00:00.000Z')
  const [copy, other] = [join(root, 'copy.zip'), join(root, 'other.zip')]
  const asked = ['create', packOf(root, 'run-1'), '--redacted-by', 'Owner', '--reason', 'x', '--redact-node', 'node-a']
  expect(await cli.run('redact', ...asked, '--out', copy)).toBe(0)
  leaveReserved(other)
  expect(await cli.run('redact', ...asked, '--out', other)).not.toBe(0)
  withoutLinks()
  expect(await cli.run('redact', ...asked, '--out', other)).toBe(0)
  expect(readFileSync(other).equals(readFileSync(copy))).toBe(true)
})
