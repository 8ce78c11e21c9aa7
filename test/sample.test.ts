import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { drawSample as draw, type SampledFinding, stratumOf } from '../main/core/pack/sample.ts'
import type { Severity } from '../schemas/conclusion-words.ts'
import type { Verdict } from '../schemas/words.ts'
import { testUnless } from './support/needing.ts'

const finding = (node: string, check: string): SampledFinding => ({
  node,
  check,
  verdict: 'satisfied',
  decides: true,
  severity: null,
})
/** From all results, without strata. */
const drawSample = (results: readonly SampledFinding[], size: number, seed: string) =>
  draw(results, { size, seed, from: 'all', stratified: false })
const nodes = ['gpu-2', 'gpu-10', 'gpu-1', 'Ünal', 'a b']
const checks = ['tenancy.no-guests', 'access.sshd', 'time.sync']
const population = nodes.flatMap((node) => checks.map((check) => finding(node, check)))

const lacks = spawnSync('sha256sum', ['--version']).error === undefined ? null : 'no sha256sum here'

describe('a sample', () => {
  test('is what the documented rule gives, written out here', () => {
    // By hand: 12ec58b9… is of gpu-10 and access.sshd, 13fb39e9… of gpu-1 and time.sync, 225eb8c0… of gpu-10 and time.sync.
    const { sampled, ...rest } = drawSample(population, 3, '20260602')
    expect(rest).toEqual({
      seed: '20260602',
      from: 'all',
      stratified: false,
      population: 15,
      strata: [{ stratum: 'satisfied', population: 15, sampled: 3 }],
    })
    const same = { verdict: 'satisfied', stratum: 'satisfied', severity: null }
    expect(sampled).toEqual([
      { place: 7, node: 'gpu-10', check: 'access.sshd', ...same },
      { place: 6, node: 'gpu-1', check: 'time.sync', ...same },
      { place: 9, node: 'gpu-10', check: 'time.sync', ...same },
    ])
  })

  testUnless(lacks, 'is what a shell draws', () => {
    const script = `
      while IFS=/ read -r node check; do
        digest=$(printf '%s\\n%s\\n%s' "$1" "$node" "$check" | sha256sum | cut -d' ' -f1)
        printf '%s %s/%s\\n' "$digest" "$node" "$check"
      done | LC_ALL=C sort | head -n 6 | cut -d' ' -f2-`
    const lines = population.map(({ node, check }) => `${node}/${check}\n`).join('')
    const drawn = execFileSync('sh', ['-c', script, 'sh', 'spring 2026'], { input: lines, encoding: 'utf8' })
    const ours = drawSample(population, 6, 'spring 2026').sampled.map(({ node, check }) => `${node}/${check}`)
    expect(drawn.trimEnd().split('\n')).toEqual(ours)
  })

  test('does not hang on the order in which findings come, nor on their verdicts', () => {
    const turned = [...population].reverse().map((one): SampledFinding => ({ ...one, verdict: 'not-satisfied' }))
    const places = (sample: ReturnType<typeof drawSample>) => sample.sampled.map(({ place }) => place)
    expect(places(drawSample(turned, 15, 's'))).toEqual(places(drawSample(population, 15, 's')))
  })

  test('numbers places in the sorted population, from 1', () => {
    const places = drawSample(population, 15, 's').sampled
    expect(places.find(({ place }) => place === 1)).toMatchObject({ node: 'a b', check: 'access.sshd' })
    expect(places.find(({ place }) => place === 15)).toMatchObject({ node: 'Ünal', check: 'time.sync' })
    expect([...places].map(({ place }) => place).sort((a, b) => a - b)).toEqual(population.map((_, index) => index + 1))
  })

  test('draws all there is when more is asked for, and nothing from nothing', () => {
    expect(drawSample(population, 1000, 's').sampled).toHaveLength(15)
    expect(drawSample([], 5, 's')).toMatchObject({ seed: 's', population: 0, strata: [], sampled: [] })
  })

  test('draws otherwise for another seed', () => {
    expect(drawSample(population, 5, 'a').sampled).not.toEqual(drawSample(population, 5, 'b').sampled)
  })
})

