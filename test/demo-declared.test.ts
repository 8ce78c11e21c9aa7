import { describe, expect, test } from 'vitest'
import { demoDeclared } from '../main/adapters/demo/demo-declared.ts'
import { createSchemaValidator } from '../main/adapters/schema-validator.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { isCurrent, levelOf, REQUESTS } from '../main/core/register/documents.ts'
import { isOnePerson } from '../main/core/register/register.ts'
import { needsIn } from '../main/core/register/requests.ts'

const AS_OF = '2026-11-21T08:00:00.000Z'
const { register, engagement } = demoDeclared(AS_OF, ['demo-gpu-01', 'demo-gpu-02'])

describe('what the demo declares', () => {
  test('fits the schemas', () => {
    const validator = createSchemaValidator()
    expect(validator.problems('register', register)).toEqual([])
    expect(validator.problems('engagement', engagement)).toEqual([])
  })

  test('elects the categories that its nodes have checks for', () => {
    expect(engagement.categories).toEqual(['availability', 'confidentiality'])
  })

  test('has documents of evidence requests: one that supports, one received, one expired', () => {
    const told = register.documents.map((entry) => [
      entry.controls.map(({ framework, control }) => [framework, control]),
      levelOf(entry),
      isCurrent(entry, AS_OF),
    ])
    expect(told).toEqual([
      [[[REQUESTS, 'ER-31']], 'inspected', true],
      [[[REQUESTS, 'ER-34']], 'received', true],
      [[[REQUESTS, 'ER-37']], 'inspected', false],
    ])
    for (const { providedBy, inspection } of register.documents)
      if (inspection !== undefined)
        expect(isOnePerson({ requestedBy: providedBy, approvedBy: inspection.by })).toBe(false)
  })

  test('asks for documents that the catalog has', () => {
    const needsOf = needsIn(catalog)
    for (const { framework, control, need } of register.documentRequests)
      expect(needsOf(framework, control)).toContain(need)
    for (const { controls } of register.documents)
      for (const { framework, control } of controls) expect(needsOf(framework, control)).not.toBeNull()
  })
})
