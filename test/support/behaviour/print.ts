import { createWriteStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { catalog as shipped } from '../../../main/catalog/definition/index.ts'
import { canonicalJson } from '../../../main/core/base/canonical-json.ts'
import { rootCommands, sudoersFor } from '../../../main/core/collector/sudoers.ts'
import { assess } from '../../../main/core/conclusion/assess.ts'
import { argvOf } from '../../../main/core/recording/probe.ts'
import { readingsOf } from '../../../main/core/recording/readings.ts'
import type { Assessment } from '../../../schemas/types.ts'
import { assessCase } from '../corpus/assess.ts'
import { defaultCorpus, readCorpus } from '../corpus/labels.ts'
import { FIXTURE_TIME, fixtureNames, fixtureRecording } from '../fixtures.ts'

/**
 * `tsx test/support/behaviour/print.ts FILE`: what this tree concludes, one JSON value a line: `{ about, value }`. Of the catalog every
 * command and the sudoers file; of each fixture node the digests of its evidence, the facts read from it and its assessment alone; of the
 * demo nodes together the assessment with all controls; of each machine of the corpus, where that is present, what it runs on and why.
 * `compare.ts` reads two of these.
 */
const FRAMEWORKS = ['hipaa', 'soc2', 'nprm']
const AS_OF = '2026-11-21T00:00:00.000Z'

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)
/** In one order, whatever file a probe or a check is in. */
const catalog = { ...shipped, probes: [...shipped.probes].sort(byId), checks: [...shipped.checks].sort(byId) }

/** The digest of the rules changes with any word of them. */
const withoutRules = ({ catalog: _, ...assessment }: Assessment): unknown => assessment

function* lines(): Generator<readonly [about: string, value: unknown]> {
  for (const probe of catalog.probes)
    yield [
      `probe ${probe.id}`,
      Object.entries(probe.commands).map(([id, command]) => [id, command.kind, argvOf(command), command]),
    ]
  for (const { evaluate: _, ...check } of catalog.checks) yield [`check ${check.id}`, check]
  for (const { id, controls } of catalog.frameworks)
    for (const control of controls) yield [`control ${id} ${control.key}`, control]
  const sudoers = sudoersFor(rootCommands(catalog.probes), { user: 'bwaudit' }).split('\n')
  yield ['sudoers', sudoers.filter((line) => !line.startsWith('#'))]
  const names = fixtureNames()
  for (const name of names) {
    const loaded = fixtureRecording(name, catalog.probes)
    yield [`evidence ${name}`, loaded.captures.map(({ meta }) => meta)]
    yield [`facts ${name}`, readingsOf(catalog, loaded)]
    const scope = { fleet: 'fixture', population: [name], frameworks: [] }
    yield [`assessment ${name}`, withoutRules(assess({ catalog, scope, recordings: [loaded], asOf: FIXTURE_TIME }))]
  }
  const demo = names.filter((name) => name.startsWith('demo-'))
  yield [
    'demo',
    withoutRules(
      assess({
        catalog,
        scope: { fleet: 'demo', population: demo, frameworks: FRAMEWORKS },
        recordings: demo.map((name) => fixtureRecording(name, catalog.probes)),
        asOf: AS_OF,
      }),
    ),
  ]
  yield* corpus()
}

function* corpus(): Generator<readonly [string, unknown]> {
  const dir = defaultCorpus(fileURLToPath(new URL('../../..', import.meta.url)))
  let cases: ReturnType<typeof readCorpus>['cases']
  try {
    cases = readCorpus(dir).cases
  } catch {
    process.stderr.write('the corpus of labelled machines is not here: left out\n')
    return
  }
  for (const one of cases) {
    const { argument, read } = assessCase(one)
    yield [`corpus ${one.name}`, { read, argument }]
  }
}

/** Maps, sets and patterns as JSON; functions, which a check may hold, are left out by JSON itself. */
const plain = (_: string, value: unknown): unknown => {
  if (value instanceof Map || value instanceof Set) return [...value]
  return value instanceof RegExp || typeof value === 'bigint' ? String(value) : value
}

const file = process.argv[2]
if (file === undefined) throw new Error('usage: print.ts FILE')
const out = createWriteStream(file)
for (const [about, value] of lines())
  out.write(`${canonicalJson(JSON.parse(JSON.stringify({ about, value }, plain)))}\n`)
out.end()
