import { writeFileSync } from 'node:fs'
import type { Argument, Command, Option } from 'commander'
import { COMMANDS } from '../../main/cli/commands.ts'
import { EXIT_WORDS } from '../../main/cli/parts/options.ts'
import { commandLine, exampleOf } from '../../main/cli/run-line.ts'
import type { Ports } from '../../main/core/all-ports.ts'

/**
 * The reference of the command line, docs/cli.md, from the program itself. `npm run docs:cli` writes it; test/cli-reference.test.ts fails
 * when it is stale.
 */
export function cliReference(): string {
  // Describing commands runs none of them, so no port is needed.
  const program = commandLine({} as Ports, COMMANDS, () => undefined)
  return [
    '# Command-line reference',
    '',
    '<!-- Generated from the command definitions by `npm run docs:cli`. Do not edit. -->',
    '',
    program.description(),
    '',
    'Messages and progress go to stderr. With `--json`, a command prints one JSON document to stdout.',
    'Every command accepts `--help`. A passphrase is never read from arguments or the environment.',
    '',
    ...exitCodes(),
    ...commandsOf(program).flatMap(topLevel),
  ]
    .join('\n')
    .replace(/\n+$/, '\n')
}

function exitCodes(): readonly string[] {
  return [
    '## Exit codes',
    '',
    'These apply to every command. If several apply, the worst one is used, in the order 1, 130, 2, 5, 3, 4, 0.',
    '',
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(EXIT_WORDS).map(([code, words]) => `| ${code} | ${words} |`),
    '',
  ]
}

const commandsOf = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((sub) => command.commands.includes(sub))

function topLevel(command: Command): readonly string[] {
  return [
    `## ${command.name()}`,
    '',
    `${command.description()}.`,
    '',
    ...details(command, command.name()),
    ...commandsOf(command).flatMap((sub) => {
      const path = `${command.name()} ${sub.name()}`
      return [`### ${path}`, '', `${sub.description()}.`, '', ...details(sub, path)]
    }),
  ]
}

/** Usage, arguments, options and example of a command that runs by itself. */
function details(command: Command, path: string): readonly string[] {
  const options = command.options.filter(({ hidden }) => !hidden)
  // A group has no options of its own; one that has some runs without a subcommand as well.
  if (command.commands.length > 0 && options.length === 0) return []
  const words = command.registeredArguments.map((one) => ` ${argumentText(one)}`).join('')
  const example = exampleOf(path)
  return [
    '```',
    `barewitness ${path}${options.length === 0 ? '' : ' [options]'}${words}`,
    '```',
    '',
    ...table('argument', command.registeredArguments.map(argumentRow)),
    ...table('option', options.map(optionRow)),
    ...(example === null ? [] : ['Example:', '', '```', example, '```', '']),
  ]
}

const table = (column: string, rows: readonly string[]): readonly string[] =>
  rows.length === 0 ? [] : [`| ${column} | description | default |`, '|---|---|---|', ...rows, '']

const argumentText = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

const argumentRow = (argument: Argument): string =>
  row(argumentText(argument), `${argument.description}${choices(argument.argChoices)}`, argument.defaultValue)

const optionRow = (option: Option): string =>
  row(option.flags, `${option.description}${option.mandatory ? ' (required)' : ''}`, option.defaultValue)

const choices = (words: readonly string[] | undefined): string => (words === undefined ? '' : `: ${words.join(', ')}`)

function row(name: string, description: string, value: unknown): string {
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  return `| \`${name}\` | ${description.replaceAll('|', '\\|')} | ${isEmpty ? '' : `\`${String(value)}\``} |`
}

if (process.argv[1]?.endsWith('generate-cli-reference.ts') === true)
  writeFileSync(new URL('../../docs/cli.md', import.meta.url), cliReference())
