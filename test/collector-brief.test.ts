import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFrameReader, type Frame, type FrameEvent } from '../main/core/collector/frames.ts'
import { DEFAULT_MAX_BYTES, isBrief, keptBytes, type Plan, planOf } from '../main/core/collector/plan.ts'
import { collectorScript } from '../main/core/collector/script.ts'
import { glob, type RunCommand, run, runAsRoot } from '../main/core/recording/probe.ts'
import { probeOf } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { isInstalled } from './support/needing.ts'
import { times } from './support/thorough.ts'

const NONCE = '0123456789abcdef01234567'
const SHELLS: readonly [string, ...string[]][] = [['dash'], ['bash'], ['busybox', 'sh']]

// Named from the folder itself: a path below a folder of users would make no question brief.
const folder = folderOfTests('brief')
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content)
  return name
}
spawnSync('mkfifo', [join(folder, 'pipe')])

const planFor = (commands: Parameters<typeof probeOf>[1]): Plan =>
  planOf([probeOf('test.brief', commands)], { sudo: false, echo: false })

type How = 'watched' | 'alone'

/** Short where a command hangs, and long enough for those that do not, on a machine that is busy. */
const LIMIT_SECONDS = 3

/** The script with a short limit in place of twenty seconds; `alone`: as on a node where nothing can be watched. */
function scriptOf(plan: Plan, how: How): string {
  const script = collectorScript(plan, NONCE)
  const short = script
    .replaceAll(/\b2000\b/g, `${LIMIT_SECONDS * 100}`)
    .replaceAll(/^([cdpq] \d+) 20 /gm, `$1 ${LIMIT_SECONDS} `)
  const changed = how === 'watched' ? short : short.replace('&& f sleep; then', '&& f no-such-tool; then')
  if (short === script || (how === 'alone' && changed === short)) throw new Error('the script has another form')
  return changed
}

/** What a command answered, without its times and without what a shell remarks by number on an ended process. */
const answerOf = (plan: Plan, { index, startedUptime, endedUptime, heardMs, stdout, stderr, ...rest }: Frame) => ({
  command: plan.commands[index]?.command,
  ...rest,
  stdout: Buffer.from(stdout).toString('latin1'),
  stderr: Buffer.from(stderr).toString('latin1'),
})

function ask(shell: readonly [string, ...string[]], plan: Plan, how: How, before: readonly string[] = []) {
  const [program = '', ...rest] = [...before, ...shell, '-s']
  const { stdout, stderr } = spawnSync(program, rest, { input: scriptOf(plan, how), maxBuffer: 1e9, cwd: folder })
  const reader = createFrameReader(NONCE, plan.commands.length, keptBytes(plan))
  const events: readonly FrameEvent[] = [...reader.push('stdout', stdout), ...reader.push('stderr', stderr)]
  expect(events.filter(({ kind }) => kind !== 'frame')).toMatchObject([{ kind: 'header' }, { kind: 'end' }])
  const frames = events.flatMap((event) => (event.kind === 'frame' ? [event.frame] : []))
  return frames.map((frame) => answerOf(plan, frame))
}

const ORDINARY: Readonly<Record<string, RunCommand>> = {
  bytes: run([
    'cat',
    file(
      'bytes',
      Uint8Array.from({ length: 1024 }, (_, at) => at % 256),
    ),
  ]),
  nothing: run(['cat', '/dev/null']),
  noNewline: run(['cat', file('no-newline', 'abc')]),
  onlyNewlines: run(['cat', file('newlines', '\n\n\n')]),
  noPath: run(['ls', '/'], { needsPath: ['/dev/no-such-device'] }),
  words: run([
    'grep',
    '-F',
    '-e',
    `it's $HOME \`id\` "quoted" \\n * !`,
    file('words', `it's $HOME \`id\` "quoted" \\n * !\n`),
  ]),
  failing: run(['ls', '/nowhere', '/']),
  pattern: run(['ls', '-d', glob('/proc/self/ns/*')]),
  status: run(['sed', 'q123', '/etc/passwd']),
  status124: run(['sed', 'q124', '/etc/passwd']),
  killed: run(['sed', '1e kill -9 $PPID', '/etc/passwd']),
  ended: run(['sed', '1e kill -15 $PPID', '/etc/passwd']),
  reads: run(['cat']),
  environment: run(['printenv', 'PATH', 'LC_ALL', 'N']),
  small: run(['cat', file('small', 'x'.repeat(100))], { maxBytes: 100 }),
  smallCut: run(['cat', file('small-cut', 'x'.repeat(102))], { maxBytes: 100 }),
  long: run(['cat', file('long', '\n'.repeat(DEFAULT_MAX_BYTES + 5))]),
  last: run(['uname', '-s']),
}

describe.each(SHELLS)('brief questions under %s %s (skipped where it is absent)', (...shell) => {
  const runs = isInstalled(shell[0])
  test.skipIf(!runs)(
    'each answer is that of the command with its own limits, and in its order',
    { timeout: 60_000 },
    () => {
      const plan = planFor(ORDINARY)
      expect(plan.commands.filter((command) => !isBrief(command))).toEqual([])
      const watched = ask(shell, plan, 'watched')
      const alone = ask(shell, plan, 'alone')
      expect(watched.map(({ command }) => command)).toEqual(plan.commands.map(({ command }) => command))
      // A cut tool ends as it will; and a shell remarks on a killed one in the answer only where it started nothing else.
      const settled = (all: typeof watched) =>
        all.map((one) => ({
          ...one,
          exitCode: one.command === 'long' || one.command === 'smallCut' ? null : one.exitCode,
          stderr: one.command === 'killed' || one.command === 'ended' ? '' : one.stderr,
        }))
      expect(settled(watched)).toEqual(settled(alone))
      expect(watched.find(({ command }) => command === 'long')?.stdout).toHaveLength(DEFAULT_MAX_BYTES + 1)
    },
  )
})

