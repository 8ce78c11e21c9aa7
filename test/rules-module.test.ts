import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { RULES } from '../main/catalog/definition.ts'
import { catalog } from '../main/catalog/index.ts'
import { buildRules, readLock } from './support/rules-module.ts'

describe('the module of rules', () => {
  test('is the one that is locked for its version', async () => {
    const { code, sha256 } = await buildRules()
    const lock = readLock()
    expect(lock.version).toBe(RULES.version)
    // Where this fails, a rule was changed: raise the version in main/catalog/version.ts, then run `npm run rules:lock`.
    expect(sha256).toBe(lock.sha256)
    expect(createHash('sha256').update(code).digest('hex')).toBe(sha256)
    expect(catalog.module).toBe(sha256)
  })
})
