import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { failureWords } from '../../../schemas/failure-words.ts'
import { firstLineOf, ownersFile } from '../../adapters/secret-file.ts'
import type { Ports } from '../../core/all-ports.ts'
import { type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { IdentityInfo } from '../../core/ports/identities.ts'
import type { Clock, RunEvent } from '../../core/ports/ports.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { askSecret, hasTerminal } from './secret-prompt.ts'

/** For commands that otherwise print text. */
export const JSON_OUTPUT = ['--json', 'Print JSON'] as const
export const AS_OF = ['--as-of <time>', 'Evaluation date (UTC, ISO 8601); default now'] as const
export const POPULATION = ['--fleet <file>', 'Fleet file whose nodes are the declared population'] as const
export const CHECK_CONFIG = [
  '--check-config',
  'Validate the configuration with the files that it names and exit',
] as const

/** Off by default, because live tests load the node. */
export const LIVE_TESTS = [
  '--live-tests',
  'Also run live tests: bounded measurements that use one processor of each node for less than a minute',
] as const

/** For schedulers that must not stop on deviations. */
export const DEVIATIONS_EXIT_ZERO = [
  '--deviations-exit-zero',
  'Exit with 0 instead of 3 if deviations are the only problem',
] as const

/** The option that selects frameworks. */
export const FRAMEWORKS = [
  '--framework <list>',
  'Comma-separated frameworks: hipaa, soc2, nprm, nist-800-53, csf-2, iso-27001, pci-dss-4 and mappings of the fleet file; default hipaa,soc2 and those mappings',
] as const

/** "hipaa,soc2" as names; undefined without the option. Unknown names are refused later, once the mappings are read. */
export const frameworkList = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')

/** The time of an option as UTC with milliseconds; now without the option. Fails with input.refused. */
export function instant(option: string, text: string | undefined, clock: Clock): Outcome<string> {
  if (text === undefined) return ok(clock.now())
  const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text)
  const time = iso ? Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text) : Number.NaN
  if (Number.isNaN(time))
    return fail('input.refused', `${option}: “${text}” is not a UTC time. Enter a time such as 2026-11-21T09:00:00Z`)
  return ok(new Date(time).toISOString())
}

/** For a command that creates a file: fails with input.refused if the path exists or its parent is not a folder. */
export const newFile = (path: string): Outcome<null> => checkedNew(path, !isThere(path))

/** As newFile(), for a pack: a name that a killed process reserved for one is free. */
export const newPack = async ({ packs }: Pick<Ports, 'packs'>, path: string): Promise<Outcome<null>> =>
  checkedNew(path, await packs.isFree(path))

function checkedNew(path: string, isFree: boolean): Outcome<null> {
  const parent = dirname(path)
  if (kindOf(parent) === 'other')
    return fail('input.refused', `${path} cannot be created: ${parent} is not a folder; nothing was written`)
  return isFree ? ok(null) : fail('input.refused', `${path} already exists; nothing was written`)
}

/** As newFile(), but the folder must exist: a mistyped path must not create folders for a key. */
export function newFileInFolder(path: string): Outcome<null> {
  const fresh = newFile(path)
  return fresh.ok && kindOf(dirname(path)) === 'missing'
    ? fail('input.refused', `the folder ${dirname(path)} does not exist; nothing was written`)
    : fresh
}

/** True for a dangling link, too. A path that cannot be inspected counts as absent: writing it fails with the reason. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** The kind of a path. A path that continues below a file is not a folder. */
function kindOf(path: string): 'folder' | 'missing' | 'other' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'other'
  } catch (problem) {
    return problem instanceof Error && 'code' in problem && problem.code === 'ENOTDIR' ? 'other' : 'missing'
  }
}

/** A whole number from 1. Fails with input.refused. */
export const countedNumber = (option: string, text: string): Outcome<number> =>
  /^[1-9]\d{0,8}$/.test(text)
    ? ok(Number(text))
    : fail('input.refused', `${option}: “${text}” is not a whole number of at least 1`)

