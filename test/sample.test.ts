import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { drawSample, type SampledFinding } from '../main/core/sample.ts'

const finding = (node: string, check: string): SampledFinding => ({ node, check, verdict: 'satisfied' })
const nodes = ['gpu-2', 'gpu-10', 'gpu-1', 'Ünal', 'a b']
const checks = ['tenancy.no-guests', 'access.sshd', 'time.sync']
const population = nodes.flatMap((node) => checks.map((check) => finding(node, check)))

describe('a sample', () => {
  test('is what the documented rule gives, written out here', () => {
    // By hand: 12ec58b9… is of gpu-10 and access.sshd, 13fb39e9… of gpu-1 and time.sync, 225eb8c0… of gpu-10 and time.sync.
    const { sampled, ...rest } = drawSample(population, 3, '20260602')
    expect(rest).toEqual({ seed: '20260602', population: 15 })
    expect(sampled).toEqual([
      { place: 7, node: 'gpu-10', check: 'access.sshd', verdict: 'satisfied' },
      { place: 6, node: 'gpu-1', check: 'time.sync', verdict: 'satisfied' },
      { place: 9, node: 'gpu-10', check: 'time.sync', verdict: 'satisfied' },
    ])
  })

  const lacks = spawnSync('sha256sum', ['--version']).error === undefined ? '' : ' (skipped: no sha256sum here)'
  test.skipIf(lacks !== '')(`is what a shell draws${lacks}`, () => {
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
    expect(drawSample([], 5, 's')).toEqual({ seed: 's', population: 0, sampled: [] })
  })

  test('draws otherwise for another seed', () => {
    expect(drawSample(population, 5, 'a').sampled).not.toEqual(drawSample(population, 5, 'b').sampled)
  })
})
