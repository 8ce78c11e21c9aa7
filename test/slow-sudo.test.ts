import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { collectNode } from '../main/app/collect/collect-node.ts'
import { importTranscript, printableCollector } from '../main/app/collect/import-transcript.ts'
import { evidenceCollectionCompleteness } from '../main/catalog/operations/evidence/completeness.ts'
import { planOf, SLOW_SUDO, slowSudo } from '../main/core/collector/plan.ts'
import type { RunEvent } from '../main/core/ports/ports.ts'
import { captureKey, type Probe, readProbe, run, runAsRoot } from '../main/core/recording/probe.ts'
import type { CapturedAnswer } from '../main/core/recording/recording.ts'
import { conclude } from '../main/core/rules/check.ts'
import type { Capture } from '../schemas/types.ts'
import { catalogOf, probeOf, realClock, realEntropy, realPause, targetOf, validator } from './support/deps.ts'
import { loadedOf } from './support/loaded.ts'
import { localTransport } from './support/local-transport.ts'
import { must } from './support/outcomes.ts'

const probes: readonly Probe<unknown>[] = [
  probeOf('test.program', { version: run(['sudo', '-V']) }),
  probeOf('test.root', Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, runAsRoot(['printf', name])]))),
  probeOf('test.user', { one: run(['printf', '1']) }),
  { ...probeOf('test.live', { both: run(['printf', 'live']) }), live: true },
]
const off = { sudo: true, echo: false }

test('questions without sudo come first, live tests last, each in catalog order', () => {
  expect(
    planOf(probes, { ...off, liveTests: true }).commands.map(({ probe, command }) => `${probe}/${command}`),
  ).toEqual([
    'test.user/one',
    'test.program/version',
    'test.root/a',
    'test.root/b',
    'test.root/c',
    'test.root/d',
    'test.live/both',
  ])
})

// A folder in front of the collector's fixed ones, with a sudo that ends as if it had passed its limit; and we are told that we are not root.
let folder = ''
const program = (name: string, text: string): void => {
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
  chmodSync(join(folder, name), 0o755)
}

const SLOW = 'echo "sudo: unable to resolve host gpu-07: Name or service not known" >&2; exit 124'
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bw-sudo-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => program('sudo', SLOW))

const has = (name: string): boolean => spawnSync('which', [name]).status === 0
const SHELLS = ['dash', 'bash', 'busybox sh'] as const
const answered = (captures: readonly CapturedAnswer[]): Readonly<Record<string, Capture['status']>> =>
  Object.fromEntries(captures.map(({ meta }) => [`${meta.probe}/${meta.command}`, meta.status]))

async function collected(shell: string, onEvent: (event: RunEvent) => void = () => undefined) {
  const opened = must(await openEvidenceStore(mkdtempSync(join(folder, 'store-')), validator))
  const inFront = `sed -e 's#PATH=/usr/sbin#PATH=${folder}:/usr/sbin#' -e 's#for d in /usr/sbin#for d in ${folder} /usr/sbin#' -e 's#^I=.*#I=1000#'`
  try {
    return await loadedOf(
      await collectNode(
        {
          transport: localTransport(['sh', '-c', `${inFront} | ${shell} -s`]),
          store: opened,
          clock: realClock,
          entropy: realEntropy,
          pause: realPause,
          catalog: catalogOf(probes),
        },
        targetOf('node-1', { sudo: true }),
        {
          run: 'r1',
          signal: new AbortController().signal,
          deadlineSeconds: 20,
          onEvent,
          marks: { demo: false, synthetic: null },
          skip: new Set(),
        },
      ),
    )
  } finally {
  }
}

