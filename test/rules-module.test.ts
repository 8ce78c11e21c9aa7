import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { RULES } from '../main/catalog/definition/definition.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { buildRules, readLock } from './support/rules-module.ts'

describe('the module of rules', () => {
  test('is the one that is locked for its version', async () => {
    const { code, sha256 } = await buildRules()
    const lock = readLock()
    expect(lock.version, 'The version was raised: run npm run rules:lock.').toBe(RULES.version)
    const changed = `Rules changed since version ${lock.version} was locked: raise the version in main/catalog/definition/version.ts, then run npm run rules:lock.`
    expect(sha256, changed).toBe(lock.sha256)
    expect(createHash('sha256').update(code).digest('hex')).toBe(sha256)
    expect(catalog.module).toBe(sha256)
    // Steps are corrected without another version of the rules.
    expect(code).not.toContain('"sideEffects"')
    expect(code).not.toContain('sideEffects:')
  })
})
