import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { VERIFY_SH } from '../../main/core/pack/verify-text.ts'
import { folderOfTests } from '../support/folders.ts'
import { judgeVector, type VectorAnswer } from '../support/judge-vector.ts'
import { describeUnless } from '../support/needing.ts'
import { makeVectors, type VectorSet } from '../support/vectors.ts'

const NEEDED = ['openssl', 'sha256sum', 'unzip']
const absent = NEEDED.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0)
const why = absent.length === 0 ? null : `${absent.join(', ')} absent`

type Expected = VectorAnswer & { readonly what: string }
const expected: Readonly<Record<string, Expected>> = JSON.parse(readFileSync('test/vectors/expected.json', 'utf8'))
const rows = Object.entries(expected).map(([id, one]) => [id, one.what, one] as const)

/** What verify.sh names as beyond it, in its own text, for the vectors that it passes and `verify` does not. */
const BEYOND: readonly (readonly [ids: RegExp, stated: string])[] = [
  [/^signer-no-lists$/, 'gap "Whether $1 was revoked: no list in the pack covers its chain."'],
  [
    /^signer-/,
    "gap 'Whether the servers reported truthfully, and whether the results and all other files follow from the captures.'",
  ],
  [/^archive-(16|24)$/, '# - zip files that two readers interpret differently, beyond those that unzip warns of'],
]

test('at least 80 vectors are expected, and each that only `verify` refuses is one that verify.sh states it cannot', () => {
  expect(rows.length).toBeGreaterThanOrEqual(80)
  const refused = rows.filter(([, , { exit, script }]) => script === 'passes' && exit !== 0)
  expect(refused.length).toBeGreaterThan(0)
  for (const [id] of refused) {
    const stated = BEYOND.find(([ids]) => ids.test(id))?.[1]
    expect(stated, id).toBeDefined()
    expect(VERIFY_SH, id).toContain(stated)
  }
  expect(rows.filter(([, , { exit, script }]) => script === 'stops' && exit === 0)).toEqual([])
})

describeUnless(why, 'test vectors', () => {
  const folder = folderOfTests('vectors')
  let made: VectorSet
  beforeAll(async () => {
    made = await makeVectors(folder)
  })

  test('are the ones that are expected', () => {
    expect(made.vectors.map(({ id, what }) => [id, what])).toEqual(rows.map(([id, what]) => [id, what]))
  })

  test.each(rows)('%s: %s', async (id, _, { what: __, ...answer }) => {
    const bytes = await made.vectors.find((one) => one.id === id)?.bytes()
    expect(await judgeVector(folder, bytes ?? new Uint8Array(), made)).toEqual(answer)
  })
})
