import type { CapturedAnswer } from './recording.ts'

// A star in a path would end a block comment, hence the line comments here.
// A constant path pattern that the node's own shell expands, such as /sys/block/dm-*/dm/uuid. Always absolute, never quoted.
export interface Glob {
  readonly glob: string
}

/**
 * One exact command. Nothing in it ever comes from a node. `as: 'root'` runs directly when we are root, through exact-argv
 * `sudo -n` when the fleet file allows sudo, and else is recorded as not run.
 */
export interface RunCommand {
  readonly kind: 'run'
  readonly argv: readonly [string, ...(string | Glob)[]]
  readonly as: 'user' | 'root'
  /** Seconds after which the node itself ends the command. Default 20. */
  readonly timeoutSeconds?: number
  /** Bytes of stdout kept; one more byte marks the capture truncated. Default 4 MiB. */
  readonly maxBytes?: number
}

/** Something the collector observes about the session itself, with our own clock. */
export interface MeasureCommand {
  readonly kind: 'measure'
  readonly measure: 'ssh-session' | 'nonce-echo'
}

export type Command = RunCommand | MeasureCommand

export type Parsed<F> = { readonly ok: true; readonly fact: F } | { readonly ok: false; readonly reason: string }

/** An answer as a parser sees it: decoded as UTF-8 (invalid bytes become U+FFFD), with the bytes for binary formats. */
export interface Answer {
  readonly exitCode: number
  readonly text: string
  readonly errorText: string
  readonly bytes: Uint8Array
}

/**
 * A question put to a node: the exact commands, and a pure reading of what came back. `parse` gets complete answers only;
 * it returns a reason, in words a person can read, when they do not say. It never throws, whatever the bytes.
 */
export interface Probe<F = unknown, C extends string = string> {
  readonly id: string
  readonly title: string
  /** Shown to the server's owner before anything runs. */
  readonly why: string
  readonly commands: Readonly<Record<C, Command>>
  readonly parse: (answers: Readonly<Record<C, Answer>>) => Parsed<F>
}

export const known = <F>(fact: F): Parsed<F> => ({ ok: true, fact })
export const unknown = (reason: string): Parsed<never> => ({ ok: false, reason })

/** Identity function that gives a probe its precise types. */
export const defineProbe = <F, C extends string>(probe: Probe<F, C>): Probe<F, C> => probe

/** A command for the catalog, in short form. */
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

/**
 * Reads a probe from a recording's captures. Missing, not-run, lost, timed-out and truncated captures give a reason before
 * `parse` is called, so that no probe can forget to look; so do a missing tool (exit 127) and a refused sudo line.
 */
export function readProbe<F>(probe: Probe<F>, captures: ReadonlyMap<string, CapturedAnswer>): Parsed<F> {
  const answers: Record<string, Answer> = {}
  for (const [name, command] of Object.entries(probe.commands)) {
    const capture = captures.get(captureKey(probe.id, name))
    const refusal = capture === undefined ? 'this was not collected' : whyUnusable(capture, command)
    if (refusal !== null || capture === undefined) return unknown(refusal ?? 'this was not collected')
    answers[name] = decode(capture)
  }
  return probe.parse(answers)
}

export const captureKey = (probe: string, command: string): string => `${probe}/${command}`

function whyUnusable({ meta, stderr }: CapturedAnswer, command: Command): string | null {
  const tool = command.kind === 'run' ? command.argv[0] : command.measure
  if (meta.status === 'not-run') return `not collected: needs administrator rights (${tool})`
  if (meta.status === 'timed-out') return `not usable: ${tool} did not finish in time`
  if (meta.status === 'truncated') return `not usable: the answer of ${tool} was cut at the size limit`
  if (meta.status === 'lost') return `not collected: the session ended before ${tool} answered`
  if (meta.exitCode === null) return `not usable: ${tool} has no exit status`
  if (meta.exitCode === 127) return `not collected: tool absent (${tool})`
  if (meta.privilege === 'sudo' && meta.exitCode === 1) {
    const said = new TextDecoder().decode(stderr)
    if (/^sudo: .*command not found/m.test(said)) return `not collected: tool absent (${tool})`
    if (SUDO_REFUSED.test(said)) return `not collected: sudo does not allow this line (${tool})`
  }
  return null
}

function decode({ meta, stdout, stderr }: CapturedAnswer): Answer {
  const utf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  return { exitCode: meta.exitCode ?? 255, text: utf8.decode(stdout), errorText: utf8.decode(stderr), bytes: stdout }
}
