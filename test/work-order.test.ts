import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { familyOf, remediationOf, variantsFor } from '../main/catalog/definition/remediation.ts'
import { codeBlock, markdownText } from '../main/core/base/plain-text.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import {
  providerLetterMarkdown,
  providerLetterOf,
  type WorkOrder,
  workOrderOf,
} from '../main/core/finding/work-order.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { textRows } from '../main/present/formats/grids/grid.ts'
import { workOrderGrid } from '../main/present/formats/grids/tickets.ts'
import { workOrderMarkdown } from '../main/present/formats/work-order-document.ts'
import type { Assessment, DistributionFamily, NodeAssessment, ProviderProfile, Register } from '../schemas/types.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'
import { registerOf, riskAcceptanceOf } from './support/register.ts'

const HOSTILE = '<script>alert(1)</script> `| [x](http://evil.example) www.evil.example \u202e\n# Heading @root'

const provider: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'example-metal',
  name: 'Example Metal',
  asOf: '2026-11-01',
  notes: [],
  sources: [{ id: 'page', kind: 'page', title: 'Product page', where: 'GPU servers', on: '2026-11-01' }],
  claims: [
    {
      id: 'bare',
      text: 'Servers run without a hypervisor.',
      quote: HOSTILE,
      source: 'page',
      tests: [{ check: 'tenancy.no-hypervisor' }],
      otherwise: null,
      why: null,
      documentRequired: null,
    },
    {
      id: 'erased',
      text: 'Drives are erased between tenants.',
      source: 'page',
      tests: [],
      otherwise: 'document-required',
      why: 'No server shows what was on it before.',
      documentRequired: 'the sanitization certificates by serial number',
    },
  ],
}

function assessed(name: string, register: Register = EMPTY_REGISTER): Assessment {
  const recording = fixtureRecording(name, catalog.probes)
  const population = [recording.recording.node.name]
  const scope = { fleet: 'test', population, frameworks: [], provider }
  return assess({ catalog, scope, recordings: [recording], asOf: FIXTURE_TIME, register })
}

function orderOf(
  { nodes, asOf, demo }: Assessment,
  family: DistributionFamily | null,
  register: Register = EMPTY_REGISTER,
): WorkOrder {
  const [node] = nodes as [NodeAssessment]
  return workOrderOf({ catalog, node, asOf, demo, register, family, holds: () => false, remediationOf, variantsFor })
}

const shared = assessed('demo-shared-05')

describe('a work order', () => {
  const order = orderOf(shared, 'debian')
  const markdown = workOrderMarkdown(order)

  test('has each check that is not satisfied, and no other', () => {
    const deviating = shared.nodes[0]?.results.filter(({ verdict }) => verdict === 'not-satisfied')
    expect(order.items.map(({ check }) => check).sort()).toEqual(deviating?.map(({ check }) => check).sort())
    expect(order.items.length).toBeGreaterThan(10)
  })

  test('begins with the most severe', () => {
    const ranks = order.items.map(({ severity }) =>
      ['critical', 'high', 'medium', 'low', 'info'].indexOf(severity.severity),
    )
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b))
  })

  test('rates a deviation on its node as the finding does', () => {
    const [node] = shared.nodes as [NodeAssessment]
    const { asOf, demo } = shared
    const about = { catalog, node, asOf, demo, register: EMPTY_REGISTER, family: null, remediationOf, variantsFor }
    const rated = workOrderOf({ ...about, holds: (fact) => fact === 'ephi' })
    const item = (one: WorkOrder) => one.items.find(({ check }) => check === 'tenancy.user-census')?.severity.severity
    expect([item(order), item(rated)]).toEqual(['high', 'critical'])
  })

  test('states condition, severity with reason, steps, verification, side effects and who can change it', () => {
    for (const { check, condition, severity, remediation, variants } of order.items) {
      expect(variants, check).not.toEqual([])
      for (const text of [condition, severity.why, remediation.sideEffects])
        expect(markdown).toContain(markdownText(text))
      for (const { title, verify } of variants) {
        expect(markdown).toContain(`### ${markdownText(title)}`)
        expect(markdown).toContain(`Expected: ${markdownText(verify.expected)}`)
      }
    }
    expect(markdown).toContain('Who can change it: You, or the provider')
  })

  test('has the steps of the node’s family only, and of all where it is not known', () => {
    const families = orderOf(shared, 'debian').items.flatMap(({ variants }) => variants.flatMap((one) => one.families))
    expect(families.some((one) => one === 'debian')).toBe(true)
    const others = orderOf(shared, 'debian').items.flatMap(({ variants }) =>
      variants.filter((one) => !one.families.includes('debian') && !one.families.includes('any')),
    )
    expect(others).toEqual([])
    const all = orderOf(shared, null).items.flatMap(({ variants }) => variants)
    expect(all.length).toBeGreaterThan(order.items.flatMap(({ variants }) => variants).length)
  })

  test('counts what is not decided, and gives no score', () => {
    expect(markdown).toContain(`${order.inconclusive} inconclusive or not tested checks`)
    expect(markdown).not.toMatch(/\bscores?\b|(?<!-)\bgrade\b/i)
  })

  test('names what the same change settles on this node', () => {
    const item = order.items.find(({ check }) => check === 'access.roster-match')
    const deviating = new Set(order.items.map(({ check }) => check))
    expect(item?.alsoHere.every((id) => deviating.has(id))).toBe(true)
  })

  test('names a risk acceptance in effect', () => {
    const accepted = riskAcceptanceOf({
      check: 'access.sshd.mfa',
      nodes: [order.node],
      acceptedAt: '2026-11-01T00:00:00.000Z',
      expiresAt: '2027-01-01T00:00:00.000Z',
    })
    const register = registerOf({ riskAcceptances: [accepted] })
    const item = orderOf(shared, 'debian', register).items.find(({ check }) => check === 'access.sshd.mfa')
    expect([item?.accepted?.id, item?.accepted?.until]).toEqual([accepted.id, '2027-01-01T00:00:00.000Z'])
  })

  test('as a table has one row for each deviation and way to remedy it', () => {
    const rows = [...textRows(workOrderGrid([order]).columns, workOrderGrid([order]).rows)]
    expect(rows).toHaveLength(1 + order.items.flatMap(({ variants }) => variants).length)
    expect(new Set(rows.map((row) => row.length)).size).toBe(1)
  })
})

