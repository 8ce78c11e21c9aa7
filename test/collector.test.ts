import { execFileSync, spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFrameReader, type Frame, type FrameEvent, framesOf } from '../main/core/collector/frames.ts'
import { MAX_ERROR_BYTES, planOf } from '../main/core/collector/plan.ts'
import { collectorScript, quoteWord } from '../main/core/collector/script.ts'
import { glob, run, runAsRoot } from '../main/core/recording/probe.ts'
import { probeOf } from './support/deps.ts'
import { expectLinear } from './support/growth.ts'
import { isInstalled } from './support/needing.ts'

const NONCE = '0123456789abcdef01234567'

const SHELLS: readonly [string, ...string[]][] = [['dash'], ['bash'], ['busybox', 'sh']]

// Every byte but NUL, which no shell keeps, without and with a line end at the end.
const EVERY_BYTE = Array.from({ length: 255 }, (_, at) => at + 1)
const asOctal = (bytes: readonly number[]): string =>
  bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')

const probes = [
  probeOf('test.plain', {
    errorBytes: run(['sh', '-c', `printf '${asOctal(EVERY_BYTE)}' >&2; exit 7`]),
    errorLines: run(['sh', '-c', `printf '\\n\\n  a\\\\b\\n\\n' >&2`]),
    endlessErrors: run(['sh', '-c', 'yes >&2']),
    oneLongError: run(['sh', '-c', 'head -c 200000 /dev/zero | tr "\\0" x >&2']),
    noDevice: run(['echo', 'asked'], { needsPath: ['/dev/no-such-device', '/dev/no-such-folder/0'] }),
    oneOfTwo: run(['echo', 'asked'], { needsPath: ['/dev/no-such-device', '/dev/null'] }),
    text: run(['printf', '%s', `it's $HOME \`id\` "quoted" \\n *`]),
    noNewline: run(['printf', 'abc']),
    failing: run(['ls', '/nonexistent-path']),
    absent: run(['no-such-tool-here', 'x']),
    binary: run(['head', '-c', '4096', '/dev/urandom']),
    pattern: run(['ls', '-d', glob('/proc/self/ns/*')]),
    endless: run(['yes'], { maxBytes: 50_000 }),
    slow: run(['sleep', '30'], { timeoutSeconds: 1 }),
    reads: run(['cat']),
    locale: run(['sh', '-c', 'echo $LC_ALL $PATH']),
  }),
  probeOf('test.root', {
    who: runAsRoot(['id', '-u']),
    rootsDevice: runAsRoot(['id', '-u'], { needsPath: ['/dev/no-such-device'] }),
    hidden: runAsRoot(['id', '-u'], { needsPath: ['/root/no-such-folder/file'] }),
  }),
]
const plan = planOf(probes, { sudo: false, echo: false })

function frames(
  stdout: Uint8Array,
  stderr: Uint8Array,
): { readonly events: readonly FrameEvent[]; readonly byName: ReadonlyMap<string, Frame> } {
  const reader = createFrameReader(NONCE, plan.commands.length)
  const events = [...reader.push('stdout', stdout), ...reader.push('stderr', stderr)]
  const named = events.flatMap((event) =>
    event.kind === 'frame' ? [[plan.commands[event.frame.index]?.command ?? '', event.frame] as const] : [],
  )
  return { events, byName: new Map(named) }
}

const text = (frame: Frame | undefined): string => Buffer.from(frame?.stdout ?? []).toString()