describe.each(SHELLS)('a slow sudo under %s', (shell) => {
  const [name = ''] = shell.split(' ')
  const runs = has(name)

  test.skipIf(!runs)(`costs its own questions only (skipped where ${name} is absent)`, async () => {
    const { recording, captures } = await collected(shell)
    expect(answered(captures)).toEqual({
      'test.user/one': 'done',
      'test.program/version': 'timed-out',
      'test.root/a': 'timed-out',
      'test.root/b': 'timed-out',
      'test.root/c': 'not-asked',
      'test.root/d': 'not-asked',
    })
    expect(recording.outcome).toMatchObject({ status: 'partial', failure: { code: 'collector.sudo-slow' } })
    expect(recording.outcome.failure?.detail).toContain('unable to resolve host gpu-07')
    for (const { meta } of captures) expect(validator.problems('capture', meta)).toEqual([])
  })

  test.skipIf(!runs)(`one answer in time starts the count anew (skipped where ${name} is absent)`, async () => {
    program('sudo', `case $* in *b) exec printf b ;; esac; ${SLOW}`)
    const { recording, captures } = await collected(shell)
    expect(answered(captures)).toMatchObject({ 'test.root/b': 'done', 'test.root/d': 'timed-out' })
    expect(recording.outcome).toEqual({ status: 'complete', failure: null })
  })
})

test('a carried transcript states the same', () => {
  const script = printableCollector(probes, realEntropy, { sudo: true })
    .replace('PATH=/usr/sbin', `PATH=${folder}:/usr/sbin`)
    .replace('for d in /usr/sbin', `for d in ${folder} /usr/sbin`)
    .replace(/^I=.*/m, 'I=1000')
  const { stdout, stderr } = spawnSync('sh', ['-s'], { input: script })
  const node = targetOf('node-1', { sudo: true }).node
  const imported = must(
    importTranscript({ stdout, stderr, node, run: 'r1', importedAt: realClock.now() }, catalogOf(probes)),
  )
  expect(imported.recording.outcome).toMatchObject({
    status: 'partial',
    failure: { code: 'collector.sudo-slow', detail: expect.stringContaining('unable to resolve host gpu-07') },
  })
  expect(answered(imported.captures)).toMatchObject({ 'test.user/one': 'done', 'test.root/d': 'not-asked' })
})

const capture = (
  command: string,
  changes: Partial<Capture>,
  stderr = '',
  [probe] = ['test.root'],
): readonly [string, CapturedAnswer] => {
  const digest = { sha256: 'a'.repeat(64), size: 0 }
  const meta: Capture = {
    probe,
    command,
    argv: probe === 'test.root' ? ['printf', command] : probe === 'test.program' ? ['sudo', '-V'] : ['printf', '1'],
    source: 'node',
    privilege: probe === 'test.root' ? 'sudo' : 'user',
    status: 'done',
    exitCode: 0,
    startedAt: '2026-11-22T10:00:00.000Z',
    durationMs: 20,
    stdout: digest,
    stderr: digest,
    ...changes,
  }
  return [captureKey(probe, command), { meta, stdout: new Uint8Array(), stderr: Buffer.from(stderr) }]
}

const REMARK = 'sudo: unable to resolve host gpu-07: Name or service not known\n'
const timedOut = { status: 'timed-out', exitCode: 124, durationMs: 21_500 } as const

