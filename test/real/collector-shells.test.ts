import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFrameReader, type Frame, type Header } from '../../main/core/collector/frames.ts'
import { planOf } from '../../main/core/collector/plan.ts'
import { collectorScript } from '../../main/core/collector/script.ts'
import { run, runAsRoot } from '../../main/core/recording/probe.ts'
import { probeOf } from '../support/deps.ts'
import { describeUnless } from '../support/needing.ts'

const BUSYBOX = '/usr/bin/busybox'
const isStatic = spawnSync('ldd', [BUSYBOX], { encoding: 'utf8' }).stderr.includes('not a dynamic')
const missing = process.getuid?.() !== 0 ? 'needs root' : !isStatic ? 'busybox-static is absent' : null
const APPLETS = [
  'sh',
  'cat',
  'head',
  'id',
  'date',
  'ls',
  'sleep',
  'true',
  'timeout',
  'renice',
  'printf',
  'yes',
  'echo',
  'env',
]

const nonce = 'b'.repeat(24)
const plan = planOf(
  [
    probeOf('test.small', {
      text: run(['echo', 'two  words']),
      errors: run(['ls', '/nowhere']),
      absent: run(['no-such-tool-here']),
      endless: run(['yes'], { maxBytes: 10_000 }),
      slow: run(['sleep', '8'], { timeoutSeconds: 1 }),
      root: runAsRoot(['id', '-u']),
      rootsOwn: runAsRoot(['roots-own-tool']),
      absentForRoot: runAsRoot(['no-such-tool-here']),
      environment: run(['env']),
      last: run(['echo', 'end']),
    }),
  ],
  { sudo: true, echo: false },
)

/** Systems of nothing but busybox, without /proc, in a root of their own. */
describeUnless(missing, 'the collector on a small system', () => {
  let root = ''
  const inside = (name: string): string => join(root, 'bin', name)
  const script = (name: string, text: string): void => {
    unlinkSync(inside(name))
    writeFileSync(inside(name), `#!/bin/busybox sh\n${text}\n`)
    chmodSync(inside(name), 0o755)
  }
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'bw-small-'))
    chmodSync(root, 0o755)
    for (const folder of ['bin', 'dev', 'etc']) mkdirSync(join(root, folder))
    copyFileSync(BUSYBOX, inside('busybox'))
    execFileSync('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3'])
  })
  beforeEach(() => {
    for (const applet of APPLETS) {
      rmSync(inside(applet), { force: true })
      symlinkSync('busybox', inside(applet))
    }
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  function collect(...options: readonly string[]): {
    readonly header: Header | undefined
    readonly answers: ReadonlyMap<string, Frame>
  } {
    const { stdout, stderr } = spawnSync('chroot', [...options, root, '/bin/sh', '-s'], {
      input: collectorScript(plan, nonce),
      maxBuffer: 1e9,
    })
    const reader = createFrameReader(nonce, plan.commands.length)
    const events = [...reader.push('stdout', stdout), ...reader.push('stderr', stderr)]
    const answers = events.flatMap((event) =>
      event.kind === 'frame' ? [[plan.commands[event.frame.index]?.command ?? '', event.frame] as const] : [],
    )
    const greeting = events.find((event) => event.kind === 'header')
    return { header: greeting?.header, answers: new Map(answers) }
  }
  const text = (frame: Frame | undefined): string => Buffer.from(frame?.stdout ?? []).toString()

  const expectOrdinary = (answers: ReadonlyMap<string, Frame>): void => {
    expect(answers.size).toBe(plan.commands.length)
    expect(text(answers.get('text'))).toBe('two  words\n')
    expect(answers.get('errors')?.exitCode).toBeGreaterThan(0)
    expect(Buffer.from(answers.get('errors')?.stderr ?? []).toString()).toContain('/nowhere')
    expect(answers.get('absent')?.exitCode).toBe(127)
    expect(text(answers.get('root'))).toBe('0\n')
    expect(text(answers.get('last'))).toBe('end\n')
    expect(answers.get('text')).toMatchObject({ startedUptime: 0, endedUptime: 0 })
  }

  test('busybox alone', () => {
    const { header, answers } = collect()
    expect(header).toMatchObject({ uid: 0, hasTimeout: true, hasCap: true })
    expectOrdinary(answers)
    expect(answers.get('endless')?.stdout).toHaveLength(10_001)
    expect([124, 137, 143]).toContain(answers.get('slow')?.exitCode)
    expect(text(answers.get('environment'))).toMatch(/^LC_ALL=C$/m)
    expect(text(answers.get('environment'))).toMatch(/^PATH=\/usr\/sbin:\/usr\/bin:\/sbin:\/bin$/m)
  })

  test('without the rights of root, programs that only root may run are distinguished from absent ones', () => {
    writeFileSync(inside('roots-own-tool'), '', { mode: 0o700 })
    const { answers } = collect('--userspec=65534:65534')
    expect(answers.get('root')).toMatchObject({ notRun: true, exitCode: null })
    expect(answers.get('rootsOwn')).toMatchObject({ notRun: true, exitCode: null })
    expect(answers.get('absentForRoot')).toMatchObject({ notRun: false, exitCode: 127 })
    expect(text(answers.get('last'))).toBe('end\n')
  })

  test.each([
    ['timeout without -k', '[ "$1" = -k ] && exit 1\nexec /bin/busybox timeout "$@"'],
    ['timeout with -t, as before busybox 1.30', '[ "$1" = -t ] || exit 1\nshift\nexec /bin/busybox timeout "$@"'],
  ])('%s', (_name, body) => {
    script('timeout', body)
    const { header, answers } = collect()
    expect(header).toMatchObject({ hasTimeout: true })
    expectOrdinary(answers)
    expect([124, 137, 143]).toContain(answers.get('slow')?.exitCode)
  })

  test('no timeout at all is stated in the header, and commands run without', () => {
    unlinkSync(inside('timeout'))
    const { header, answers } = collect()
    expect(header).toMatchObject({ hasTimeout: false, hasCap: true })
    expectOrdinary(answers)
    expect(answers.get('slow')?.exitCode).toBe(0)
  })
})
