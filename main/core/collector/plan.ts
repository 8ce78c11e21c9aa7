import { type AskedFor, isAskedFor, type Probe, type RunCommand, sudoRemark } from '../recording/probe.ts'
import type { CapturedAnswer } from '../recording/recording.ts'

/** One command that went through sudo, or was skipped because of it. */
interface ThroughSudo {
  readonly status: CapturedAnswer['meta']['status']
  readonly exitCode: number | null
  /** Whether it was to run a command, and was not asked about itself. */
  readonly runs: boolean
  readonly seconds: number
  readonly remark: string | null
}

interface SlowSudo {
  readonly add: (answer: CapturedAnswer) => void
  /**
   * One line with the duration and the message of sudo, and the number of commands that were skipped. Null while none was skipped and sudo
   * took less than SLOW_SECONDS for at least half of the commands.
   */
  readonly words: () => string | null
  /** Number of commands that were skipped because sudo had exceeded its time limit. */
  readonly notAsked: () => number
  /** The message of a sudo that completed no command of a collection, empty where it gave none; null where it completed one or ran none. */
  readonly refused: () => string | null
}

/** Without a network, sudo takes about ten milliseconds; seconds mean that it waits for a name, a directory or a log server. */
const SLOW_SECONDS = 3

/** Collects the durations of sudo in one collection, so that skipped commands are reported with their cause. */
export function slowSudo(): SlowSudo {
  const answers: ThroughSudo[] = []
  const notAsked = (): number => answers.filter(({ status }) => status === 'not-asked').length
  return {
    add: (answer) => {
      const { meta } = answer
      if (meta.privilege !== 'sudo' && meta.argv[0] !== 'sudo') return
      if (meta.status === 'not-run' || meta.status === 'no-path' || meta.status === 'lost') return
      const { status, exitCode, durationMs, privilege } = meta
      const runs = privilege === 'sudo'
      answers.push({ status, exitCode, runs, seconds: durationMs / 1000, remark: sudoRemark(answer) })
    },
    notAsked,
    refused: () => {
      const ended = answers.filter(({ runs, status }) => runs && status === 'done')
      if (ended.length === 0 || ended.some(({ exitCode }) => exitCode === 0)) return null
      return ended.find(({ remark }) => remark !== null)?.remark ?? ''
    },
    words: () => {
      const asked = answers.filter(({ status }) => status !== 'not-asked')
      const slow = asked.filter(({ status, seconds }) => status === 'timed-out' || seconds >= SLOW_SECONDS)
      if (notAsked() === 0 && (slow.length === 0 || slow.length * 2 < asked.length)) return null
      const least = Math.floor(Math.min(...slow.map(({ seconds }) => seconds)))
      const remark = slow.find((one) => one.remark !== null)?.remark ?? null
      return [
        `${slow.length} of ${asked.length} questions through sudo took ${least} s or longer`,
        ...(remark === null ? [] : [`: ${remark}`]),
        ...(notAsked() === 0 ? [] : [`; ${notAsked()} more were not asked`]),
      ].join('')
    },
  }
}

/** One command of a collection, in the order of execution. `index` identifies it in the frames. */
export interface PlannedCommand {
  readonly index: number
  readonly probe: string
  readonly command: string
  readonly run: RunCommand
  /** Part of a live test: its duration is part of its answer. */
  readonly live: boolean
}

export interface Plan {
  readonly commands: readonly PlannedCommand[]
  /** Commands of root go through `sudo -n` where the user is not root. Otherwise they are not run. */
  readonly sudo: boolean
  /** End in `cat`, so that nonces can be echoed in the same channel. */
  readonly echo: boolean
}

export const DEFAULT_TIMEOUT_SECONDS = 20
export const DEFAULT_MAX_BYTES = 4 * 1024 * 1024
export const MAX_ERROR_BYTES = 64 * 1024
/** After this many consecutive time-outs of sudo, no further command goes through it. */
export const SLOW_SUDO = 3

