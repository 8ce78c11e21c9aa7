import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFrameReader } from '../../main/core/collector/frames.ts'
import { planOf } from '../../main/core/collector/plan.ts'
import { collectorScript } from '../../main/core/collector/script.ts'
import { sudoersFor } from '../../main/core/collector/sudoers.ts'
import { type RunCommand, runAsRoot } from '../../main/core/recording/probe.ts'
import { probeOf } from '../support/deps.ts'
import { describeUnless } from '../support/needing.ts'

const USER = 'bwtest-sudo'
const DROP_IN = '/etc/sudoers.d/barewitness-test'
const LOG = '/var/log/sudo-barewitness-test.log'
const isThere = (program: string): boolean =>
  spawnSync('sh', ['-c', `PATH=/usr/sbin:/usr/bin command -v ${program}`]).status === 0
const missing = process.getuid?.() !== 0 ? 'needs root' : !isThere('sudo') ? 'sudo is absent' : null

const PUNCTUATION = [
  'a,b',
  'a:b',
  'a=b',
  'a#b',
  '#b',
  'a*b',
  'a?b',
  '[ab]',
  '[!ab]',
  '!a',
  'a\\b',
  '\\.',
  '\\\\',
  'a b',
  'a  b',
  '',
  '"q"',
  "'q'",
  '(a|b)',
  'a^b',
  '$',
  '{a}~`@%+<>;&|',
  '^[[:space:]]*[^#[:space:]].*AAAA[A-Za-z0-9+/=]*',
  '^[[:space:]]{0,}[^#[:space:]].{0,}AAAA[A-Za-z0-9+/=]{0,}',
]
const words = probeOf(
  'test.words',
  Object.fromEntries(PUNCTUATION.map((word, at) => [`w${at}`, runAsRoot(['printf', '%s.', word])])),
)
const wanted = probeOf('test.sudo', {
  who: runAsRoot(['id', '-u']),
  shadow: runAsRoot(['stat', '-c', '%a %n', '/etc/shadow']),
  table: runAsRoot(['dmsetup', 'table']),
  settings: runAsRoot(['sshd', '-T']),
  rules: runAsRoot(['cvtsudoers', '-e', '-f', 'json', '/etc/sudoers']),
  refused: runAsRoot(['id', '-n']),
  both: runAsRoot(['ls', '/proc/version', '/nonexistent-path']),
  large: runAsRoot(['head', '-c', '3000000', '/dev/zero']),
  endless: runAsRoot(['yes'], { maxBytes: 50_000 }),
  slow: runAsRoot(['sleep', '31'], { timeoutSeconds: 1 }),
  absent: runAsRoot(['no-such-tool-here']),
  last: runAsRoot(['uname', '-s']),
})
const probes = [wanted, words]
const granted = probes.flatMap(({ commands }) =>
  Object.entries(commands).flatMap(([name, one]): RunCommand[] =>
    one.kind === 'run' && name !== 'refused' ? [one] : [],
  ),
)

const nonce = 'a'.repeat(24)
const plan = planOf(probes, { sudo: true, echo: false })
const as = (line: string, input?: string) =>
  spawnSync('su', ['-s', '/bin/sh', USER, '-c', line], { input: input ?? '', maxBuffer: 1e8 })

