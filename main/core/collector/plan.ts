import { type AskedFor, isAskedFor, type Probe, type RunCommand, sudoRemark } from '../probe.ts'
import type { CapturedAnswer } from '../recording.ts'

/** What is remembered of one answer that came, or should have come, through sudo. */
interface ThroughSudo {
  readonly status: CapturedAnswer['meta']['status']
  readonly seconds: number
  readonly remark: string | null
}

interface SlowSudo {
  readonly hear: (answer: CapturedAnswer) => void
  /**
   * In one line: how long sudo took, what it said, and how many questions were not asked because of it. Null while no question was left
   * out and sudo took less than SLOW_SECONDS for at least half of what it was asked.
   */
  readonly words: () => string | null
  /** How many questions were not asked because sudo had passed its time limit. */
  readonly notAsked: () => number
}

/** A local sudo takes some ten milliseconds; what takes seconds waits for a name, a directory or a log. */
const SLOW_SECONDS = 3

/** Listens to the answers of one collection for a sudo that is slow, so that a loss can be told with its cause. */
export function slowSudo(): SlowSudo {
  const heard: ThroughSudo[] = []
  const notAsked = (): number => heard.filter(({ status }) => status === 'not-asked').length
  return {
    hear: (answer) => {
      const { meta } = answer
      if (meta.privilege !== 'sudo' && meta.argv[0] !== 'sudo') return
      if (meta.status === 'not-run' || meta.status === 'no-path' || meta.status === 'lost') return
      heard.push({ status: meta.status, seconds: meta.durationMs / 1000, remark: sudoRemark(answer) })
    },
    notAsked,
    words: () => {
      const asked = heard.filter(({ status }) => status !== 'not-asked')
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

/** One command of a collection, in the order it will be asked. `index` names it in the frames. */
export interface PlannedCommand {
  readonly index: number
  readonly probe: string
  readonly command: string
  readonly run: RunCommand
  /** Of a live test: how long it lasts is part of its answer. */
  readonly live: boolean
}

export interface Plan {
  readonly commands: readonly PlannedCommand[]
  /** Root-only commands go through `sudo -n` where we are not root. Without it they are not run. */
  readonly sudo: boolean
  /** End in `cat`, so that nonces can be echoed in the same channel. */
  readonly echo: boolean
}

export const DEFAULT_TIMEOUT_SECONDS = 20
export const DEFAULT_MAX_BYTES = 4 * 1024 * 1024
export const MAX_ERROR_BYTES = 64 * 1024
/** After so many questions in a row that sudo did not answer within their time limit, no further one is put through it. */
export const SLOW_SUDO = 3

/**
 * Every command of the probes, first those that take no sudo, then the others, then live tests, each in catalog order, so that a slow
 * sudo delays nothing but its own questions; without those in `skip` ("probe/command"). Measurements are not part of the script, and
 * live tests and questions to a metadata service only where they were asked for. A live test that was answered in part is asked again whole, since its answers belong to
 * one stretch of time. Of the two first groups, those that are `early` come first.
 */
export function planOf(
  probes: readonly Probe<unknown>[],
  options: {
    readonly sudo: boolean
    readonly echo: boolean
    readonly skip?: ReadonlySet<string>
    /** Whether something else waits for the answer. */
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
 * Tools that start no process, which could outlive them, and whose answer is as long as what the kernel and the administrator of a node
 * keep: never as long as its users like, as the lists of processes and sockets are.
 */
const BRIEF_TOOLS: ReadonlySet<unknown> = new Set([
  ...[
    'auditctl',
    'busctl',
    'cat',
    'chronyc',
    'cvtsudoers',
    'date',
    'dd',
    'dmidecode',
    'dmsetup',
    'dpkg-query',
    'grep',
    'head',
  ],
  ...[
    'id',
    'ip',
    'journalctl',
    'last',
    'lastlog',
    'lastlog2',
    'ls',
    'lsblk',
    'lslogins',
    'nft',
    'ntpq',
    'passwd',
    'printenv',
  ],
  ...[
    'readlink',
    'rpm',
    'sed',
    'sshd',
    'stat',
    'systemctl',
    'systemd-analyze',
    'tail',
    'uname',
    'wg',
    'who',
    'zfs',
    'zpool',
  ],
])
/** What users of a node fill as they like; the home of root is its administrator's. */
const OF_USERS = /^\/(home|run\/user|tmp|var\/(spool|tmp)|dev\/shm)(\/|$)/

/**
 * Whether a command needs no process of its own to limit its answer and its time: the reader keeps no more than the limit of any answer,
 * and one watch for all commands ends those that pass the usual time limit.
 */
export function isBrief({ live, run }: Pick<PlannedCommand, 'live' | 'run'>): boolean {
  const [tool, option] = run.argv
  if (live || !BRIEF_TOOLS.has(tool)) return false
  if ((run.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) !== DEFAULT_TIMEOUT_SECONDS) return false
  const namesOnly = tool === 'stat' || (tool === 'ls' && (option === '-d' || option === '-1d'))
  return namesOnly || !run.argv.some((word) => OF_USERS.test(typeof word === 'string' ? word : word.glob))
}

/** Whether a command goes through sudo where we are not root. */
export const usesSudo = ({ as, argv }: Pick<RunCommand, 'as' | 'argv'>): boolean => as === 'root' || argv[0] === 'sudo'

/** Most bytes of a command's stream that a reader keeps: one more than the limit, which shows that it was passed. */
export const keptBytes =
  ({ commands }: Plan) =>
  (index: number, stream: 'stdout' | 'stderr'): number =>
    1 + (stream === 'stderr' ? MAX_ERROR_BYTES : (commands[index]?.run.maxBytes ?? DEFAULT_MAX_BYTES))
