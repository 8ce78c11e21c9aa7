import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importsIn } from './support/imports-in.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

// The layers (see docs/architecture.md): who may import whom. Packages are named one by one, so that adding one is a decision.
const MAY_IMPORT: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  schemas: ['schemas'],
  'main/core': ['schemas', 'main/core', 'node:crypto'],
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
    /^(ssh2|pdfkit|ajv|ajv-formats|yaml|csv-parse|csv-stringify|write-excel-file|saxen|mmdb-lib|ssh-config|pkcs11js|pg|aws4fetch)(\/|$)/,
  ],
  // Functions alone: sockets, files and the OpenID Connect client are in its edge.
  'main/server/edge': [
    'schemas',
    'main/core',
    'main/app',
    'main/server',
    'main/server/edge',
    /^node:/,
    'openid-client',
  ],
  'main/server': ['schemas', 'main/core', 'main/server'],
  'main/cli': [
    'schemas',
    'main/core',
    'main/catalog',
    'main/verify',
    'main/present',
    'main/app',
    'main/adapters',
    'main/server',
    'main/server/edge',
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

const importsOf = (file: string): string[] => importsIn(readFileSync(join(root, file), 'utf8'))

const targetOf = (file: string, specifier: string): string => relative(root, resolve(root, dirname(file), specifier))

/** Groups of files that import each other, directly or through others (Tarjan’s strongly connected components). */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const cycles: string[][] = []
  const visit = (file: string): number => {
    const mine = order.size
    order.set(file, mine)
    open.push(file)
    let low = mine
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (open.includes(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? low)
    }
    lowest.set(file, low)
    if (low === mine) {
      const group = open.splice(open.indexOf(file))
      if (group.length > 1 || graph.get(file)?.includes(file)) cycles.push(group.sort())
    }
    return low
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return cycles
}

const files = ['schemas', 'main', 'renderer'].flatMap(sourceFiles)

describe('who may import whom', () => {
  test.each(files)('%s', (file) => {
    const layer = layerOf(file)
    expect(layer, `${file} lies in no known layer`).toBeDefined()
    for (const specifier of importsOf(file)) {
      const target = specifier.startsWith('.') ? (layerOf(targetOf(file, specifier)) ?? specifier) : specifier
      const allowed = MAY_IMPORT[layer ?? ''] ?? []
      const fits = allowed.some((rule) => (typeof rule === 'string' ? rule === target : rule.test(target)))
      expect(fits, `${file} imports ${specifier}`).toBe(true)
    }
  })
})

describe('no file needs itself through others, types included', () => {
  const needsOf = (file: string, imports: readonly string[]): string[] =>
    imports.filter((specifier) => specifier.startsWith('.')).map((specifier) => targetOf(file, specifier))

  test('main, renderer and schemas have no cycle', () => {
    const graph = new Map(files.map((file) => [file, needsOf(file, importsOf(file))]))
    expect([...graph.values()].flat().length).toBeGreaterThan(3000)
    expect(cyclesIn(graph)).toEqual([])
  })

  test.each(['main/core', 'main/server', 'main/cli', 'renderer'])('the folders of %s neither', (room) => {
    const folderOf = (file: string): string => file.slice(room.length + 1).split('/')[0] ?? ''
    const graph = new Map<string, string[]>()
    for (const file of files.filter((one) => one.startsWith(`${room}/`))) {
      const others = needsOf(file, importsOf(file))
        .filter((target) => target.startsWith(`${room}/`) && folderOf(target) !== folderOf(file))
        .map(folderOf)
      graph.set(folderOf(file), [...(graph.get(folderOf(file)) ?? []), ...others])
    }
    expect(cyclesIn(graph)).toEqual([])
  })

  test.each([
    ['two files', { a: "import { b } from './b'", b: "import { a } from './a'" }, [['a', 'b']]],
    [
      'a detour',
      { a: "import './b'", b: "export * from './c'", c: "const d = () => import('./a')" },
      [['a', 'b', 'c']],
    ],
    [
      'two groups',
      { a: "import './b'", b: "import './a'\nimport './c'", c: "import './d'", d: "import './c'" },
      [
        ['c', 'd'],
        ['a', 'b'],
      ],
    ],
    ['itself', { a: "import { a } from './a'" }, [['a']]],
    [
      'a type',
      { a: "import { b } from './b'", b: "import type { A } from './a'\nexport type { B } from './a'" },
      [['a', 'b']],
    ],
    ['a diamond', { a: "import './b'\nimport './c'", b: "import './d'", c: "import './d'", d: '' }, []],
  ])('%s', (_, texts, cycles) => {
    expect(
      cyclesIn(new Map(Object.entries(texts).map(([file, text]) => [file, needsOf(file, importsIn(text))]))),
    ).toEqual(cycles)
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

describe('what is sealed or derived again uses no function whose last bits are the engine’s choice', () => {
  // Of powers, those of powers of two are exact. Weights in words (schemas/words.ts) have a test of their own: test/elementary.test.ts.
  const CHOSEN =
    /\bMath\.(?:a?(?:sin|cos|tan)h?|atan2|exp|expm1|log|log1p|log2|log10|pow|hypot|cbrt)\b|(?<!\b(?:2|256|1024) )\*\* |\{[^}]*\} = Math\b(?!\.)/
  const ROOMS = ['main/core/', 'main/catalog/', 'main/verify/', 'main/present/', 'main/adapters/pdf/']
  const rooms = files.filter(
    (file) => ROOMS.some((room) => file.startsWith(room)) && file !== 'main/core/base/elementary.ts',
  )
  test.each([...rooms])('%s', (file) => {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
    expect(code).not.toMatch(CHOSEN)
  })

  test('the functions of our own and the packages given them', () => {
    const own = readFileSync(join(root, 'main/core/base/elementary.ts'), 'utf8').matchAll(/\bMath\.(\w+)/g)
    const named = new Set([...own].map(([, name]) => name))
    expect([...named].sort()).toEqual(['SQRT1_2', 'SQRT2', 'ceil', 'floor', 'max', 'min', 'sign'])
    expect(readFileSync(join(root, 'main/core/base/elementary.ts'), 'utf8')).toContain(
      'const { PI, abs, round, sqrt } = Math\n',
    )
    const packages = readFileSync(join(root, 'main/core/geo/packages.js'), 'utf8')
    expect(packages).toContain("import { portableMath as Math } from '../base/elementary.ts'\n")
    expect(packages).not.toMatch(/\bglobalThis\b|\bwindow\b|\brequire\(|\bMath\.random\b/)
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
  'main/app/engine/runs/session.ts',
  'main/app/scheduled/scheduled-run.ts',
  'main/app/schedules/schedules.ts',
  'main/app/collect/vantage-nodes.ts',
]

test('a use case declares the ports that it uses', () => {
  const takesAll = files.filter(
    (file) => file.startsWith('main/app/') && /[({,]\s*ports: Ports\b/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(takesAll.sort()).toEqual([...TAKE_ALL_PORTS].sort())
})