describe.each(SHELLS)('the collector under %s %s (skipped where it is absent)', (program, ...rest) => {
  const runs = isInstalled(program)
  const asked = runs
    ? spawnSync(program, [...rest, '-s'], { input: collectorScript(plan, NONCE), maxBuffer: 1e9 })
    : null
  const { events, byName } = frames(asked?.stdout ?? new Uint8Array(), asked?.stderr ?? new Uint8Array())

  test.skipIf(!runs)('every command answers, once', () => {
    expect(events[0]).toMatchObject({ kind: 'header', header: { hasTimeout: true, hasCap: true } })
    expect(byName.size).toBe(plan.commands.length)
    expect(events.some(({ kind }) => kind === 'end')).toBe(true)
  })
  test.skipIf(!runs)('bytes are exact', () => {
    expect(text(byName.get('text'))).toBe(`it's $HOME \`id\` "quoted" \\n *`)
    expect(text(byName.get('noNewline'))).toBe('abc')
    expect(byName.get('binary')?.stdout).toHaveLength(4096)
    expect(text(byName.get('pattern'))).toContain('/proc/self/ns/pid')
  })
  test.skipIf(!runs)('exit statuses and errors are kept apart', () => {
    expect(byName.get('failing')?.exitCode).toBeGreaterThan(0)
    expect(Buffer.from(byName.get('failing')?.stderr ?? []).toString()).toContain('nonexistent-path')
    expect(byName.get('absent')?.exitCode).toBe(127)
  })
  test.skipIf(!runs)('errors are kept byte by byte, and cut on the node one byte past the limit', () => {
    const errors = (name: string): Buffer => Buffer.from(byName.get(name)?.stderr ?? [])
    expect([...errors('errorBytes')]).toEqual(EVERY_BYTE)
    expect(byName.get('errorBytes')?.exitCode).toBe(7)
    expect(errors('errorLines').toString()).toBe('\n\n  a\\b\n\n')
    expect(errors('endlessErrors')).toHaveLength(MAX_ERROR_BYTES + 1)
    expect(errors('oneLongError')).toHaveLength(MAX_ERROR_BYTES + 1)
  })
  test.skipIf(!runs)('a command about a path that does not exist is not run, and this is reported', () => {
    expect(byName.get('noDevice')).toMatchObject({ noPath: true, notRun: false, exitCode: null })
    expect(byName.get('noDevice')?.stdout).toHaveLength(0)
    expect(Buffer.from(byName.get('noDevice')?.stderr ?? []).toString()).toBe(
      'no such path: /dev/no-such-device /dev/no-such-folder/0',
    )
    expect(byName.get('oneOfTwo')).toMatchObject({ noPath: false, exitCode: 0 })
  })
  test.skipIf(!runs)('a command that reads gets nothing, and does not eat the script', () => {
    expect(byName.get('reads')).toMatchObject({ exitCode: 0 })
    expect(byName.get('reads')?.stdout).toHaveLength(0)
  })
  test.skipIf(!runs)('endless output is cut on the node, one byte past the limit', () => {
    expect(byName.get('endless')?.stdout).toHaveLength(50_001)
  })
  test.skipIf(!runs)('a slow command is ended on the node', () => {
    const slow = byName.get('slow')
    expect([124, 137, 143]).toContain(slow?.exitCode)
    expect((slow?.endedUptime ?? 0) - (slow?.startedUptime ?? 0)).toBeLessThan(5)
  })
  test.skipIf(!runs)('locale and path are fixed', () => {
    expect(text(byName.get('locale'))).toBe('C /usr/sbin:/usr/bin:/sbin:/bin\n')
  })
})

test('without rights a root command is framed as not run', () => {
  const asked = spawnSync('su', ['-s', '/bin/sh', 'nobody', '-c', 'sh -s'], {
    input: collectorScript(plan, NONCE),
    maxBuffer: 1e9,
  })
  const { byName } = frames(asked.stdout, asked.stderr)
  expect(byName.get('who')).toMatchObject({ notRun: true, exitCode: null })
  expect(byName.get('rootsDevice')).toMatchObject({ notRun: false, noPath: true })
  // No one may look into the folder of root, so no one can tell what is not there.
  expect(byName.get('hidden')).toMatchObject({ notRun: true, noPath: false })
})

