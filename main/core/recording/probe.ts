import { plain } from '../base/plain-text.ts'
import type { CapturedAnswer } from './recording.ts'

// A line comment, because a star in a path would end a block comment. A constant path pattern that the node’s own shell expands, such as
// /sys/block/dm-*/dm/uuid. Always absolute, never quoted.
export interface Glob {
  readonly glob: string
}

/**
 * One exact command, none of which ever comes from a node. `as: 'root'` runs directly where the session is root, through `sudo -n` with exact
 * arguments where the fleet file allows sudo, and is otherwise recorded as not run.
 */
export interface RunCommand {
  readonly kind: 'run'
  readonly argv: readonly [string, ...(string | Glob)[]]
  readonly as: 'user' | 'root'
  /** Seconds after which the node ends the command. Default 20. */
  readonly timeoutSeconds?: number
  /** Bytes of stdout kept; one more byte marks the capture as truncated. Default 4 MiB. */
  readonly maxBytes?: number
  /**
   * Constant paths of which at least one must exist for the command to have an answer. Where the node’s file system shows that none does, the
   * command is not run and is recorded as `no-path`. Where existence cannot be determined without more rights, it is run like any other.
   */
  readonly needsPath?: readonly [string, ...string[]]
  /**
   * The beginning of a line that every complete answer contains, apart from leading spaces: output that the tool prints on any system, such as the
   * content of a file that always exists and is requested along with the others. It distinguishes “there are none” from an answer that was
   * withheld; without it, the answer counts as not read.
   */
  readonly control?: string
}

/** A measurement by the collector itself: of the session, with its own clock, or of ports that it reaches through the session. */
export interface MeasureCommand {
  readonly kind: 'measure'
  readonly measure: 'ssh-session' | 'host-key-list' | 'ssh-offers' | 'nonce-echo' | 'tls-listeners' | 'ssh-servers'
}

export type Command = RunCommand | MeasureCommand

export type Parsed<F> = { readonly ok: true; readonly fact: F } | { readonly ok: false; readonly reason: string }

/** An answer as passed to a parser: decoded as UTF-8 (invalid bytes become U+FFFD), with the bytes for binary formats. */
export interface Answer {
  readonly exitCode: number
  readonly text: string
  readonly errorText: string
  readonly bytes: Uint8Array
  /** Duration by the node’s own clock, and by the collecting computer’s between its first and its last frame (live tests only). */
  readonly seconds: { readonly node: number | null; readonly collectingComputer: number | null }
}

/**
 * A question to a node: the exact commands, and a pure parser of their output. `parse` receives complete answers only. Where they state no fact, it
 * returns a reason in plain words. It never throws, whatever the bytes.
 */
export interface Probe<F = unknown, C extends string = string> {
  readonly id: string
  readonly title: string
  /** Shown to the owner of the node before anything runs. */
  readonly why: string
  /** The probe measures and therefore loads a processor for seconds; it runs only where live tests were requested. Its commands run in order. */
  readonly live?: true
  /**
   * Runs only where a person chose it. `metadata` sends requests from the node to the provider’s metadata service, or reads data signed by that
   * service, which some systems accept as a login.
   */
  readonly optIn?: 'metadata'
  /** Entries that the question causes in the node’s logs besides the collecting login, one sentence each; shown before anything runs. */
  readonly leaves?: readonly string[]
  /** What changes by itself on an unmodified host. Absent: two readings of an unchanged host are equal. */
  readonly ignoredInDrift?: IgnoredInDrift<F>
  readonly commands: Readonly<Record<C, Command>>
  readonly parse: (answers: Readonly<Record<C, Answer>>) => Parsed<F>
}

interface IgnoredInDrift<F> {
  /** What changes, and why it is no change of the host. */
  readonly why: string
  /** The reading without the changing part; null where nothing remains. */
  // Declared as a method, so that a list can contain probes of any type.
  normalize(fact: F): unknown
}

export const known = <F>(fact: F): Parsed<F> => ({ ok: true, fact })
export const unknown = (reason: string): Parsed<never> => ({ ok: false, reason })

/** Identity function that infers the precise types of a probe. */
export const defineProbe = <F, C extends string>(probe: Probe<F, C>): Probe<F, C> => probe

/** Short form of a command for the catalog. */
export const run = (argv: RunCommand['argv'], options: Omit<RunCommand, 'kind' | 'argv' | 'as'> = {}): RunCommand => ({
  kind: 'run',
  argv,
  as: 'user',
  ...options,
})
export const runAsRoot = (
  argv: RunCommand['argv'],
  options: Omit<RunCommand, 'kind' | 'argv' | 'as'> = {},
): RunCommand => ({
  kind: 'run',
  argv,
  as: 'root',
  ...options,
})
export const glob = (pattern: string): Glob => ({ glob: pattern })

const SUDO_REFUSED = /^sudo: |is not allowed to (execute|run)|may not run sudo/m

