import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  CHAIN,
  chainFolderOf,
  FILES,
  FOLDERS,
  HISTORY_HEADS,
  inEvidence,
  isBackedUp,
  isBlobOfRun,
  isCopied,
  isOwnFolder,
  isRebuilt,
  pooledBlob,
  RECORDING,
} from '../main/core/base/layout.ts'

const LAYOUT = 'core/base/layout.ts'
const sources = readdirSync('main', { recursive: true, encoding: 'utf8' }).filter(
  // The catalog has the paths of nodes, not ours.
  (path) => path.endsWith('.ts') && path !== LAYOUT && !path.startsWith('catalog/'),
)
const codeOf = (path: string): string =>
  readFileSync(`main/${path}`, 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g, '')
    // Paths inside a pack are in core/pack/pack-files.ts and beside it.
    .replaceAll(/'data\/[^']*'/g, "''")
const escaped = (names: readonly string[]): string => names.map((name) => name.replaceAll('.', '\\.')).join('|')

const files = [...Object.values(FILES), ...Object.values(RECORDING), ...Object.values(CHAIN), HISTORY_HEADS]
const named = files.filter((name) => /\.jsonl?$/.test(name))
/** A file's name, alone or at the end of a path. */
const FILE = new RegExp(`['"\`/](?:${escaped(named)})['"\`]`)
/** A folder's name as a part of a path: after an inserted value, before a slash, or joined to another part. */
const folders = escaped(Object.values(FOLDERS))
const FOLDER = new RegExp(`\\}/(?:${folders})[/\`]|['"\`](?:${folders})/|\\bjoin\\([^)\n]*'(?:${folders})'`)

test.each(sources)('%s takes the paths of an output folder from the layout', (path) => {
  const code = codeOf(path)
  expect(FILE.exec(code)?.[0]).toBeUndefined()
  expect(FOLDER.exec(code)?.[0]).toBeUndefined()
})

test('no folder of the program is taken for a run', () => {
  for (const name of Object.values(FOLDERS)) expect(isOwnFolder(name)).toBe(true)
  expect(isOwnFolder('sha256')).toBe(true)
  expect(isOwnFolder('20261124t1936z-7316')).toBe(false)
})

test('a backup keeps evidence and what people declared, and neither keys nor copies', () => {
  const kept = ['evidence', 'chains', 'documents', 'inventories', 'provider.json', 'fleet.json.known_hosts']
  for (const name of [...kept, 'fleet-berlin.json', 'register-earlier', 'mappings.json'])
    expect(isBackedUp(name)).toBe(true)
  for (const name of ['identities', 'identity-passphrase', 'shown', 'demo', 'notes.txt'])
    expect(isBackedUp(name)).toBe(false)
})

test('an object store keeps what auditors were given and asked, and not their own papers', () => {
  const own = ['portal.jsonl', 'shared-packs', 'auditors']
  expect(own.map(isBackedUp)).toEqual([true, true, true])
  expect(own.map(isCopied)).toEqual([true, true, false])
})

test('fleets whose names a file system cannot hold have chains of their own', () => {
  expect(chainFolderOf('out', 'berlin')).toBe('out/chains/berlin')
  expect(chainFolderOf('out', 'Berlin / 1')).toMatch(/^out\/chains\/fleet-[0-9a-f]{24}$/)
})

test('the pool is no run, and its bytes are those of recordings', () => {
  const digest = 'ab'.repeat(32)
  expect(inEvidence(`evidence/run/node/sha256/${digest}`)).toEqual({ run: 'run', below: ['node', 'sha256', digest] })
  expect(inEvidence(pooledBlob('evidence', digest))).toBeNull()
  expect(isBlobOfRun(`evidence/run/node/sha256/${digest}`)).toBe(true)
  expect(isBlobOfRun(`evidence/run/node/captures.jsonl`)).toBe(false)
  expect(isRebuilt(pooledBlob('evidence', digest))).toBe(true)
  expect(isRebuilt('history/heads.jsonl')).toBe(true)
  expect(isRebuilt('evidence/run/node/recording.json')).toBe(false)
})