/**
 * Every command of the probes except those in `skip` ("probe/command"): first those without sudo, then the others, then live tests, each in
 * catalog order, so that a slow sudo delays only its own commands. Measurements are not part of the script; live tests and requests to a
 * metadata service are part of it only where they were requested. A live test with some answers is repeated completely, since its answers
 * belong to one period of time. Within the first two groups, `early` commands come first.
 */
export function planOf(
  probes: readonly Probe<unknown>[],
  options: {
    readonly sudo: boolean
    readonly echo: boolean
    readonly skip?: ReadonlySet<string>
    /** Whether another step of the collection waits for the answer. */
    readonly early?: (question: Pick<PlannedCommand, 'probe' | 'command' | 'run'>) => boolean
  } & AskedFor,
): Plan {
  const found: Omit<PlannedCommand, 'index'>[] = []
  for (const probe of probes) {
    if (!isAskedFor(probe, options)) continue
    const live = probe.live === true
    const names = Object.keys(probe.commands)
    const isAnswered = (name: string): boolean => options.skip?.has(`${probe.id}/${name}`) === true
    const isWhole = names.every(isAnswered)
    for (const [command, run] of Object.entries(probe.commands)) {
      if (run.kind !== 'run' || (live ? isWhole : isAnswered(command))) continue
      found.push({ probe: probe.id, command, run, live })
    }
  }
  const isEarly = (one: Omit<PlannedCommand, 'index'>): boolean => !one.live && options.early?.(one) === true
  const commands = [0, 1, 2].flatMap((turn) => {
    const group = found.filter((one) => turnOf(one) === turn)
    return [...group.filter(isEarly), ...group.filter((one) => !isEarly(one))]
  })
  return { commands: commands.map((one, index) => ({ index, ...one })), sudo: options.sudo, echo: options.echo }
}

const turnOf = ({ live, run }: Pick<PlannedCommand, 'live' | 'run'>): 0 | 1 | 2 => (live ? 2 : usesSudo(run) ? 1 : 0)

/**
 * Tools that start no process that could outlive them, and whose output has the length of what the kernel and the administrator keep. Not
 * included: tools whose output users can lengthen, such as lists of processes and sockets.
 */
const BRIEF_TOOLS: ReadonlySet<unknown> = new Set(
  [
    'auditctl busctl cat chronyc cvtsudoers date dd dmidecode dmsetup dpkg-query grep head id ip',
    'journalctl last lastlog lastlog2 ls lsblk lslogins nft ntpq passwd printenv readlink rpm sed sshd',
    'stat systemctl systemd-analyze tail uname wg who zfs zpool',
  ].flatMap((names) => names.split(' ')),
)
/** Folders that users of a node can fill; the home of root belongs to the administrator. */
const OF_USERS = /^\/(home|run\/user|tmp|var\/(spool|tmp)|dev\/shm)(\/|$)/

/**
 * Whether a command needs no processes of its own to limit its output and its time: the reader keeps no more than the limit of any answer,
 * and one watch for all commands ends those that exceed the usual time limit.
 */
export function isBrief({ live, run }: Pick<PlannedCommand, 'live' | 'run'>): boolean {
  const [tool, option] = run.argv
  if (live || !BRIEF_TOOLS.has(tool)) return false
  if ((run.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) !== DEFAULT_TIMEOUT_SECONDS) return false
  const namesOnly = tool === 'stat' || (tool === 'ls' && (option === '-d' || option === '-1d'))
  return namesOnly || !run.argv.some((word) => OF_USERS.test(typeof word === 'string' ? word : word.glob))
}

/** Whether a command goes through sudo where the user is not root. */
const usesSudo = ({ as, argv }: Pick<RunCommand, 'as' | 'argv'>): boolean => as === 'root' || argv[0] === 'sudo'

/** Bytes of a command's stream that a reader keeps: one more than the limit, to detect that it was exceeded. */
export const keptBytes =
  ({ commands }: Plan) =>
  (index: number, stream: 'stdout' | 'stderr'): number =>
    1 + (stream === 'stderr' ? MAX_ERROR_BYTES : (commands[index]?.run.maxBytes ?? DEFAULT_MAX_BYTES))
