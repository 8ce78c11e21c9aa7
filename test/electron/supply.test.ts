import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importsIn } from '../support/imports-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const json = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T

type Versions = Readonly<Record<string, string>>
interface Manifest {
  readonly dependencies: Versions
  readonly optionalDependencies: Versions
  readonly devDependencies: Versions
}

interface Locked {
  readonly dependencies?: Versions
  readonly version: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly license?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly engines?: { readonly node?: string }
}

const manifest = json<Manifest>('package.json')
const lock = json<{ lockfileVersion: number; packages: Readonly<Record<string, Locked & Partial<Manifest>>> }>(
  'package-lock.json',
)
const installed = Object.entries(lock.packages).filter(([path]) => path !== '')
const PAGES = ['@internationalized/date', '@tabler/icons-react', 'react-aria-components', 'react-dom']
/** Packages for development alone, except that the build takes the pages from some of them. */
const bundled = treeOf(packagesImportedBy('renderer'))
const shipped = installed.filter(([path, { dev }]) => dev !== true || bundled.has(path))

describe('20: what the product is made of', () => {
  test('has the packages of the pages, which the build takes into files of our own, and which no server needs', () => {
    expect([...bundled]).toEqual(expect.arrayContaining(PAGES.map((name) => `node_modules/${name}`)))
    expect(PAGES.filter((name) => manifest.devDependencies[name] === undefined)).toEqual([])
    // What main/ imports is installed with the server.
    const installedWithServer = { ...manifest.dependencies, ...manifest.optionalDependencies }
    const missing = packagesImportedBy('main').filter((name) => name !== 'electron' && !(name in installedWithServer))
    expect(missing).toEqual([])
  })
  test('is named by exact versions', () => {
    const all = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies }
    for (const [name, version] of Object.entries(all)) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
  })
  test('is locked, each package by its digest, from the one registry', () => {
    expect(lock.lockfileVersion).toBe(3)
    const { dependencies, devDependencies, optionalDependencies } = manifest
    expect(lock.packages['']).toMatchObject({ dependencies, devDependencies, optionalDependencies })
    for (const [path, { resolved, integrity, dev, optional }] of installed) {
      // Where it says no place, it is the registry that npm is set to; the digest holds wherever it comes from.
      if (resolved !== undefined) expect(resolved, path).toMatch(/^https:\/\/registry\.npmjs\.org\//)
      // Tools for systems that this lock was not made on; none is shipped.
      if (integrity === undefined) expect([path, dev, optional]).toEqual([path, true, true])
      else expect(integrity, path).toMatch(/^sha512-/)
    }
  })
  test('runs no scripts of packages when it is installed', () => {
    expect(readFileSync(join(root, '.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true')
    // They would like to, and need not: each works as it comes, or is not needed.
    expect(shipped.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []))).toEqual([
      'node_modules/cpu-features',
      'node_modules/pkcs11js',
      'node_modules/ssh2',
    ])
  })
  test.each(['20.19.0', '22.12.0', '22.23.0', '24.0.0'])('runs on Node %s according to every package', (version) => {
    const refusing = shipped.filter(([, { engines }]) => engines?.node !== undefined && !admits(engines.node, version))
    expect(refusing.map(([path, { engines }]) => `${path} asks for ${engines?.node}`)).toEqual([])
  })
  test.each([
    ['>=22', false],
    ['>= 0.4', true],
    ['>= 10.x', true],
    ['>= 20.20.x', false],
    ['>=20.20', false],
    ['^14.21.3 || >=16', true],
    ['^18 || ^22', false],
    ['^20.19.0 || >=22.12.0', true],
    ['>=18 <20', false],
  ])('reads from “%s” whether Node 20.19.0 is admitted', (range, is) => {
    expect(admits(range, '20.19.0')).toBe(is)
    expect(() => admits('20.x', '20.19.0')).toThrow('not understood')
  })
  const LICENCES = [
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'ISC',
    'MIT',
    'MIT AND OFL-1.1',
    'OFL-1.1',
    'Unlicense',
  ]
  test.each(shipped)('%s has a licence that lets us ship it', (path, { license }) => {
    // An optional package that this system does not have is not shipped from here either.
    if (license === undefined && !existsSync(join(root, path))) return
    const said = license ?? licenceIn(path)
    expect(LICENCES).toContain(said)
  })
})