// Warnings that sudo prints before it runs the command regardless: a host name that does not resolve (any version), and a limit that it may not set
// inside a container (before 1.9.1, as on Ubuntu 20.04). They show nothing about the answer.
const SUDO_REMARKS = /^sudo: (?:unable to resolve host |setrlimit\()[^\n]*\n?/gm

// Tools written in Rust, such as the coreutils of Ubuntu from 25.10, append the error number to a message (Display of std::io::Error); the words
// before it are those of the C library, as other tools print them.
const RUST_ERROR_NUMBERS = / \(os error \d{1,4}\)$/gm

/** What sudo itself printed first on stderr, such as “unable to resolve host …”; null where it printed nothing. */
export function sudoRemark({ meta, stderr }: CapturedAnswer): string | null {
  if (meta.privilege !== 'sudo' && meta.argv[0] !== 'sudo') return null
  const text = new TextDecoder().decode(stderr.subarray(0, 4096))
  const words = /^sudo: ([^\n]{1,200})/m.exec(text)?.[1]
  return words === undefined ? null : plain(words, 200)
}

/** The stderr of a command, without sudo’s own warnings and without error numbers. */
const errorTextOf = ({ meta, stderr }: CapturedAnswer): string => {
  const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
    .decode(stderr)
    .replaceAll(RUST_ERROR_NUMBERS, '')
  return meta.privilege === 'sudo' ? text.replaceAll(SUDO_REMARKS, '') : text
}

// The first line of bb_show_usage() (libbb/appletlib.c), which an applet prints in place of an answer.
const BUSYBOX_USAGE = /^BusyBox v[^\n]{1,200} multi-call binary\.$/m

/** Precedes the paths on the stderr of a command that was not run because none of them exists. */
export const NO_SUCH_PATH = 'no such path: '

/** Reason without a live test that was not requested, which is no gap; a requested one without an answer is. */
export const LIVE_NOT_ASKED = 'not collected: live tests were not asked for'
export const LIVE_UNANSWERED = 'not collected: live tests were asked for and this one was not answered'
/** The same for questions to the provider’s metadata service. */
export const METADATA_NOT_ASKED = 'not collected: the provider’s metadata service was not queried'
export const METADATA_UNANSWERED =
  'not collected: the provider’s metadata service was queried, and gave no answer to this'

/** Whether a probe has no answer because it was not requested, which is no gap. */
export const wasNotAsked = (reading: Parsed<unknown>): boolean =>
  !reading.ok && (reading.reason === LIVE_NOT_ASKED || reading.reason === METADATA_NOT_ASKED)

/** Whether a probe was not read because sudo took too long: it stated so, or was not asked again afterwards. */
export const wasSlowSudo = (reading: Parsed<unknown>): boolean =>
  !reading.ok && (reading.reason.startsWith(SUDO_STOPPED) || reading.reason.startsWith(SUDO_SLOW))
const SUDO_STOPPED = 'not collected: not asked, since sudo had taken too long'
const SUDO_SLOW = 'not usable: sudo took too long'

/** What a recording requested in addition to the ordinary probes, as it states. */
export interface AskedFor {
  readonly liveTests?: boolean
  readonly metadata?: boolean
}

/** Whether such a collection includes a probe. */
export const isAskedFor = ({ live, optIn }: Probe<unknown>, { liveTests, metadata }: AskedFor): boolean =>
  (live !== true || liveTests === true) && (optIn !== 'metadata' || metadata === true)

/** Selects these members of a recording or a run. */
export const askedFor = ({ liveTests, metadata }: AskedFor): AskedFor => ({
  liveTests: liveTests === true,
  metadata: metadata === true,
})

/**
 * Reads a probe from the captures of a recording. Missing, not-run, lost, timed-out and truncated captures give a reason before `parse` is called,
 * so that no probe can omit these cases; so do a missing tool (exit status 127), the usage text of BusyBox and a refused sudo line. A command whose
 * path does not exist is read as if its tool had reported that. `asked` is what the recording states about itself; without it, live tests and
 * metadata questions without any capture count as not requested.
 */
export function readProbe<F>(
  probe: Probe<F>,
  captures: ReadonlyMap<string, CapturedAnswer>,
  asked: AskedFor = {},
): Parsed<F> {
  const answers: Record<string, Answer> = {}
  for (const [name, command] of Object.entries(probe.commands)) {
    const capture = captures.get(captureKey(probe.id, name))
    if (capture === undefined) return unknown(whyMissing(probe, captures, asked))
    const refusal = whyUnusable(capture, command)
    if (refusal !== null) return unknown(refusal)
    if (lacksControl(capture, command))
      return unknown('not usable: the answer lacks what every system answers to this question')
    answers[name] = capture.meta.status === 'no-path' ? withoutPath(command) : decode(capture)
  }
  return probe.parse(answers)
}

function whyMissing(
  { id, live, optIn, commands }: Probe<unknown>,
  captures: ReadonlyMap<string, CapturedAnswer>,
  { liveTests, metadata }: AskedFor,
): string {
  const [isAsked, unanswered, notAsked] =
    live === true
      ? [liveTests === true, LIVE_UNANSWERED, LIVE_NOT_ASKED]
      : optIn === 'metadata'
        ? [metadata === true, METADATA_UNANSWERED, METADATA_NOT_ASKED]
        : [true, 'this was not collected', '']
  return isAsked || Object.keys(commands).some((name) => captures.has(captureKey(id, name))) ? unanswered : notAsked
}

export const captureKey = (probe: string, command: string): string => `${probe}/${command}`

function whyUnusable(capture: CapturedAnswer, command: Command): string | null {
  const { meta } = capture
  const tool = command.kind === 'run' ? command.argv[0] : command.measure
  // The answer to a different question under the same name, from another catalog or forged.
  const [asked, expected] = [meta.argv, argvOf(command)]
  if (asked.length !== expected.length || asked.some((part, at) => part !== expected[at]))
    return `not usable: it was asked in other words than this catalog has (${tool})`
  if (meta.status === 'not-run') return `not collected: needs administrator rights (${tool})`
  if (meta.status === 'not-asked') return `${SUDO_STOPPED} (${tool})`
  if (meta.status === 'timed-out') return whyTimedOut(capture, tool)
  if (meta.status === 'truncated') return `not usable: the answer of ${tool} was cut at the size limit`
  if (meta.status === 'no-path') return whyNotWithoutPath(capture, command)
  if (meta.status === 'lost') return `not collected: the session ended before ${tool} answered`
  if (meta.masked?.['private-key'] !== undefined)
    return 'not usable: a private key was taken out of the answer, with everything between its first and last line'
  if (meta.exitCode === null) return `not usable: ${tool} has no exit status`
  if (meta.exitCode === 127) return `not collected: tool absent (${tool})`
  if (meta.exitCode !== 0 && BUSYBOX_USAGE.test(errorTextOf(capture)))
    return `not collected: the short form of ${tool} on this node (BusyBox) cannot answer this`
  if (meta.privilege === 'sudo' && meta.exitCode === 1) {
    const words = errorTextOf(capture)
    if (/^sudo: .*command not found/m.test(words)) return `not collected: tool absent (${tool})`
    if (SUDO_REFUSED.test(words)) return `not collected: sudo does not allow this line (${tool})`
  }
  return null
}

/** Whether an answer lacks the output that it has on every system. One that was not requested because its paths do not exist counts as complete. */
function lacksControl({ meta, stdout }: CapturedAnswer, command: Command): boolean {
  const control = command.kind === 'run' ? command.control : undefined
  if (control === undefined || meta.status === 'no-path') return false
  return !new TextDecoder('latin1')
    .decode(stdout)
    .split('\n')
    .some((line) => line.trimStart().startsWith(control))
}

/** Where sudo printed something before its command began, or was itself the question, sudo is named; otherwise the cause may be either. */
function whyTimedOut(capture: CapturedAnswer, tool: string): string {
  const remark = sudoRemark(capture)
  if (remark !== null) return `${SUDO_SLOW} (${tool}): ${remark}`
  if (tool === 'sudo') return `${SUDO_SLOW} (${tool})`
  return `not usable: ${tool}${capture.meta.privilege === 'sudo' ? ', asked through sudo,' : ''} did not finish in time`
}

/** A missing path must be stated for exactly the paths that this catalog requests. */
function whyNotWithoutPath({ stderr }: CapturedAnswer, command: Command): string | null {
  const paths = command.kind === 'run' ? command.needsPath : undefined
  const message = new TextDecoder().decode(stderr).trimEnd()
  return paths !== undefined && message === NO_SUCH_PATH + paths.join(' ')
    ? null
    : 'not usable: it names another path than this catalog asks for'
}

/** The answer of any tool that opens files for one that does not exist, in the words of strerror(3). */
function withoutPath(command: Command): Answer {
  const paths = (command.kind === 'run' ? command.needsPath : undefined) ?? []
  return {
    exitCode: 2,
    text: '',
    errorText: paths.map((path) => `${path}: No such file or directory\n`).join(''),
    bytes: new Uint8Array(),
    seconds: { node: null, collectingComputer: null },
  }
}

/** The arguments of a command as captures state them: patterns as text, a measurement by its name. */
export const argvOf = (command: Command): readonly string[] =>
  command.kind === 'run' ? command.argv.map((part) => (typeof part === 'string' ? part : part.glob)) : [command.measure]

function decode(capture: CapturedAnswer): Answer {
  const { meta, stdout } = capture
  const utf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  return {
    exitCode: meta.exitCode ?? 255,
    text: utf8.decode(stdout),
    errorText: errorTextOf(capture),
    bytes: stdout,
    seconds: {
      node: meta.source === 'node' ? meta.durationMs / 1000 : null,
      collectingComputer: meta.heardMs === undefined ? null : meta.heardMs / 1000,
    },
  }
}

/** Whether a probe needs this measurement and no earlier attempt stored it. */
export const needsMeasure = (
  probes: readonly Probe<unknown>[],
  measure: MeasureCommand['measure'],
  skip: ReadonlySet<string>,
): boolean =>
  probes.some(({ id, commands }) =>
    Object.entries(commands).some(
      ([name, spec]) => spec.kind === 'measure' && spec.measure === measure && !skip.has(captureKey(id, name)),
    ),
  )
