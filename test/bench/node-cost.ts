import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { catalog } from '../../main/catalog/definition/index.ts'
import { createFrameReader } from '../../main/core/collector/frames.ts'
import { type Plan, planOf } from '../../main/core/collector/plan.ts'
import { collectorScript } from '../../main/core/collector/script.ts'
import { rootCommands, sudoersFor } from '../../main/core/collector/sudoers.ts'
import { type Sshd, startSshd, whyNoUsers } from '../support/sshd.ts'
import { type Spread, spread, timed } from './measure.ts'

const REPETITIONS = Number(process.env.BENCH_REPETITIONS ?? 5)
const NONCE = 'c'.repeat(24)
const USER = 'bwbench'
const BUDGET_SECONDS = 3

interface Row {
  readonly login: 'root' | 'sudo'
  readonly commands: number
  readonly ran: number
  readonly absentTools: number
  readonly absentPaths: number
  readonly logins: number
  /** Milliseconds of the node's processors. */
  readonly collection: Spread
  /** The same questions as plain lines of one script: nothing framed, timed or capped. */
  readonly floor: Spread
  readonly ratio: number
}

/**
 * `npm run bench -- --node`: what one collection costs the node in processor time, through this machine's own sshd, as root and through
 * sudo. Both take turns with their floor; the first turn warms caches and is not counted.
 */
export async function benchNodeCost(): Promise<void> {
  if (whyNoUsers !== null) {
    process.stderr.write(`processor time of a collection on the node: skipped, ${whyNoUsers}\n`)
    return
  }
  const dropIn = sudoersFor(rootCommands(catalog.probes), { user: USER })
  const sshd = await startSshd({ users: [{ name: USER }], files: { '/etc/sudoers.d/barewitness': dropIn } })
  try {
    const rows: Row[] = []
    for (const login of ['root', 'sudo'] as const) {
      const row = await measure(sshd, login)
      rows.push(row)
      const seconds = row.collection.median / 1000
      process.stderr.write(
        `node, ${login}: ${seconds} s of processor time (${row.collection.min}–${row.collection.max} ms), floor ${row.floor.median} ms, ratio ${row.ratio}; ${row.commands} commands: ${row.ran} ran, ${row.absentTools} tools and ${row.absentPaths} devices or files absent; ${row.logins} login; budget ${BUDGET_SECONDS} s ${seconds < BUDGET_SECONDS ? 'kept' : 'missed'}\n`,
      )
    }
    process.stdout.write(
      `${JSON.stringify({ schema: 'barewitness.bench-node/1', node: process.version, repetitions: REPETITIONS, rows, budgetSeconds: BUDGET_SECONDS }, null, 2)}\n`,
    )
  } finally {
    await sshd.stop()
  }
}

async function measure(sshd: Sshd, login: Row['login']): Promise<Row> {
  const plan = planOf(catalog.probes, { sudo: true, echo: false })
  const script = collectorScript(plan, NONCE)
  const plain = plainLines(script, login)
  const argv = clientArgv(sshd, login === 'root' ? 'root' : USER)
  const [ours, floors]: [number[], number[]] = [[], []]
  let counts = { ran: 0, absentTools: 0, absentPaths: 0 }
  let logins = 0
  for (let turn = 0; turn <= REPETITIONS; turn += 1) {
    const floor = await costOf(argv, plain)
    const before = loginsOf(sshd)
    const collection = await costOf(argv, script)
    logins = loginsOf(sshd) - before
    counts = countAnswers(plan, collection.stdout, collection.stderr)
    if (turn > 0) {
      ours.push(collection.milliseconds)
      floors.push(floor.milliseconds)
    }
  }
  const [collection, floor] = [spread(ours), spread(floors)]
  const ratio = Math.round((collection.median / floor.median) * 100) / 100
  return { login, commands: plan.commands.length, ...counts, logins, collection, floor, ratio }
}

/**
 * Processor time of the session's shell and of everything it started and waited for, as the shell itself tells at its end (POSIX, times).
 * What sshd spends on the connection, some 30 ms, is not in it.
 */
async function costOf(
  argv: readonly string[],
  script: string,
): Promise<{ readonly milliseconds: number; readonly stdout: Buffer; readonly stderr: Buffer }> {
  const { stdout, stderr, exitCode } = await timed(argv, script.replace(/exit 0\n$/, 'times >&2\nexit 0\n'))
  const told = [
    ...stderr
      .subarray(-200)
      .toString('latin1')
      .matchAll(/(\d+)m(\d+\.\d+)s/g),
  ].slice(-4)
  if (exitCode !== 0 || told.length !== 4)
    throw new Error(`the session ended with ${exitCode}: ${stderr.subarray(0, 500)}`)
  const seconds = told.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0)
  return { milliseconds: seconds * 1000, stdout, stderr }
}

/** Each command as the shell runs it by itself; those whose tool or device is absent are left out, as the collector leaves them out. */
function plainLines(script: string, login: Row['login']): string {
  const found = script.matchAll(/^(?:x \d+ '([^']*)' \|\| )?([cdpq]) \d+ \d+ \d+ (.*) # \S+$/gm)
  return [...found]
    .filter(([, paths = '', , words = '']) => hasTool(words) && (paths === '' || paths.split(' ').some(existsSync)))
    .map(
      ([, , rights, words]) =>
        `${/[pq]/.test(rights ?? '') && login === 'sudo' ? 'sudo -n ' : ''}${words} </dev/null >/dev/null 2>&1\n`,
    )
    .concat('exit 0\n')
    .join('')
}

const hasTool = (words: string): boolean =>
  ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].some((folder) => existsSync(join(folder, words.split(' ')[0] ?? '')))

function countAnswers(plan: Plan, stdout: Buffer, stderr: Buffer): Pick<Row, 'ran' | 'absentTools' | 'absentPaths'> {
  const reader = createFrameReader(NONCE, plan.commands.length)
  const frames = [...reader.push('stdout', stdout), ...reader.push('stderr', stderr)].flatMap((event) =>
    event.kind === 'frame' ? [event.frame] : [],
  )
  if (frames.length !== plan.commands.length)
    throw new Error(`${frames.length} of ${plan.commands.length} answers came: ${stderr.subarray(0, 500)}`)
  const refused = frames.filter(({ stderr: said }) =>
    /password is required|not allowed/.test(Buffer.from(said).toString()),
  )
  if (refused.length > 0) throw new Error(`sudo refused ${refused.length} commands`)
  const absentTools = frames.filter(({ exitCode }) => exitCode === 127).length
  const absentPaths = frames.filter(({ noPath }) => noPath).length
  return { ran: frames.length - absentTools - absentPaths, absentTools, absentPaths }
}

const loginsOf = (sshd: Sshd): number => sshd.log().split('Accepted publickey').length - 1

const clientArgv = ({ port, folder, clientKey }: Sshd, user: string): readonly string[] => [
  'ssh',
  '-T',
  '-F',
  'none',
  ...['BatchMode=yes', 'IdentitiesOnly=yes', 'StrictHostKeyChecking=accept-new', 'LogLevel=ERROR'].flatMap((option) => [
    '-o',
    option,
  ]),
  '-o',
  `UserKnownHostsFile=${join(folder, 'known_hosts')}`,
  '-i',
  clientKey,
  '-p',
  String(port),
  `${user}@127.0.0.1`,
  'sh -s',
]