/** The names of packages that source files of a folder import. */
function packagesImportedBy(folder: string): readonly string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  const specifiers = files
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => importsIn(readFileSync(join(root, folder, name), 'utf8')))
  const names = specifiers.map((one) => /^(?:@[^/]+\/)?[^./:@][^/:]*(?=\/|$)/.exec(one)?.[0] ?? '')
  return [...new Set(names)].filter((name) => name !== '').sort()
}

/** The places of packages in the lock, with all that they need. */
function treeOf(names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const placeOf = (name: string, from: string): string => {
    const path = `${from}${from === '' ? '' : '/'}node_modules/${name}`
    return path in lock.packages || from === ''
      ? path
      : placeOf(name, from.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''))
  }
  const add = (path: string): void => {
    if (found.has(path)) return
    found.add(path)
    for (const name of Object.keys(lock.packages[path]?.dependencies ?? {})) add(placeOf(name, path))
  }
  for (const name of names) add(placeOf(name, ''))
  return found
}

/** Older packages say it in another way, or only in the licence itself. */
function licenceIn(path: string): string | undefined {
  const said = json<{ licenses?: readonly { readonly type: string }[] }>(join(path, 'package.json')).licenses?.[0]?.type
  return said ?? (readFileSync(join(root, path, 'LICENSE'), 'utf8').startsWith('MIT License') ? 'MIT' : undefined)
}

/**
 * A test of a commit says the same next year, so today's date decides nothing here by itself. A release is built with
 * BAREWITNESS_RELEASE=1, and then a list that no one has looked at for 120 days is refused; 60 days are told of in any build.
 */
describe('20: Electron', () => {
  const support = json<{ looked: string; supported: readonly number[]; floor: string }>(
    'test/electron/electron-support.json',
  )
  const numbers = (version: string): readonly number[] => version.split('.').map(Number)
  const atLeast = (version: string, floor: string): boolean => {
    const [a, b] = [numbers(version), numbers(floor)]
    const at = a.findIndex((value, index) => value !== b[index])
    return at === -1 || (a[at] ?? 0) > (b[at] ?? 0)
  }
  const version = manifest.devDependencies.electron ?? '0'
  test('is at or above the floor, and of a major version that is looked after', () => {
    expect([atLeast('35.7.5', '35.7.5'), atLeast('35.7.4', '35.7.5'), atLeast('36.0.0', '35.7.5')]).toEqual([
      true,
      false,
      true,
    ])
    expect(atLeast(version, support.floor)).toBe(true)
    expect(support.supported).toContain(numbers(version)[0])
  })
  test('was looked up not long before a release', () => {
    const days = Math.floor((Date.now() - Date.parse(support.looked)) / 86_400_000)
    if (days > 60) process.stderr.write(`Electron’s supported versions were looked up ${days} days ago: look again\n`)
    if (process.env.BAREWITNESS_RELEASE === '1') expect(days).toBeLessThanOrEqual(120)
    expect(support.looked).toMatch(/^\d{4}-\d\d-\d\d$/)
  })
})

/** Whether a range of versions holds this one. Knows >=, <, ^, || and a last .x, which is all that our packages use; throws at anything else. */
function admits(range: string, version: string): boolean {
  const own = parts(version)
  const holds = (comparator: string): boolean => {
    const [, sign, text = ''] = /^(>=|<|\^)(\d+(?:\.\d+){0,2})(?:\.x)?$/.exec(comparator) ?? []
    const limit = parts(text)
    const at = own.findIndex((part, place) => part !== limit[place])
    const isAtLeast = (own[at] ?? 0) >= (limit[at] ?? 0)
    if (sign === '>=') return isAtLeast
    if (sign === '<') return !isAtLeast
    if (sign === '^' && limit[0] !== 0) return isAtLeast && own[0] === limit[0]
    throw new Error(`the range ${range} is not understood`)
  }
  return range.split('||').some((one) =>
    one
      .trim()
      .replace(/(>=|<|\^) +/g, '$1')
      .split(/ +/)
      .every(holds),
  )
}

const parts = (version: string): readonly number[] => [0, 1, 2].map((at) => Number(version.split('.')[at] ?? 0))
