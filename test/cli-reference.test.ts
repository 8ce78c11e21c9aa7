import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../main/cli/commands.ts'
import { EXIT, EXIT_WORDS } from '../main/cli/parts/options.ts'
import { commandLine, FORMER_COMMANDS, FORMER_OPTIONS, withCurrentCommand } from '../main/cli/run-line.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { cliReference } from './support/generate-cli-reference.ts'

// Describing commands runs none of them, so no port is needed.
const programOf = (): Command => commandLine({} as Ports, COMMANDS, () => undefined)
const commandsBelow = (command: Command): readonly Command[] =>
  command.commands.flatMap((one) => [one, ...commandsBelow(one)])
const pathOf = (command: Command): string =>
  command.parent === null || command.parent.parent === null
    ? command.name()
    : `${pathOf(command.parent)} ${command.name()}`
const at = (program: Command, path: string): Command => {
  const found = commandsBelow(program).find((command) => pathOf(command) === path)
  if (found === undefined) throw new Error(`there is no command ${path}`)
  return found
}

test('docs/cli.md is what `npm run docs:cli` writes', () => {
  expect(readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8')).toBe(cliReference())
})

test('the reference has each exit code once', () => {
  expect(Object.keys(EXIT_WORDS).map(Number).sort()).toEqual(Object.values(EXIT).sort())
  for (const [code, words] of Object.entries(EXIT_WORDS)) expect(cliReference()).toContain(`| ${code} | ${words} |`)
})

describe('descriptions', () => {
  test.each(commandsBelow(programOf()).map((command) => [pathOf(command), command.description()]))('%s', (_, text) => {
    expect(text).toMatch(/^[A-Z]/)
    expect(text).not.toMatch(/\.$/)
    expect(text.length).toBeLessThanOrEqual(80)
  })
})

describe('former commands', () => {
  /** Where an argument list ends: the command that would run, and the help that would print. */
  const resolved = (args: readonly string[]): string => {
    let command = programOf()
    for (const word of args) command = command.commands.find((sub) => sub.name() === word) ?? command
    return pathOf(command)
  }

  test.each([
    ['except request', 'acceptance request'],
    ['except approve', 'acceptance approve'],
    ['except refuse', 'acceptance reject'],
    ['except withdraw', 'acceptance withdraw'],
    ['except sign', 'acceptance sign'],
    ['except list', 'acceptance list'],
    ['except decide', 'decision add'],
    ['record add', 'document add'],
    ['record ask', 'document request'],
    ['record explain', 'document explain'],
    ['disclosure create', 'redact create'],
    ['disclosure show', 'redact show'],
    ['disclosure reveal', 'redact reveal'],
    ['disclosure apply', 'redact apply'],
    ['seal', 'timestamp add'],
    ['refresh', 'timestamp renew'],
    ['vantage record', 'vantage measure'],
    ['history retain', 'history prune'],
    ['chain gap', 'chain missed-run'],
  ])('%s is %s', (former, current) => {
    const args = withCurrentCommand([...former.split(' '), 'x', '--json'])
    expect(args).toEqual([...current.split(' '), 'x', '--json'])
    expect(resolved(args)).toBe(current)
    expect(withCurrentCommand(['help', ...former.split(' ')])).toEqual(['help', ...current.split(' ')])
  })

  test('a current command stays as it is, and no former one is shown', () => {
    const shown = commandsBelow(programOf()).map(pathOf)
    for (const path of shown) expect(withCurrentCommand(path.split(' '))).toEqual(path.split(' '))
    for (const [former] of FORMER_COMMANDS) expect(shown).not.toContain(former)
    expect(withCurrentCommand([])).toEqual([])
    expect(withCurrentCommand(['verify', 'seal'])).toEqual(['verify', 'seal'])
  })
})

describe('former options', () => {
  const table = Object.entries(FORMER_OPTIONS).flatMap(([path, pairs]) =>
    pairs.map(([former, current]) => [path, former, current] as const),
  )

  /** The options that a command has after parsing, without running it or checking the required ones. */
  const parsed = (path: string, args: readonly string[]): unknown => {
    const command = at(programOf(), path)
    command.parseOptions([...args])
    return command.opts()
  }

  test('every former option of the vocabulary is in the table', () => {
    expect(new Set(table.map(([, former]) => former))).toEqual(
      new Set(
        [
          'also even-in-periods for gaps-exit-zero how jitter last-head measure need no-catch-up of-name part place',
          'said-by save-head shows unit until who why withhold withhold-file withhold-node',
        ]
          .join(' ')
          .split(' ')
          .map((name) => `--${name}`),
      ),
    )
  })

  test.each(table)('%s %s sets %s and is not shown', (path, former, current) => {
    const value = /exit-zero|of-name|no-catch-up|in-periods/.test(former) ? [] : ['one']
    expect(parsed(path, [former, ...value])).toEqual(parsed(path, [current, ...value]))
    expect(parsed(path, [former, ...value])).not.toEqual(parsed(path, []))
    expect(at(programOf(), path).helpInformation()).not.toMatch(new RegExp(`${former}(?![-a-z])`))
  })

  test('values of a list go together under either name', () => {
    expect(parsed('redact create', ['--withhold', 'ipv4', 'mac', '--redact', 'serial'])).toMatchObject({
      redact: ['ipv4', 'mac', 'serial'],
    })
    expect(parsed('redact create', [])).toMatchObject({ redact: [] })
  })

  test('a required option is there under its former name', async () => {
    const program = programOf()
    const given: unknown[] = []
    at(program, 'chain missed-run').action((options: unknown) => {
      given.push(options)
    })
    const former = ['chain', 'gap', '--chain', 'c', '--fleet', 'f', '--due', '2026-01-01', '--why', 'power cut']
    await program.parseAsync([...withCurrentCommand(former)], { from: 'user' })
    expect(given).toMatchObject([{ reason: 'power cut' }])
  })
})
