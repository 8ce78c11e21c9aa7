import { beforeAll, expect, test } from 'vitest'
import { jsonBytes } from '../main/core/base/canonical-json.ts'
import { EXCERPT_PATH, partialPaths } from '../main/core/period/pack.ts'
import { verifyExcerpt } from '../main/verify/excerpt.ts'
import { validator } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { SAMPLE_RULES, samplePack, sampleSigner, sealing, sourceOf } from './support/sample-pack.ts'

// excerpt.json, which no seal covers, names exactly the enclosed nodes.

const folder = folderOfTests('excerpt-nodes')
let good: ReadonlyMap<string, Uint8Array>
beforeAll(async () => {
  good = await samplePack({ signer: await sampleSigner(folder, 'signer') })
})

/** Completeness of an excerpt that encloses nodes a and b, and names these. */
async function naming(nodes: readonly string[]): Promise<string | undefined> {
  const enclosed = new Set(partialPaths([...good.keys()], ['node-a', 'node-b']))
  const stated = jsonBytes({ schema: 'barewitness.excerpt/1', run: 'run-1', nodes, why: 'sample' })
  const { checks } = await verifyExcerpt({
    ...SAMPLE_RULES,
    source: sourceOf(new Map([...[...good].filter(([path]) => enclosed.has(path)), [EXCERPT_PATH, stated]])),
    departures: [],
    seal: sealing.reader,
    validator,
    trust: { signers: [], authorities: [], lists: [] },
    verifiedAt: '2026-11-22T00:00:00.000Z',
    file: 'excerpt',
  })
  return checks.find(({ check }) => check === 'completeness')?.outcome
}

test.each([
  [['node-a', 'node-b'], 'passed'],
  [['node-b', 'node-a'], 'passed'],
  [['node-a'], 'failed'],
  [['node-a', 'node-a'], 'failed'],
  [['node-a', 'node-b', 'node-b'], 'failed'],
  [['node-a', 'node-c'], 'failed'],
  [[], 'failed'],
])('an excerpt of two nodes that names %j: %s', async (nodes, outcome) => {
  expect(await naming(nodes)).toBe(outcome)
})
