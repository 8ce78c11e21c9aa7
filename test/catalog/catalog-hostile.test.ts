import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { argvOf, type Command, captureKey, type Probe, readProbe } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer } from '../../main/core/recording/recording.ts'
import { conclude } from '../../main/core/rules/check.ts'
import { byKey, checks, fixtures, probes } from '../support/evaluated.ts'
import { FIXTURE_TIME } from '../support/fixtures.ts'

describe('hostile answers', () => {
  const answer = (
    probe: Probe<unknown>,
    [command, spec]: readonly [string, Command],
    stdout: Uint8Array,
    exitCode: number,
  ): CapturedAnswer => ({
    meta: {
      probe: probe.id,
      command,
      argv: argvOf(spec),
      source: 'node',
      privilege: 'user',
      status: 'done',
      exitCode,
      startedAt: FIXTURE_TIME,
      durationMs: 1,
      stdout: { sha256: '', size: stdout.length },
      stderr: { sha256: '', size: 0 },
    },
    stdout,
    stderr: new Uint8Array(),
  })

  /** Real answers to start from, so that the noise reaches deep into the parsers. */
  const samples = (probe: Probe<unknown>, command: string): readonly Uint8Array[] =>
    fixtures
      .flatMap(({ captures }) => captures.get(captureKey(probe.id, command))?.stdout ?? [])
      .filter((bytes) => bytes.length < 20_000)

  const noise = fc.uint8Array({ maxLength: 300 })
  const spliced = (probe: Probe<unknown>, command: string): fc.Arbitrary<Uint8Array> => {
    const known = samples(probe, command)
    if (known.length === 0) return noise
    return fc
      .tuple(
        fc.constantFrom(...known),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(40),
        fc.uint8Array({ maxLength: 24 }),
      )
      .map(([bytes, at, cut, extra]) => {
        const place = Math.floor(at * bytes.length)
        return new Uint8Array([...bytes.subarray(0, place), ...extra, ...bytes.subarray(place + cut)])
      })
  }

  test.each(probes.map((probe) => [probe.id, probe] as const))('%s reads any bytes without throwing', (_, probe) => {
    const answers = fc.record(
      Object.fromEntries(
        Object.keys(probe.commands).map((command) => [
          command,
          fc.tuple(fc.oneof(noise, spliced(probe, command)), fc.constantFrom(0, 0, 0, 1, 2, 255)),
        ]),
      ),
    )
    fc.assert(
      fc.property(answers, (given) => {
        const captures = Object.entries(probe.commands).map((named) => {
          const [bytes, exitCode] = given[named[0]] ?? [new Uint8Array(), 255]
          return answer(probe, named, bytes, exitCode)
        })
        const reading = readProbe(probe, byKey(captures))
        expect(typeof reading.ok).toBe('boolean')
        if (!reading.ok) expect(reading.reason).not.toBe('')
      }),
      { numRuns: 50, seed: 20261120 },
    )
  })

  test('no text of a node reaches a sentence with control or direction characters', () => {
    // ESC, right-to-left override, zero-width space, in the middle of a word of the answer.
    const poison = new TextEncoder().encode('\u001b[31m\u202e\u200b')
    const dirty: unknown[] = []
    const pick = fc.tuple(fc.constantFrom(...fixtures), fc.nat(), fc.nat())
    fc.assert(
      fc.property(pick, ([fixture, which, where]) => {
        const all = [...fixture.captures.values()].filter(({ stdout }) => stdout.length > 0)
        const chosen = all[which % Math.max(all.length, 1)]
        const probe = probes.find(({ id }) => id === chosen?.meta.probe)
        if (chosen === undefined || probe === undefined) return
        const at = where % chosen.stdout.length
        const stdout = new Uint8Array([...chosen.stdout.subarray(0, at), ...poison, ...chosen.stdout.subarray(at)])
        const captures = new Map([
          ...fixture.captures,
          [captureKey(probe.id, chosen.meta.command), { ...chosen, stdout }],
        ])
        const readings = new Map([...fixture.readings, [probe.id, readProbe(probe, captures)]])
        for (const check of checks.filter((candidate) =>
          [...Object.values(candidate.requires), ...Object.values(candidate.optional ?? {})].some(
            ({ id }) => id === probe.id,
          ),
        ))
          for (const { text } of conclude(check, readings, fixture.context).observations)
            if (/[\u0000-\u001f\u200b\u202e]/.test(text)) dirty.push([check.id, fixture.name, probe.id, text])
      }),
      { numRuns: 300, seed: 20261120 },
    )
    expect(dirty).toEqual([])
  })
})
