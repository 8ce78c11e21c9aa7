import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { imitated } from '../main/core/base/look-alike.ts'

const titled = (title: string) => imitated({ id: 'house-rules', title }, catalog.frameworks)
const named = (id: string) => imitated({ id, title: 'House rules' }, catalog.frameworks)

describe('a framework of a customer imitates a built-in one', () => {
  test.each([
    'HIPAA Security Rule',
    'The HIPAA Security Rule',
    'HIPAA Security Rule 2026',
    'US HIPAA Security Rules (full)',
    'Security Rule, 45 CFR 164',
    '45 CFR Part 164 Subpart C',
    '45 CFR 164.308–164.316',
    'HIPAA requirements',
    'The H\u200bIPAA\u3164Security Rule',
    'The \u041dI\u0420\u0410\u0410 Security\u2012Rule',
    'AICPA SOC 2 trust services criteria',
    'SOC 2\u00ae Type 2',
    'SOC Type II',
    'Trust Services Criteria',
    'Proposed Security Rule changes',
  ])('by its title %s', (title) => {
    expect(titled(title)).toBe('title')
  })

  test.each(['hipaa', 'h1paa', 'the-hipaa', 'hipaa-2013', 'hipaa.security', 'soc2-2017', 'soc-2-criteria'])(
    'by its ID %s',
    (id) => {
      expect(named(id)).toBe('id')
    },
  )
})

test.each([
  'House rules',
  'Acme controls for the HIPAA Security Rule',
  'HITRUST CSF v11',
  'HIPAA Privacy Rule',
  'ISO/IEC 27001:2022',
  'PCI DSS 4.0',
  'NIST SP 800-53 rev. 5',
  'Security policy',
  'SOC runbook',
  'Internal criteria 2026',
])('a framework titled %s has a name of its own', (title) => {
  expect(titled(title)).toBeNull()
})

test.each(['house-rules', 'acme-hipaa', 'iso-27017', 'soc-runbook', 'security'])('so has the ID %s', (id) => {
  expect(named(id)).toBeNull()
})
