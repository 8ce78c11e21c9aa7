import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

// The layers (see docs/architecture.md): who may import whom. Packages are named one by one, so that adding one is a decision.
const MAY_IMPORT: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  schemas: ['schemas'],
  'main/core': ['schemas', 'main/core', 'node:crypto', 'geographiclib-geodesic', 'd3-geo'],
  'main/catalog': ['schemas', 'main/core', 'main/catalog'],
  'main/verify': ['schemas', 'main/core', 'main/verify'],
  'main/present': ['schemas', 'main/core', 'main/present'],
  'main/app': ['schemas', 'main/core', 'main/catalog', 'main/verify', 'main/present', 'main/app'],
  'main/adapters': [
    'schemas',
    'main/core',
    'main/verify',
    'main/present',
    'main/adapters',
    /^node:/,
    /^(ssh2|pdfkit|ajv|ajv-formats|yaml|csv-parse|csv-stringify|write-excel-file|mmdb-lib|ssh-config|pkcs11js)(\/|$)/,
  ],
  'main/cli': [
    'schemas',
    'main/core',
    'main/catalog',
    'main/verify',
    'main/present',
    'main/app',
    'main/adapters',
    'main/cli',
    /^node:/,
    'commander',
  ],
  'main/electron': [
    'schemas',
    'main/core',
    'main/catalog',
    'main/verify',
    'main/present',
    'main/app',
    'main/adapters',
    'main/electron',
    /^node:/,
    'electron',
  ],
  renderer: [
    'schemas',
    'renderer',
    /^(react|react-dom|react-aria-components)(\/|$)/,
    '@internationalized/date',
    '@tabler/icons-react',
  ],
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sourceFiles(path)
    return /\.(ts|tsx)$/.test(entry.name) ? [path] : []
  })
}

const layerOf = (path: string): string | undefined =>
  Object.keys(MAY_IMPORT).find((layer) => path === layer || path.startsWith(`${layer}/`))

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const statements =
    /^(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"\n]+)['"]|^import\s*['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]/gm
  return [...text.matchAll(statements)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
}

const files = ['schemas', 'main', 'renderer'].flatMap(sourceFiles)

describe('who may import whom', () => {
  test.each(files)('%s', (file) => {
    const layer = layerOf(file)
    expect(layer, `${file} lies in no known layer`).toBeDefined()
    for (const specifier of importsOf(file)) {
      const target = specifier.startsWith('.')
        ? (layerOf(relative(root, resolve(root, dirname(file), specifier))) ?? specifier)
        : specifier
      const allowed = MAY_IMPORT[layer ?? ''] ?? []
      const fits = allowed.some((rule) => (typeof rule === 'string' ? rule === target : rule.test(target)))
      expect(fits, `${file} imports ${specifier}`).toBe(true)
    }
  })
})

const PURE = ['main/core/', 'main/catalog/', 'main/verify/', 'main/present/']

describe('what argues, verifies and presents stays pure', () => {
  const IMPURE =
    /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bglobalThis\b|\bfetch\(|\bsetTimeout\b|\bsetInterval\b|\blocaleCompare\b|\btoLocale|\bIntl\./
  const pure = files.filter((file) => PURE.some((room) => file.startsWith(room)))
  test.each(pure)('%s', (file) => {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
    expect(code).not.toMatch(IMPURE)
  })
})

test('the top level holds what the design card names, and configuration', () => {
  const named = [
    'package.json',
    'tsconfig.json',
    'electron.vite.config.ts',
    'main',
    'renderer',
    'schemas',
    'test',
    'docs',
    'README.md',
  ]
  const configuration = [
    'package-lock.json',
    'biome.json',
    'vitest.config.ts',
    'LICENSE',
    '.gitignore',
    '.npmrc',
    '.ci',
    '.git',
    '.gitattributes',
  ]
  const produced = ['node_modules', 'out', '.cache', 'demo-out', 'screens']
  const extra = readdirSync(root).filter((name) => ![...named, ...configuration, ...produced].includes(name))
  expect(extra).toEqual([])
  expect(named.filter((name) => !readdirSync(root).includes(name))).toEqual([])
})

test('runtime dependencies are a known list', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const [name, version] of Object.entries(dependencies)) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
})

/** The engine of the window passes all ports on, and these hand a context with all of them to many others. */
const TAKE_ALL_PORTS = [
  'main/app/engine.ts',
  'main/app/engine/session.ts',
  'main/app/scheduled/scheduled-run.ts',
  'main/app/schedules.ts',
  'main/app/vantage.ts',
]

test('a use case declares the ports that it uses', () => {
  const takesAll = files.filter(
    (file) => file.startsWith('main/app/') && /[({,]\s*world: Ports\b/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(takesAll.sort()).toEqual([...TAKE_ALL_PORTS].sort())
})
