import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import { build, type Plugin } from 'vite'
import { GLOBALS } from '../../main/adapters/kept-rules/index.ts'
import type { SubjectData } from '../../main/catalog/base/subject.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { freeNames } from './free-names.ts'

export const LOCK = 'main/catalog/definition/rules-lock.json'

/** The version and digest of the module of rules, as they are kept under version control. */
export interface RulesLock {
  readonly version: string
  readonly sha256: string
}

export const readLock = (): RulesLock => JSON.parse(readFileSync(resolve(LOCK), 'utf8')) as RulesLock

/** Remediation is no rule: steps are corrected without another version of the rules. */
const withoutRemediation: Plugin = {
  name: 'without-remediation',
  enforce: 'pre',
  transform: {
    filter: { id: /\/main\/catalog\/(?:[^/]+\/){1,2}checks\.json$/ },
    handler(code) {
      const { checks } = JSON.parse(code) as SubjectData
      return JSON.stringify({ checks: checks.map(({ remediation: _, ...check }) => check) })
    },
  },
}

let made: ReturnType<typeof moduleOfRules> | null = null

/**
 * The rules as one ES module, built once in a process: the same sources give the same bytes, on any computer and in any folder. Throws where it would need anything
 * but `node:crypto` and the few names that kept rules are given: anything else would be missing where a later program runs them.
 */
export const buildRules = (): ReturnType<typeof moduleOfRules> => {
  made ??= moduleOfRules()
  return made
}

async function moduleOfRules(): Promise<{ readonly code: string; readonly sha256: string }> {
  const built = await build({
    configFile: false,
    root: resolve('main/catalog'),
    logLevel: 'error',
    envDir: false,
    plugins: [withoutRemediation],
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      lib: { entry: resolve('main/catalog/definition/rules.ts'), formats: ['es'], fileName: 'rules' },
      // Without comments and layout: they are no rules either.
      rollupOptions: {
        external: ['node:crypto'],
        output: { minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } },
      },
    },
  })
  const [chunk, ...more] = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  if (chunk?.type !== 'chunk' || more.length > 0) throw new Error('the rules are not one module')
  const others = [...chunk.imports, ...chunk.dynamicImports].filter((name) => name !== 'node:crypto')
  if (others.length > 0) throw new Error(`the rules take ${others.join(', ')} from outside`)
  const language = runInNewContext('Object.getOwnPropertyNames(globalThis)') as readonly string[]
  const known = new Set([...language, ...GLOBALS])
  const names = freeNames(chunk.code).filter((name) => !known.has(name))
  if (names.length > 0) throw new Error(`the rules take ${names.join(', ')} from outside`)
  return { code: chunk.code, sha256: sha256(chunk.code) }
}
