import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { DEMO_PROVIDER, demoDeclared } from '../main/adapters/demo/demo-declared.ts'
import { summaryText } from '../main/app/evaluate/summary.ts'
import { PROVIDERS } from '../main/catalog/definition/claims/tests.ts'
import { COMMANDS } from '../main/cli/commands.ts'
import type { Context } from '../main/cli/parts/options.ts'
import { engagementTemplate } from '../main/core/engagement/template.ts'
import { layerText } from '../main/present/report/nodes/isolation.ts'
import { environmentLine } from '../renderer/models/model.ts'
import * as engagementWords from '../schemas/engagement-words.ts'
import * as words from '../schemas/words.ts'
import { argue } from './catalog/isolation-readings.ts'
import { formatSample } from './support/format-sample.ts'

function helpTexts(): readonly string[] {
  const program = new Command('barewitness')
  // No command runs here: adding one only describes it.
  const context = { program, ports: {}, exit: () => undefined } as unknown as Context
  for (const add of COMMANDS) add(context)
  const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)]
  return all(program).map((command) => command.helpInformation())
}

/** Every text in a value, however deep. */
const leaves = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : value !== null && typeof value === 'object'
      ? Object.values(value).flatMap(leaves)
      : []

const { assessment, catalog, register } = formatSample()
const declared = demoDeclared('2026-11-21T00:00:00.000Z', ['demo-gpu-01', 'demo-gpu-02'])

/** Reports, their variants and machine formats have this lint in tests of their own. */
describe('nothing over-claims in', () => {
  test.each<readonly [name: string, texts: readonly string[], atLeast: number]>([
    ['help of the command line', helpTexts(), 30],
    ['the summary', summaryText({ assessment, catalog, register, recordings: [] }).split('\n'), 30],
    ['the template of an engagement', [engagementTemplate('2026-11-21')], 1],
    ['profiles of providers', leaves([...PROVIDERS, DEMO_PROVIDER]), 50],
    ['what the demo declares', leaves(declared), 50],
    ['words of states, answers and limits', leaves([words, engagementWords].map((one) => ({ ...one }))), 200],
    ['the general limitation', [words.generalLimitation('pack records')], 1],
  ])('%s', (_, texts, atLeast) => {
    expect(texts.length).toBeGreaterThanOrEqual(atLeast)
    expect(texts.filter((text) => words.BANNED.some((banned) => banned.test(text)))).toEqual([])
  })
})

test('what a node runs on is stated in the same words in the summary, the report and the window, with what would settle it', () => {
  const isolation = argue('demo-nosudo-06')
  expect(isolation.rule.id).toBe('R8')
  const said = words.environmentText(isolation)
  expect(said).toBe(words.notEstablished)
  expect(environmentLine(isolation)).toBe(said)
  expect(layerText({ ...isolation, observations: [], anomalies: [] })).toBe(said)
  const node = assessment.nodes.find((one) => one.isolation !== null)
  if (node === undefined || node.isolation === null) throw new Error('no argued node')
  const { environment, platform, concealed, rule } = isolation
  const open = { ...node, isolation: { ...node.isolation, environment, platform, concealed, rule } }
  const summary = summaryText({ assessment: { ...assessment, nodes: [open] }, catalog, register, recordings: [] })
  expect(summary).toContain(said)
  expect(summary).toContain('“lspci -Dnvvv -d ::0604”')
  expect(summary).toContain(rule.text)
})
