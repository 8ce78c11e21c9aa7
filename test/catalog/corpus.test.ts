import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { probes } from '../../main/catalog/groups/isolation.ts'
import { arguesIsolation } from '../../main/catalog/isolation/argue.ts'
import { type Answer, readProbe } from '../../main/core/probe.ts'
import type { CapturedAnswer } from '../../main/core/recording.ts'
import { answersOfCase } from './corpus-answers.ts'

/** Labelled captures of real machines that live outside this repository. Without them these tests are skipped. */
const CORPUS = process.env.BAREWITNESS_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))
const LABELS = `${CORPUS}/labels.tsv`

interface Case {
  readonly name: string
  readonly truth: string
  readonly scope: string
  readonly folder: string
}

function cases(): readonly Case[] {
  if (!existsSync(LABELS)) return []
  const [, ...rows] = readFileSync(LABELS, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return rows.flatMap((row) => {
    const [name = '', , , truth = '', , , scope = ''] = row.split('\t')
    const folder = ['other', 'gpl'].map((split) => `${CORPUS}/${split}/${name}`).find((path) => existsSync(path))
    return folder === undefined ? [] : [{ name, truth, scope, folder }]
  })
}

function captured(key: string, answer: Partial<Answer>): CapturedAnswer {
  const [probe = '', command = ''] = key.split('/')
  const stdout = answer.bytes ?? new TextEncoder().encode(answer.text ?? '')
  const stderr = new TextEncoder().encode(answer.errorText ?? '')
  const stream = { sha256: '0'.repeat(64), size: stdout.length }
  return {
    meta: {
      probe,
      command,
      argv: ['cat'],
      source: 'node',
      privilege: 'root',
      status: 'done',
      exitCode: answer.exitCode ?? 0,
      startedAt: '2026-11-20T09:12:00.000Z',
      durationMs: 1,
      stdout: stream,
      stderr: { ...stream, size: stderr.length },
    },
    stdout,
    stderr,
  }
}

function judge({ folder }: Case): { readonly layer: string; readonly platform: string | null; readonly read: number } {
  const answers = new Map([...answersOfCase(folder)].map(([key, answer]) => [key, captured(key, answer)]))
  const readings = new Map(probes.map((probe) => [probe.id, readProbe(probe, answers)]))
  const time = '2026-11-20T09:12:00.000Z'
  const node = { name: 'n', address: '192.0.2.1', port: 22, user: 'u', sudo: true }
  const { layer, platform } = arguesIsolation(readings, { node, asOf: time, observedAt: time })
  return { layer, platform, read: [...readings.values()].filter(({ ok }) => ok).length }
}

const EXPECTED: Readonly<Record<string, string>> = {
  'bare-metal': 'metal',
  vm: 'vm',
  container: 'container',
  lpar: 'lpar',
  'hypervisor-host': 'hypervisor-host',
}

describe.skipIf(!existsSync(LABELS))('the labelled captures of real machines', () => {
  const judged = cases()
    .map((one) => ({ ...one, ...judge(one) }))
    .filter(({ read }) => read > 0)

  test('are told right or left undecided', () => {
    const rows = Object.keys(EXPECTED).map((truth) => {
      const own = judged.filter((one) => one.truth === truth)
      const right = own.filter(({ layer }) => layer === EXPECTED[truth])
      const open = own.filter(({ layer }) => layer === 'unknown')
      const wrong = own.filter((one) => !right.includes(one) && !open.includes(one))
      return {
        truth,
        cases: own.length,
        right: right.length,
        undecided: open.length,
        wrong: wrong.length,
        names: wrong.map(({ name, layer }) => `${name}=${layer}`).join(' '),
      }
    })
    console.table(rows)
    expect(judged.length).toBeGreaterThan(100)
  })

  test('nothing virtual is ever called hardware', () => {
    const wrong = judged.filter(({ truth, layer }) => truth !== 'bare-metal' && layer === 'metal')
    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  test('at most two in a hundred physical machines are called virtual', () => {
    const physical = judged.filter(({ truth }) => truth === 'bare-metal')
    const wrong = physical.filter(({ layer }) => layer !== 'metal' && layer !== 'unknown')
    expect(wrong.length / Math.max(1, physical.length), wrong.map(({ name }) => name).join(' ')).toBeLessThanOrEqual(
      0.02,
    )
  })

  test('every virtual machine that was captured in whole is named', () => {
    const whole = judged.filter(({ truth, scope }) => truth === 'vm' && scope === 'full')
    expect(whole.map(({ name, layer, platform }) => [name, layer, platform])).toEqual(
      whole.map(({ name }) => [name, 'vm', expect.stringMatching(/KVM|QEMU/)]),
    )
    expect(readdirSync(CORPUS).length).toBeGreaterThan(0)
  })
})