describe('how complete a collection with a slow sudo was', () => {
  const asked = probes.filter(({ live }) => live !== true)
  const check = evidenceCollectionCompleteness(asked)
  const concluded = (...changed: readonly (readonly [string, CapturedAnswer])[]) => {
    const whole = [
      capture('version', {}, '', ['test.program']),
      ...['a', 'b', 'c', 'd'].map((name) => capture(name, {})),
      capture('one', {}, '', ['test.user']),
    ]
    const captures = new Map([...whole, ...changed])
    return conclude(check, new Map(asked.map((probe) => [probe.id, readProbe(probe, captures)])), {
      node: targetOf('node-1').node,
    } as Parameters<typeof conclude>[2])
  }

  test('everything answered', () => {
    expect(concluded().verdict).toBe('satisfied')
  })
  test('sudo -V alone that takes too long leaves it undecided, and so do questions that were not asked', () => {
    expect(concluded(capture('version', timedOut, '', ['test.program'])).verdict).toBe('inconclusive')
    expect(concluded(capture('d', { status: 'not-asked', exitCode: null })).verdict).toBe('inconclusive')
  })
  test('what sudo printed is named', () => {
    const { verdict, observations } = concluded(capture('a', timedOut, REMARK))
    expect(verdict).toBe('inconclusive')
    expect(observations.map(({ text }) => text).join()).toContain('unable to resolve host gpu-07')
  })
  test('a question that took too long with nothing to show that sudo did is a gap of its own', () => {
    for (const late of [
      capture('a', timedOut),
      capture('one', { ...timedOut, privilege: 'user' }, REMARK, ['test.user']),
    ]) {
      const { verdict, observations } = concluded(late)
      expect(verdict).toBe('inconclusive')
      expect(observations.map(({ text }) => text).join()).toContain('returned no complete capture')
    }
  })
})

describe('a sudo that completes no command', () => {
  const refused = (...answers: readonly (readonly [string, CapturedAnswer])[]): string | null => {
    const sudo = slowSudo()
    for (const [, answer] of answers) sudo.add(answer)
    return sudo.refused()
  }
  const denied = { exitCode: 1 } as const
  const WHY = 'sudo: a password is required\n'
  const version = capture('version', {}, '', ['test.program'])

  test('is named with its message', () => {
    expect(refused(version, capture('a', denied, WHY), capture('b', denied, WHY))).toBe('a password is required')
    expect(refused(capture('a', { exitCode: 127 }))).toBe('')
  })
  test('is none where one command was completed, and where none was run through sudo', () => {
    expect(refused(version, capture('a', denied, WHY), capture('b', {}))).toBeNull()
    expect(refused(version, capture('one', denied, '', ['test.user']))).toBeNull()
    expect(refused(capture('a', timedOut))).toBeNull()
  })
  test('is stated when the node is done', async () => {
    program('sudo', 'case $1 in -V) exit 0 ;; esac; echo "sudo: a password is required" >&2; exit 1')
    const events: RunEvent[] = []
    await collected('sh', (event) => events.push(event))
    expect(events.at(-1)).toMatchObject({ kind: 'node-done', sudoRefused: 'a password is required' })
    program('sudo', 'case $1 in -V) exit 0 ;; esac; shift; exec "$@"')
    await collected('sh', (event) => events.push(event))
    expect(events.at(-1)).not.toHaveProperty('sudoRefused')
  })
})

describe('the words about a slow sudo', () => {
  const words = (...answers: readonly (readonly [string, CapturedAnswer])[]): string | null => {
    const sudo = slowSudo()
    for (const [, answer] of answers) sudo.add(answer)
    return sudo.words()
  }
  const ten = (name: string) => capture(name, { durationMs: 10_400 }, REMARK)

  test('a quick one is none, nor is one slow answer of many', () => {
    expect(words()).toBeNull()
    expect(words(capture('a', {}), capture('b', {}))).toBeNull()
    expect(words(capture('a', {}), capture('b', {}), ten('c'))).toBeNull()
  })
  test('seconds, counts, and what it printed', () => {
    const said = words(ten('a'), ten('b'), capture('c', {}))
    for (const part of ['2 of 3', '10 s', 'unable to resolve host gpu-07']) expect(said).toContain(part)
  })
  test(`after ${SLOW_SUDO} time-outs, how many were left out`, () => {
    const left = capture('d', { status: 'not-asked', exitCode: null })
    expect(words(capture('a', timedOut), capture('b', timedOut), capture('c', timedOut), left)).toContain('1 more')
  })
  test('what needs no sudo states nothing about it', () => {
    expect(words(capture('one', { ...timedOut, privilege: 'user' }, REMARK, ['test.user']))).toBeNull()
  })
})
