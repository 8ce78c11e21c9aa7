import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { catalogData, catalogDataProblems } from './test/support/catalog-data.ts'
import { inOneByte } from './test/support/one-byte.ts'
import { buildRules } from './test/support/rules-module.ts'
import {
  writtenCallModule,
  writtenCallValidators,
  writtenFile,
  writtenModule,
  writtenValidators,
} from './test/support/written-validators.ts'

/** The demo fleet travels with the program: the recorded nodes named demo-* are copied beside it. */
const demoFleet = {
  name: 'demo-fleet',
  closeBundle() {
    const from = resolve('test/fixtures/nodes')
    rmSync(resolve('out/demo'), { recursive: true, force: true })
    mkdirSync(resolve('out/demo'), { recursive: true })
    for (const node of readdirSync(from).filter((name) => name.startsWith('demo-')))
      cpSync(resolve(from, node), resolve('out/demo', node))
  },
}

/** Fails the build where frameworks, evidence requests or what is stated of checks are not what their schemas describe. */
const validCatalogData = {
  name: 'valid-catalog-data',
  buildStart() {
    const problems = catalogDataProblems(catalogData())
    if (problems.length > 0) throw new Error(`the catalog's data is invalid: ${problems.slice(0, 5).join('; ')}`)
  },
}

const KEPT = 'main/adapters/kept-rules'

/** The rules as one module, whose digest packs name, and the modules of earlier rules: see docs/rules.md. */
const rulesModule = {
  name: 'rules-module',
  async closeBundle() {
    mkdirSync(resolve('out/rules'), { recursive: true })
    writeFileSync(resolve('out/rules/rules.mjs'), (await buildRules()).code)
    cpSync(resolve(KEPT, 'worker.mjs'), resolve('out/rules/worker.mjs'))
    // Git keeps no empty folder: before the first version that is kept there is none.
    if (existsSync(resolve(KEPT, 'modules')))
      cpSync(resolve(KEPT, 'modules'), resolve('out/rules/kept'), { recursive: true })
  },
}

/** What validates documents and calls is compiled from their schemas by the build: compiling takes longer than most of what a command does. */
const validatorsWritten: Plugin = {
  name: 'validators-written',
  enforce: 'pre',
  load: {
    filter: { id: /\/main\/adapters\/(?:schema|call)-compiler\.ts$/ },
    handler(id) {
      if (id.endsWith('call-compiler.ts')) {
        this.emitFile({ type: 'asset', fileName: writtenFile('calls'), source: writtenCallValidators() })
        return { code: writtenCallModule(), moduleType: 'js' }
      }
      for (const extent of ['first', 'all'] as const)
        this.emitFile({ type: 'asset', fileName: writtenFile(extent), source: writtenValidators(extent) })
      return { code: writtenModule(), moduleType: 'js' }
    },
  },
}

/** Large data is built in as text: a program that is mostly literals takes many times as long to compile as JSON.parse takes to read them. */
const dataAsText: Plugin = {
  name: 'data-as-text',
  enforce: 'pre',
  resolveId: {
    filter: { id: /\.json$/ },
    async handler(source, importer, options) {
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
      const isOurs = [resolve('main'), resolve('schemas')].some((folder) => resolved?.id.startsWith(`${folder}${sep}`))
      if (resolved === null || !isOurs) return resolved
      return `\0${resolved.id}.text`
    },
  },
  load: {
    filter: { id: /^\0.*\.json\.text$/ },
    handler(id) {
      const file = id.slice(1, -'.text'.length)
      return {
        code: `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))))})`,
        moduleType: 'js',
      }
    },
  },
}

const oneByteCode: Plugin = {
  name: 'one-byte-code',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk') chunk.code = inOneByte(chunk.code, chunk.fileName)
  },
}

/** The window speaks English alone: the words that its component library has in other languages would be mixed into it, and are a tenth of it. */
const englishAlone: Plugin = {
  name: 'english-alone',
  enforce: 'pre',
  load(id) {
    return /\/intl\/(?:[^/]+\/)?(?!en-US\.)[a-z]{2}-[A-Z]{2}\.m?js$/.test(id)
      ? "export { default } from './en-US.mjs'"
      : null
  },
}

/**
 * What every command loads is built in: as packages, these are some 300 files to find and read at each start. The others stay packages: they
 * are loaded when they are needed, and bring native code or data files.
 */
const BUILT_IN = [
  ...['ajv', 'ajv-formats', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse', 'require-from-string'],
  ...['yaml', 'commander', 'csv-parse', 'csv-stringify', 'mmdb-lib'],
]

export default defineConfig({
  main: {
    plugins: [validCatalogData, demoFleet, rulesModule, validatorsWritten, dataAsText, oneByteCode],
    build: {
      outDir: 'out/main',
      externalizeDeps: { exclude: BUILT_IN },
      rollupOptions: {
        input: {
          index: resolve('main/electron/index.ts'),
          worker: resolve('main/electron/worker.ts'),
          cli: resolve('main/cli/index.ts'),
          'index-thread': resolve('main/adapters/pack/index-thread.ts'),
        },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      // A sandboxed preload can load no other file, so each is whole by itself.
      isolatedEntries: true,
      rollupOptions: {
        input: {
          preload: resolve('main/electron/preload.ts'),
          'prompt-preload': resolve('main/electron/prompt-preload.ts'),
        },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [englishAlone, react(), oneByteCode],
    build: {
      outDir: resolve('out/renderer'),
      minify: true,
      // The content policy allows neither data: fonts nor the polyfill's fetch.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: { index: resolve('renderer/index.html'), prompt: resolve('renderer/prompt/index.html') },
      },
    },
  },
})