describeUnless(missing, 'real sudo', () => {
  interface Answer {
    readonly exit: number | null
    readonly out: string
    readonly err: string
    readonly seconds: number
  }
  const answers = new Map<string, Answer>()
  beforeAll(() => {
    spawnSync('userdel', ['-rf', USER])
    execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', USER])
    const text = sudoersFor(granted, { user: USER }).replaceAll('/var/log/sudo-barewitness.log', LOG)
    writeFileSync(DROP_IN, text, { mode: 0o440 })
    const { stdout, stderr } = as('sh -s', collectorScript(plan, nonce))
    const reader = createFrameReader(nonce, plan.commands.length)
    for (const event of [...reader.push('stdout', stdout), ...reader.push('stderr', stderr)])
      if (event.kind === 'frame')
        answers.set(plan.commands[event.frame.index]?.command ?? '', {
          exit: event.frame.exitCode,
          out: Buffer.from(event.frame.stdout).toString(),
          err: Buffer.from(event.frame.stderr).toString(),
          seconds: event.frame.endedUptime - event.frame.startedUptime,
        })
  })
  afterAll(() => {
    rmSync(DROP_IN, { force: true })
    rmSync(LOG, { force: true })
    spawnSync('userdel', ['-rf', USER])
  })

  test('visudo accepts the drop-in in its place', () => {
    const { status, stdout, stderr } = spawnSync('visudo', ['-cf', DROP_IN], { encoding: 'utf8' })
    expect(stdout + stderr).toContain('parsed OK')
    expect(status).toBe(0)
  })

  test('the wanted lines run as root, through the collector', () => {
    expect(answers.size).toBe(plan.commands.length)
    expect(answers.get('who')).toMatchObject({ exit: 0, out: '0\n', err: '' })
    expect(answers.get('shadow')).toMatchObject({ exit: 0, out: expect.stringMatching(/^\d+ \/etc\/shadow\n$/) })
    expect(answers.get('last')).toMatchObject({ exit: 0, out: 'Linux\n' })
  })

  test.skipIf(!isThere('sshd') || !isThere('cvtsudoers'))(
    'so do programs that read the settings of sshd and sudo',
    () => {
      expect(answers.get('settings')?.out).toMatch(/^permitrootlogin /m)
      expect(answers.get('rules')?.out).toContain('User_Specs')
    },
  )

  test('a line that was not granted is refused in words that the reader knows', () => {
    expect(answers.get('refused')).toMatchObject({ exit: 1, out: '', err: expect.stringMatching(/^sudo: /) })
  })

  test('with a pseudo-terminal in use, bytes, errors and exit statuses still come through the pipes as they are', () => {
    expect(answers.get('both')).toMatchObject({ exit: 2, out: '/proc/version\n' })
    expect(answers.get('both')?.err).toContain('/nonexistent-path')
    expect(answers.get('large')?.out).toBe('\0'.repeat(3_000_000))
  })

  test('limits of bytes and time hold for root too, and leave nothing running', () => {
    expect(answers.get('endless')?.out).toHaveLength(50_001)
    expect([124, 137, 143]).toContain(answers.get('slow')?.exit)
    expect(answers.get('slow')?.seconds).toBeLessThan(5)
    expect(spawnSync('pgrep', ['-x', 'yes']).status).not.toBe(0)
    expect(spawnSync('pgrep', ['-f', '^sleep 31$']).status).not.toBe(0)
  })

  test('an absent tool is distinguished from a refused one', () => {
    expect(answers.get('absent')).toMatchObject({ exit: 127, out: '' })
  })

  test.each(PUNCTUATION.map((word, at) => [word, at] as const))('the word “%s” is granted as it is', (word, at) => {
    expect(answers.get(`w${at}`)).toMatchObject({ exit: 0, out: `${word}.`, err: '' })
  })

  test.each([
    'id',
    'id -u -n',
    'dmsetup table --showkeys',
    'dmsetup remove_all',
    'sshd -T -f /etc/shadow',
    'cvtsudoers -e -f json -o /tmp/x /etc/sudoers',
    'cvtsudoers -e -f json /etc/shadow',
    'stat -c "%a %n" /etc/shadow /etc/gshadow',
    'stat -c %n /etc/shadow',
    'printf %s. xb',
    'printf %s. a-b',
    'printf %s. aXb',
    'printf %s. a b c',
    'printf %s. .',
    'printf %s.',
    'sh -c id',
    'cat /etc/shadow',
    '-u nobody id -u',
    'LD_PRELOAD=/tmp/x id -u',
    '-s',
    '-e /etc/hosts',
  ])('refused: sudo -n %s', (line) => {
    const { status, stdout } = as(`sudo -n ${line}`)
    expect(status).not.toBe(0)
    expect(stdout.toString()).toBe('')
  })
})
