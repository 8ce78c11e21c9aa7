import type { Capture } from '../../schemas/types.ts'
import { redact } from './collector/redact.ts'
import { compare, type RecordingOutline } from './recording.ts'

/** A command in the sudo log. */
export interface LoggedCommand {
  /** Unix time in seconds, by the node’s clock. */
  readonly at: number
  readonly user: string
  /** Reason why sudo rejected it; null where it ran. */
  readonly refused: string | null
  /** Program with path, and arguments as joined by sudo. */
  readonly command: string
}

export interface SudoRow {
  /** `both`: recorded and logged. `only-asked`: recorded, not logged. `only-logged`: logged, not recorded. */
  readonly state: 'both' | 'only-asked' | 'only-logged'
  readonly command: string
  /** "probe/command" of the recording. */
  readonly asked: string | null
  /** Unix time in seconds, by the node’s clock. */
  readonly loggedAt: number | null
  readonly refused: string | null
}

export interface SudoReconciliation {
  /** Ordered: only logged, only recorded, both; each by command. */
  readonly rows: readonly SudoRow[]
  /** Commands that ran after the log was read and therefore cannot be in it. */
  readonly askedLater: number
  /** Log lines of this account from before the collection. */
  readonly earlier: number
  /** Log lines of other accounts during the collection. */
  readonly ofOthers: number
}

export interface SudoWindow {
  /** Node’s clock, Unix time in seconds: start of the collection and reading of the log. */
  readonly from: number
  readonly to: number
  /** Collector’s clock, ISO 8601: reading of the log. */
  readonly readAt: string
}

/** The log and the node’s clock have a resolution of one second each. */
const TOLERANCE_SECONDS = 2

/**
 * Compares the sudo log of the login account with the commands that the recording ran through sudo, one to one: a command that
 * ran twice needs two lines. Arguments are compared without white space and quotation marks, because sudo wraps lines and quotes arguments
 * with blanks only since 1.9. Program paths are ignored, because the commands do not name them.
 * A missing program never reaches the log (exit status 127); lost commands and commands that did not run are not expected in it.
 */
export function reconcileSudo(
  { recording, captures }: RecordingOutline,
  logged: readonly LoggedCommand[],
  window: SudoWindow,
): SudoReconciliation {
  const { user } = recording.node
  const throughSudo = captures.map(({ meta }) => meta).filter(reachedSudo)
  const asked = throughSudo.filter(({ startedAt }) => compare(startedAt, window.readAt) <= 0)
  const within = logged.filter(({ at }) => at >= window.from - TOLERANCE_SECONDS && at <= window.to + TOLERANCE_SECONDS)
  const ours = within.filter((entry) => entry.user === user)
  const left = byWords(ours)
  const pairs = [...asked].sort(byTime).map((capture): SudoRow => {
    const entry = left.get(wordsOf(capture.argv))?.shift() ?? left.get(wordsOf(asRedacted(capture.argv)))?.shift()
    return {
      state: entry === undefined ? 'only-asked' : 'both',
      command: capture.argv.join(' '),
      asked: `${capture.probe}/${capture.command}`,
      loggedAt: entry?.at ?? null,
      refused: entry?.refused ?? null,
    }
  })
  const extra = [...left.values()]
    .flat()
    .map(({ command, at, refused }): SudoRow => ({ state: 'only-logged', command, asked: null, loggedAt: at, refused }))
  return {
    rows: [...extra, ...pairs].sort((a, b) => ORDER[a.state] - ORDER[b.state] || compare(a.command, b.command)),
    askedLater: throughSudo.length - asked.length,
    earlier: logged.filter((entry) => entry.user === user && entry.at < window.from - TOLERANCE_SECONDS).length,
    ofOthers: within.length - ours.length,
  }
}

const ORDER: Readonly<Record<SudoRow['state'], number>> = { 'only-logged': 0, 'only-asked': 1, both: 2 }

const NEVER_ASKED: readonly Capture['status'][] = ['not-run', 'not-asked', 'no-path', 'lost']

const reachedSudo = ({ privilege, status, exitCode }: Capture): boolean =>
  privilege === 'sudo' && !NEVER_ASKED.includes(status) && exitCode !== 127

const byTime = (a: Capture, b: Capture): number =>
  compare(a.startedAt, b.startedAt) || compare(a.probe, b.probe) || compare(a.command, b.command)

function byWords(entries: readonly LoggedCommand[]): Map<string, LoggedCommand[]> {
  const groups = new Map<string, LoggedCommand[]>()
  for (const entry of entries) {
    const key = wordsOf(entry.command.split(' '))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return groups
}

/** Comparison key. sudo escapes quotation marks inside quotation marks with a backslash and prints control characters as #ooo. */
function wordsOf([program = '', ...words]: readonly string[]): string {
  const bare = words.join('').replaceAll(/[\s'"\\]/g, '')
  return `${program.replace(/^.*\//, '')} ${bare}`
}

/** The log was masked, the commands in the recording were not: a pattern that resembles a password is masked in the log only. */
const asRedacted = (argv: readonly string[]): readonly string[] =>
  new TextDecoder().decode(redact(new TextEncoder().encode(argv.join(' '))).bytes).split(' ')