/** Ends a command with input.refused before it starts if --identity-folder or --chain names something other than a folder. */
export const withFoldersChecked = (command: Command): Command =>
  command.hook('preAction', (_, acting) => {
    const { identityFolder, chain } = acting.opts<{ identityFolder?: unknown; chain?: unknown }>()
    for (const folder of [identityFolder, chain]) {
      if (typeof folder !== 'string' || kindOf(folder) !== 'other') continue
      const detail = `${folder} is not a folder; nothing was written`
      printFailure({ code: 'input.refused', detail })
      throw new CommanderError(EXIT.usage, 'input.refused', detail)
    }
  })

export { EXIT, EXIT_WORDS, type ExitCode, worst, worstOf } from './exit-codes.ts'

/** Passed to every command: the ports, and the sink for its exit code. */
export interface Context {
  readonly ports: Ports
  readonly program: Command
  /** Sets the code that the process ends with when the command returns. */
  readonly exit: (code: ExitCode) => void
}

/** The exit code of a command that a failure ends. */
export function codeOf({ code }: Failure): ExitCode {
  if (code === 'bug') return EXIT.bug
  if (code === 'pack.repacked') return EXIT.incomplete
  if (code === 'pack.demo') return EXIT.usage
  if (code === 'pack.stopped') return EXIT.stopped
  if (code.startsWith('pack.') || code.startsWith('seal.') || code === 'recording.altered' || code === 'rules.refused')
    return EXIT.notVerified
  if (code.startsWith('timestamp.') || code.startsWith('revocation.')) return EXIT.incomplete
  if (code === 'run.cancelled') return EXIT.stopped
  if (
    code === 'notice.undelivered' ||
    code === 'delivery.failed' ||
    code.startsWith('ssh.') ||
    code.startsWith('collector.') ||
    code === 'store.failed'
  )
    return EXIT.incomplete
  return EXIT.usage
}

export function endWith(context: Context, failure: Failure): void {
  printFailure(failure)
  context.exit(codeOf(failure))
}

export interface FolderOption {
  readonly identityFolder?: string
}

/** The folder of signing identities. */
export const folderOf = (context: Context, { identityFolder }: FolderOption): string =>
  identityFolder ?? context.ports.identities.defaultFolder

export const withFolder = (command: Command): Command =>
  command.option('--identity-folder <folder>', 'Folder of signing identities')
export const withPassphrase = (command: Command): Command =>
  withFolder(command)
    .option('--passphrase-fd <number>', 'Read the passphrase or token PIN from this file descriptor')
    .option('--passphrase-file <file>', 'Read the passphrase or token PIN from a file that only you can read')

/** Prints an identity after a change, or the failure of that change. */
export function printIdentity(context: Context, outcome: Outcome<IdentityInfo>, what: string, ...more: string[]): void {
  if (!outcome.ok) {
    endWith(context, outcome.error)
    return
  }
  printLine(`${what} ${outcome.value.name}: ${plain(outcome.value.subject)}`)
  printLine(`  certificate (SHA-256) ${outcome.value.fingerprint}, valid until ${outcome.value.notAfter}`)
  for (const line of more) printLine(`  ${line}`)
}

/** People read stderr; machines read stdout, and only with --json. */
export const printLine = (text: string): void => void process.stderr.write(`${text}\n`)
export const emit = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
/** Text that is itself the output of a command, such as a script or a sudoers file. */
export const emitText = (text: string): void => void process.stdout.write(text)

/** Prints what happened, the effect on the evidence, and the next step. */
export function printFailure(failure: Failure): void {
  const words = failureWords[failure.code]
  const where = failure.node === undefined ? '' : `${failure.node}: `
  printLine(`${where}${words.title}: ${plain(failure.detail, 1000)}`)
  printLine(`  ${words.meaning}`)
  printLine(`  Next: ${words.next}`)
}