/** Results of three nodes with known verdicts. */
const mixed: readonly SampledFinding[] = ['n1', 'n2', 'n3'].flatMap((node) =>
  (
    [
      ['c.critical', 'not-satisfied', 'critical', true],
      ['c.low', 'not-satisfied', 'low', true],
      ['c.open', 'inconclusive', null, true],
      ['c.good', 'satisfied', null, true],
      ['c.better', 'satisfied', null, true],
      ['c.context', 'satisfied', null, false],
      ['c.silent', 'not-tested', null, true],
      ['c.fact', 'informational', null, false],
    ] as const
  ).map(([check, verdict, severity, decides]) => ({ node, check, verdict, severity, decides })),
)
const terms = { size: 6, seed: 'autumn', from: 'deciding', stratified: true } as const

describe('a population', () => {
  test.each([
    ['deciding', 15],
    ['tested', 18],
    ['all', 24],
  ] as const)('%s', (from, population) => expect(draw(mixed, { ...terms, from }).population).toBe(population))
})

describe('a stratified sample', () => {
  test.each<[Verdict, Severity | null, string]>([
    ['not-satisfied', 'critical', 'severe'],
    ['not-satisfied', 'high', 'severe'],
    ['not-satisfied', 'medium', 'not-satisfied'],
    ['not-satisfied', null, 'not-satisfied'],
    ['inconclusive', null, 'inconclusive'],
    ['satisfied', null, 'satisfied'],
    ['not-tested', null, 'other'],
    ['informational', null, 'other'],
  ])('%s, %s is in %s', (verdict, severity, stratum) => expect(stratumOf({ verdict, severity })).toBe(stratum))

  test('takes one of each stratum in turn, and counts what it took', () => {
    const { sampled, strata } = draw(mixed, terms)
    expect(sampled.map(({ stratum }) => stratum)).toEqual([
      'severe',
      'not-satisfied',
      'inconclusive',
      'satisfied',
      'severe',
      'not-satisfied',
    ])
    expect(strata).toEqual([
      { stratum: 'severe', population: 3, sampled: 2 },
      { stratum: 'not-satisfied', population: 3, sampled: 2 },
      { stratum: 'inconclusive', population: 3, sampled: 1 },
      { stratum: 'satisfied', population: 6, sampled: 1 },
    ])
  })

  test('passes over a stratum that is used up, and draws all there is', () => {
    const { sampled } = draw(mixed, { ...terms, size: 1000 })
    expect(sampled).toHaveLength(15)
    expect(new Set(sampled.map(({ place }) => place)).size).toBe(15)
    expect(sampled.slice(-3).map(({ stratum }) => stratum)).toEqual(['satisfied', 'satisfied', 'satisfied'])
  })

  testUnless(lacks, 'is what a shell draws', () => {
    const script = `
      while read -r stratum node check; do
        digest=$(printf '%s\\n%s\\n%s' "$1" "$node" "$check" | sha256sum | cut -d' ' -f1)
        printf '%s %s %s/%s\\n' "$stratum" "$digest" "$node" "$check"
      done | LC_ALL=C sort | awk '{ turn[$1]++; print turn[$1], $1, $3 }' | LC_ALL=C sort -k1,1n -k2,2 | head -n 6 | cut -d' ' -f3`
    const letter = { severe: 1, 'not-satisfied': 2, inconclusive: 3, satisfied: 4, other: 5 }
    const lines = mixed
      .filter(({ decides, verdict }) => decides && verdict !== 'not-tested')
      .map((one) => `${letter[stratumOf(one)]} ${one.node} ${one.check}\n`)
    const drawn = execFileSync('sh', ['-c', script, 'sh', 'autumn'], { input: lines.join(''), encoding: 'utf8' })
    expect(draw(mixed, terms).sampled.map(({ node, check }) => `${node}/${check}`)).toEqual(drawn.trimEnd().split('\n'))
  })
})