// What hangs takes its limit each time, so one shell is tried in `npm test`, and each in `npm run test:all`.
describe.each(SHELLS.slice(0, times(1, SHELLS.length)))(
  'what hangs under %s %s (skipped where it is absent)',
  (...shell) => {
    const runs = isInstalled(shell[0])
    test.skipIf(!runs)(
      'what hangs is ended at the limit, reported as ended, and asked once',
      { timeout: 60_000 },
      () => {
        const plan = planFor({
          first: run(['uname', '-s']),
          opens: run(['cat', 'pipe']),
          prints: run(['tail', '-n', '1', '-f', file('tail', 'a\nb\n')]),
          last: run(['uname', '-s']),
        })
        const watched = ask(shell, plan, 'watched')
        expect(watched).toMatchObject([
          { command: 'first', exitCode: 0 },
          { command: 'opens', exitCode: 124, stdout: '', stderr: '' },
          { command: 'prints', exitCode: 124, stdout: 'b\n', stderr: '' },
          { command: 'last', exitCode: 0 },
        ])
        const alone = ask(shell, plan, 'alone')
        expect(alone.map(({ stdout }) => stdout)).toEqual(watched.map(({ stdout }) => stdout))
        expect([124, 143]).toContain(alone[1]?.exitCode)
      },
    )

    test.skipIf(!runs)('what ignores its end is killed', { timeout: 60_000 }, () => {
      const plan = planFor({ hangs: run(['cat', 'pipe']), last: run(['uname', '-s']) })
      const deaf = ['sh', '-c', `trap '' TERM; exec "$@"`, 'sh']
      expect(ask(shell, plan, 'watched', deaf)).toMatchObject([
        { command: 'hangs', exitCode: 137, stderr: '' },
        { command: 'last', exitCode: 0 },
      ])
    })

    test.skipIf(!runs)(
      'what was answered is here before a later command hangs, and nothing stays behind',
      { timeout: 60_000 },
      async () => {
        const plan = planFor({
          first: run(['uname', '-s']),
          second: run(['cat', 'bytes']),
          hangs: run(['cat', 'pipe']),
        })
        const [program, ...rest] = shell
        const script = scriptOf(plan, 'watched').replaceAll(new RegExp(`\\b${LIMIT_SECONDS * 100}\\b`, 'g'), '3000')
        const child = spawn(program, [...rest, '-s'], { cwd: folder, detached: true })
        const reader = createFrameReader(NONCE, plan.commands.length)
        const heard: number[] = []
        const take = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
          for (const event of reader.push(stream, chunk)) if (event.kind === 'frame') heard.push(event.frame.index)
          if (heard.length === 2) arrived()
        }
        let arrived = (): void => undefined
        const both = new Promise<void>((resolve) => {
          arrived = resolve
        })
        child.stdout.on('data', take('stdout'))
        child.stderr.on('data', take('stderr'))
        child.stdin.end(script)
        await both
        expect(heard).toEqual([0, 1])
        const started = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
        process.kill(-(child.pid ?? 0), 'SIGTERM')
        await new Promise((resolve) => child.once('close', resolve))
        await expect
          .poll(() => started.filter((pid) => existsSync(`/proc/${pid}/fd/0`)), { timeout: 10_000 })
          .toEqual([])
      },
    )
  },
)

test('a script that breaks off is not held open by its watch', () => {
  const script = scriptOf(planFor({ first: run(['uname', '-s']) }), 'watched').replaceAll(
    new RegExp(`\\b${LIMIT_SECONDS * 100}\\b`, 'g'),
    '6000',
  )
  const begun = performance.now()
  const { stdout } = spawnSync('sh', ['-s'], { input: script.slice(0, script.lastIndexOf('\nz\n')), cwd: folder })
  expect(stdout.toString()).toContain(`${NONCE} E 0 0 `)
  expect(performance.now() - begun).toBeLessThan(20_000)
})

describe('which questions are brief', () => {
  const brief = (command: RunCommand): boolean => isBrief({ live: false, run: command })
  test.each<[string, RunCommand, boolean]>([
    ['files of the kernel', run(['grep', '-H', '', '/proc/sys/kernel/hostname']), true],
    ['the same for root', runAsRoot(['cat', '/sys/kernel/security/lsm']), true],
    ['names of constant paths', run(['ls', '-d', '/tmp/nvidia-mps', '/proc']), true],
    ['a folder that users fill', run(['ls', '-1', '/tmp/ray']), false],
    ['files of users', run(['grep', '-r', 'x', '/home', '/root']), false],
    ['files of root', runAsRoot(['grep', '-rl', '.', '/etc/restic', '/root/.config/borgmatic']), true],
    ['a pattern below one', run(['cat', glob('/run/user/*/x')]), false],
    ['processes', run(['ps', '-e']), false],
    ['sockets', run(['ss', '-H', '-t']), false],
    ['a tool that starts others', run(['apt', 'list']), false],
    ['another time limit', run(['cat', '/proc/uptime'], { timeoutSeconds: 5 }), false],
  ])('%s', (_name, command, expected) => {
    expect(brief(command)).toBe(expected)
    expect(isBrief({ live: true, run: command })).toBe(false)
  })
})