describe('text from a node or a provider', () => {
  const [item] = orderOf(shared, 'debian').items
  const hostile = { ...orderOf(shared, 'debian'), node: HOSTILE, items: item ? [{ ...item, observed: [HOSTILE] }] : [] }

  test('has no effect in Markdown', () => {
    for (const text of [
      workOrderMarkdown(hostile),
      providerLetterMarkdown(
        providerLetterOf(assessed('demo-guest-03'), [orderOf(assessed('demo-guest-03'), null)]),
        catalog,
      ),
    ]) {
      expect(text).not.toMatch(/(?<!\\)<script|(?<!\\)\[x|:\/\/evil|www\.evil|\u202e/)
      expect(text).not.toMatch(/^# Heading/m)
    }
  })

  test('has no effect in a table', () => {
    const rows = [...textRows(workOrderGrid([hostile]).columns, workOrderGrid([hostile]).rows)]
    expect(rows.flat().some((cell) => /[\u202e\n]/.test(cell))).toBe(false)
  })

  test('a block of lines holds lines with fences', () => {
    expect(codeBlock(['```', 'x'])).toEqual(['````sh', '```', 'x', '````'])
    expect(codeBlock(['x'])[0]).toBe('```sh')
  })
})

describe('a letter to the provider', () => {
  const guest = assessed('demo-guest-03')
  const letter = providerLetterOf(guest, [orderOf(guest, null)])
  const text = providerLetterMarkdown(letter, catalog)

  test('has the claims that tests contradict, and those that need documents', () => {
    expect(letter.contradicted.map(({ claim }) => claim.id)).toEqual(['bare'])
    expect(letter.needsDocument.map(({ claim }) => claim.id)).toEqual(['erased'])
    expect(text).toContain('Document: the sanitization certificates by serial number')
    expect(text).toContain('Source: Product page, GPU servers')
  })

  test('has what deviations require of the provider, and nothing for others', () => {
    expect(letter.requested.length).toBeGreaterThan(0)
    expect(letter.requested.every(({ ask }) => ask.of === 'provider')).toBe(true)
  })

  test('states where there is nothing to request', () => {
    const empty = { ...letter, contradicted: [], needsDocument: [], requested: [] }
    expect(providerLetterMarkdown(empty, catalog)).toContain('There is nothing to request.')
  })
})

test.each([
  ['fx-dist-debian-13', 'debian'],
  ['fx-dist-rhel-9', 'rhel'],
  ['fx-dist-suse', 'suse'],
  ['fx-dist-busybox', null],
])('the family of %s is read from its evidence', (name, family) =>
  expect(familyOf(fixtureRecording(name, catalog.probes))).toBe(family),
)