/** Progress of a run: one rewritten line on a terminal, a line per node otherwise. */
export function progressTo(
  stream: NodeJS.WriteStream,
  stored: (captures: number) => string = (captures) => `${captures} captures stored`,
): (event: RunEvent) => void {
  let total = 0
  let finished = 0
  const moving = new Map<string, string>()
  const line = (text: string): void => void stream.write(stream.isTTY ? `\r\u001b[2K${text}\n` : `${text}\n`)
  const bar = (): void => {
    if (!stream.isTTY) return
    const width = 24
    const filled = total === 0 ? 0 : Math.round((finished / total) * width)
    const busiest = [...moving].slice(0, 2).map(([node, word]) => `${node} ${word}`)
    const text = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${finished} of ${total} nodes  ${busiest.join(', ')}`
    stream.write(`\r\u001b[2K${text.slice(0, (stream.columns ?? 80) - 1)}`)
  }
  return (event) => {
    if (event.kind === 'run-started') total = event.nodes.length
    if (event.kind === 'node-connecting') moving.set(event.node, 'connecting')
    if (event.kind === 'node-collecting') moving.set(event.node, `${event.done}/${event.total}`)
    if (event.kind === 'node-timing') moving.set(event.node, `measuring latency, ${event.secondsLeft} s left`)
    if (event.kind === 'node-done' || event.kind === 'node-failed') {
      finished += 1
      moving.delete(event.node)
      if (event.kind === 'node-done') {
        line(`${event.node}: ${stored(event.captures)}${event.partial ? ', partial' : ''}`)
        if (event.sudoRefused !== undefined) line(sudoText(event.sudoRefused))
      } else
        line(
          `${event.node}: ${failureWords[event.code as keyof typeof failureWords]?.title ?? event.code} (${plain(event.detail, 300)})`,
        )
    }
    if (event.kind === 'run-done' && stream.isTTY) stream.write('\r\u001b[2K')
    else bar()
  }
}

export interface PassphraseOptions {
  readonly passphraseFd?: string
  readonly passphraseFile?: string
}

/** For a node whose sudo completed no command, with its message: what is missing, and what to do. */
const sudoText = (message: string): string =>
  `  sudo completed no command${message === '' ? '' : ` (${plain(message, 200)})`}; privileged probes have no evidence.\n  Next: Install the file that “barewitness catalog sudoers” prints, then collect again.`

/** The source of one secret, and the name of its options. */
interface SecretSource {
  readonly fd: string | undefined
  readonly file: string | undefined
  readonly option: string
  readonly question: string
}

const SHORTEST = 8

/** A passphrase from a file descriptor, a file that only its owner can read, or a prompt. Never from argv or the environment. */
export const passphrase = (options: PassphraseOptions, question: string): Promise<Outcome<string>> =>
  secretFrom({ fd: options.passphraseFd, file: options.passphraseFile, option: '--passphrase', question })

/** As passphrase(), for the passphrase of a PKCS#12 file. */
export const p12Passphrase = (
  options: { readonly p12PassphraseFd?: string; readonly p12PassphraseFile?: string },
  question: string,
): Promise<Outcome<string>> =>
  secretFrom({ fd: options.p12PassphraseFd, file: options.p12PassphraseFile, option: '--p12-passphrase', question })

/** A new passphrase for a key: at least eight characters, and entered twice at a prompt. Fails with input.refused. */
export async function newPassphrase(options: PassphraseOptions, question: string): Promise<Outcome<string>> {
  const chosen = await passphrase(options, question)
  if (!chosen.ok) return chosen
  if (chosen.value.length < SHORTEST)
    return fail('input.refused', `the passphrase must have at least ${SHORTEST} characters; nothing was created`)
  if (options.passphraseFd !== undefined || options.passphraseFile !== undefined) return chosen
  const again = await askSecret('Repeat the passphrase')
  return again === chosen.value ? chosen : fail('input.refused', 'the passphrases differ; nothing was created')
}

async function secretFrom({ fd, file, option, question }: SecretSource): Promise<Outcome<string>> {
  if (fd !== undefined) {
    const number = Number(fd)
    if (!/^\d+$/.test(fd) || !Number.isSafeInteger(number))
      return fail('input.refused', `${option}-fd must be a file descriptor number`)
    return firstLineOf(number, `file descriptor ${fd}`)
  }
  if (file !== undefined) return ownersFile(file, 'passphrase')
  const answer = await askSecret(question)
  if (answer !== null) return ok(answer)
  const why = hasTerminal() ? 'no passphrase was entered' : 'no terminal for the passphrase prompt'
  return fail('input.refused', `${why}; use ${option}-file or ${option}-fd`)
}