describe('rendering', () => {
  test('any word comes back from a shell as it went in', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }).filter((word) => !/[\0\n\r\uD800-\uDFFF]/.test(word)),
        (word) => {
          expect(execFileSync('sh', ['-c', `printf %s ${quoteWord(word)}`], { encoding: 'utf8' })).toBe(word)
        },
      ),
      { numRuns: 60 },
    )
  })
  test.each(['dev/null', '/dev/*', '/a b', "/a'", '/', '/a/'])('%s is no plain path', (path) => {
    const bad = planOf([probeOf('x.y', { one: run(['true'], { needsPath: [path] }) })], { sudo: false, echo: false })
    expect(() => collectorScript(bad, NONCE)).toThrow('plain path')
  })
  test('line breaks and NULs are our bug', () => {
    for (const word of ['a\nb', 'a\0b', 'a\rb']) expect(() => quoteWord(word)).toThrow()
  })
  test.each(['/etc/$(id)', 'etc/*', '/a;b', '/a b', "/a'"])('%s is no path pattern', (pattern) => {
    const bad = planOf([probeOf('x.y', { one: run(['cat', glob(pattern)]) })], { sudo: false, echo: false })
    expect(() => collectorScript(bad, NONCE)).toThrow()
  })
  test('a root command takes no pattern', () => {
    const bad = planOf([probeOf('x.y', { one: runAsRoot(['cat', glob('/etc/*')]) })], { sudo: true, echo: false })
    expect(() => collectorScript(bad, NONCE)).toThrow('exact')
  })
})

