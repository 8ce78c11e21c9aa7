import { expect, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { collectedBy, dependenceOf } from '../main/core/conclusion/assessor.ts'
import { declaredWords } from '../main/verify/disclosure/cuts/words.ts'
import type { Assessment, NodeAssessment, Operator, Recording } from '../schemas/types.ts'

const BOOT = '5f0c1c1e-7b5e-4a53-9a1e-0d3c2b1a0f9e'
const OPERATOR: Operator = { user: 'mortiz', host: 'audit-laptop.acme.example', boot: sha256('another'), program: null }

interface About {
  readonly operator?: Operator
  readonly node?: Partial<Recording['node']>
}

const recorded = ({ operator, node = {} }: About) => ({
  recording: {
    node: { name: 'gpu-01', address: '203.0.113.10', ...node },
    collector: { version: '1', ...(operator && { operator }) },
  } as Recording,
})
const assessed = (boot: string | null): Pick<Assessment, 'nodes'> => ({
  nodes: [{ node: 'gpu-01', machine: { identity: { boot } } } as NodeAssessment],
})
const found = (about: About, boot: string | null = BOOT) => dependenceOf([recorded(about)], assessed(boot))

test('recordings without it are counted as not recorded', () => {
  expect(collectedBy([recorded({}), recorded({ operator: OPERATOR }), recorded({ operator: OPERATOR })])).toEqual(
    expect.arrayContaining([
      { operator: null, recordings: 1 },
      { operator: OPERATOR, recordings: 2 },
    ]),
  )
  expect(found({})).toEqual([])
})

test.each<[string, Partial<Operator>, string | null, unknown]>([
  ['another computer', {}, BOOT, []],
  [
    'the kernel of a node',
    { boot: sha256(BOOT) },
    BOOT,
    [{ kind: 'host', host: OPERATOR.host, node: 'gpu-01', by: 'boot' }],
  ],
  ['the name of a node, its boot id not read', { host: 'GPU-01.acme.example' }, null, [{ by: 'name', node: 'gpu-01' }]],
  ['the name of a node, and no boot id of its own', { host: 'gpu-01', boot: null }, BOOT, [{ by: 'name' }]],
  ['the name of a node, and another kernel', { host: 'gpu-01' }, BOOT, []],
  ['no name', { host: 'localhost' }, null, []],
])('a collector with %s', (_, changes, boot, expected) => {
  const dependence = found({ operator: { ...OPERATOR, ...changes } }, boot)
  if (Array.isArray(expected) && expected.length === 0) expect(dependence).toEqual([])
  else expect(dependence).toMatchObject(expected as object)
})

test.each<[string, Partial<Recording['node']>, string, unknown]>([
  ['on the roster', { roster: ['mortiz'] }, 'mortiz', 'roster'],
  ['declared', { accounts: [{ account: 'mortiz', kind: 'person' }] }, 'mortiz', 'account'],
  [
    'an administrator',
    { accounts: [{ account: 'mortiz', kind: 'person', administrator: true }] },
    'mortiz',
    'administrator',
  ],
  ['root, as everywhere', { roster: ['root'] }, 'root', undefined],
  ['unknown to the nodes', { roster: ['kadeyemi'] }, 'mortiz', undefined],
])('a user who is %s', (_, node, user, role) => {
  const [one] = found({ operator: { ...OPERATOR, user }, node })
  expect(one?.kind === 'user' ? one.role : undefined).toBe(role)
})

test('a redacted copy finds user and computer in every file', () => {
  const { recording } = recorded({ operator: OPERATOR })
  const bytes = new TextEncoder().encode(JSON.stringify(recording))
  expect(declaredWords('data/nodes/gpu-01/recording.json', bytes)).toEqual(
    expect.arrayContaining([
      { text: OPERATOR.user, class: 'user' },
      { text: OPERATOR.host, class: 'host' },
    ]),
  )
})
