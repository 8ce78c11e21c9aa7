import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MODULES } from './mutation/modules.ts'
import { mutantName, mutantsOf } from './mutation/mutants.ts'

test.each(MODULES.map((module) => [module.path, module] as const))(
  '%s has every mutant that is listed as equivalent, and its tests',
  (path, module) => {
    const source = readFileSync(path, 'utf8')
    const names = new Set(mutantsOf(source, module).map((mutant) => mutantName(source, mutant)))
    expect(names.size).toBeGreaterThan(0)
    expect(Object.keys(module.equivalent ?? {}).filter((name) => !names.has(name))).toEqual([])
    expect(module.tests.filter((test) => !existsSync(test))).toEqual([])
  },
)