describe('reading frames', () => {
  const header = Buffer.from(`Welcome!\n${NONCE} H 1 1000 1795243820 t h\n`)
  const one = framesOf(NONCE, { index: 0, exit: '0', stdout: Buffer.from('a\nb'), stderr: Buffer.from('warn') })
  const two = framesOf(NONCE, { index: 1, exit: '3', stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) })
  const stdout = Buffer.concat([header, one.stdout, two.stdout, Buffer.from(`${NONCE} Z 1795243821\n`)])
  const stderr = Buffer.concat([one.stderr, two.stderr])

  test('the same frames however the bytes are cut', () => {
    const whole = createFrameReader(NONCE, 2)
    const expected = [...whole.push('stderr', stderr), ...whole.push('stdout', stdout)].filter(
      ({ kind }) => kind === 'frame',
    )
    expect(expected).toHaveLength(2)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const reader = createFrameReader(NONCE, 2)
        const events: FrameEvent[] = []
        const feed = (stream: 'stdout' | 'stderr', bytes: Buffer): void => {
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1
            events.push(...reader.push(stream, bytes.subarray(at, at + size)))
            at += size
          }
        }
        feed('stdout', stdout)
        feed('stderr', stderr)
        const found = events.flatMap((event) => (event.kind === 'frame' ? [event.frame] : []))
        expect(
          found.map(({ index, exitCode, stdout: body }) => [index, exitCode, Buffer.from(body).toString()]),
        ).toEqual([
          [0, 0, 'a\nb'],
          [1, 3, ''],
        ])
      }),
      { numRuns: 200 },
    )
  })

  test('any bytes come back as they were, however they are cut', () => {
    const bodies = fc.array(fc.tuple(fc.uint8Array({ maxLength: 120 }), fc.uint8Array({ maxLength: 40 })), {
      minLength: 1,
      maxLength: 6,
    })
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(bodies, sizes, fc.boolean(), (answers, cuts, errorsFirst) => {
        const wires = answers.map(([out, err], index) =>
          framesOf(NONCE, { index, exit: String(index), stdout: out, stderr: err }),
        )
        const streams = {
          stdout: Buffer.concat([header, ...wires.map((wire) => wire.stdout)]),
          stderr: Buffer.concat(wires.map((wire) => wire.stderr)),
        }
        const reader = createFrameReader(NONCE, answers.length)
        const found: Frame[] = []
        for (const name of errorsFirst ? (['stderr', 'stdout'] as const) : (['stdout', 'stderr'] as const))
          for (let at = 0, turn = 0; at < streams[name].length; turn += 1) {
            const size = cuts[turn % cuts.length] ?? 1
            for (const event of reader.push(name, streams[name].subarray(at, at + size)))
              if (event.kind === 'frame') found.push(event.frame)
            at += size
          }
        expect(found.map(({ stdout: out, stderr: err, exitCode }) => [[...out], [...err], exitCode])).toEqual(
          answers.map(([out, err], index) => [[...out], [...err], index]),
        )
      }),
      { numRuns: 200 },
    )
  })

  test('of each stream only so many bytes are kept, whatever the node sends', () => {
    const reader = createFrameReader(NONCE, 2, (index, stream) => (stream === 'stderr' ? 2 : index === 0 ? 5 : 100))
    const big = framesOf(NONCE, { index: 0, exit: '0', stdout: Buffer.alloc(1000, 'x'), stderr: Buffer.alloc(9, 'y') })
    const events = [...reader.push('stdout', Buffer.concat([header, big.stdout])), ...reader.push('stderr', big.stderr)]
    expect(events[1]).toMatchObject({
      kind: 'frame',
      frame: { stdout: new Uint8Array(5).fill(120), stderr: new Uint8Array(2).fill(121) },
    })
  })

  test.each([
    ['an answer before the header', [one.stdout]],
    ['a second header', [header, header]],
    [
      'an answer that was not asked for',
      [header, framesOf(NONCE, { index: 7, exit: '0', stdout, stderr: stdout }).stdout],
    ],
    ['the same answer twice', [header, one.stdout, one.stdout]],
    ['an end of another command', [header, Buffer.from(`${NONCE} B 0 1\nx\n${NONCE} E 1 0 1\n`)]],
    ['a line of another kind', [header, Buffer.from(`${NONCE} X 0\n`)]],
    ['a line without end', [header, Buffer.from(`${NONCE} B 0 ${'1'.repeat(300)}`)]],
  ])('%s is garbled', (_name, chunks) => {
    const reader = createFrameReader(NONCE, 2)
    const events = chunks.flatMap((chunk) => reader.push('stdout', chunk))
    expect(events.at(-1)).toMatchObject({ kind: 'broken', code: 'collector.garbled' })
    expect(reader.push('stdout', two.stdout)).toEqual([])
  })

  test('time grows with the bytes, not with their square', () => {
    expectLinear((size) => {
      const whole = Buffer.concat([header, Buffer.from(`${NONCE} B 0 1\n`), Buffer.alloc(size * 100, '\n')])
      createFrameReader(NONCE, 2).push('stdout', whole)
      const drip = Buffer.concat([header, Buffer.from(`${NONCE} B 0 1\n`), Buffer.alloc(size, `\n${NONCE} `)])
      const slow = createFrameReader(NONCE, 2)
      for (let at = 0; at < drip.length; at += 1) slow.push('stdout', drip.subarray(at, at + 1))
    }, 30_000)
  })

  test('hostile bytes never throw and are never believed twice', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc.constantFrom(
        header,
        one.stdout,
        two.stdout,
        Buffer.from(`${NONCE} B 99 1\n`),
        Buffer.from(`\n${NONCE} E 0 0 1\n`),
        Buffer.from(`${NONCE} Z x\n`),
        Buffer.from(`${NONCE} `),
      ),
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const), piece), { maxLength: 30 }),
        (pieces) => {
          const reader = createFrameReader(NONCE, 2)
          const events = pieces.flatMap(([stream, bytes]) => reader.push(stream, bytes))
          const indexes = events.flatMap((event) => (event.kind === 'frame' ? [event.frame.index] : []))
          expect(new Set(indexes).size).toBe(indexes.length)
          expect(events.filter(({ kind }) => kind === 'broken').length).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a banner without end is no answer', () => {
    const reader = createFrameReader(NONCE, 2)
    const noise = Buffer.alloc(256 * 1024, 'x')
    const events = Array.from({ length: 6 }, () => reader.push('stdout', noise)).flat()
    expect(events).toMatchObject([{ kind: 'broken', code: 'collector.no-answer' }])
  })

  test('an answer without end is stopped', () => {
    const reader = createFrameReader(NONCE, 2)
    reader.push('stdout', Buffer.concat([header, Buffer.from(`${NONCE} B 0 1\n`)]))
    const noise = Buffer.alloc(8 * 1024 * 1024, 'x')
    const events = Array.from({ length: 10 }, () => reader.push('stdout', noise)).flat()
    expect(events).toMatchObject([{ kind: 'broken', code: 'collector.output-too-large' }])
  })
})
