import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { documentPlan } from '../main/present/document-requests.ts'
import { documentCounts } from '../main/present/report/scope/outstanding.ts'
import type { DocumentRequest, Register } from '../schemas/types.ts'
import { engagementOf } from './support/engagement.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'

const recordings = [fixtureRecording('demo-gpu-01', catalog.probes)]
const [first, second] = catalog.requests.filter(({ heldBy }) => heldBy === 'document')
const asked = (control: string | undefined, owner: string, due: string): DocumentRequest => ({
  framework: 'requests',
  control: control ?? '',
  need: catalog.requests.find(({ id }) => id === control)?.title ?? '',
  owner,
  due: `${due}T23:59:59.999Z`,
})
const matterOf = (documentRequests: readonly DocumentRequest[], fieldwork: string | null = null, entity = 'Clinic') => {
  const register: Register = { ...EMPTY_REGISTER, documentRequests }
  const engagement = { ...engagementOf({ nodes: ['demo-gpu-01'] }), entity, fieldwork }
  const scope = { fleet: 'demo', population: ['demo-gpu-01'], frameworks: ['hipaa', 'soc2'], engagement }
  return { catalog, register, assessment: assess({ catalog, scope, recordings, asOf: FIXTURE_TIME, register }) }
}

const AHEAD = '2027-06-01'

describe('outstanding documents by owner', () => {
  test('every outstanding document is listed once, as the report counts it', () => {
    const matter = matterOf([asked(first?.id, 'J. Lin', AHEAD)])
    const plan = documentPlan(matter)
    const { outstanding, needed } = documentCounts(matter)
    expect(outstanding.length).toBeGreaterThan(2)
    expect(plan).toMatchObject({ outstanding: outstanding.length, needed })
    const listed = plan.owners.flatMap(({ documents }) => documents.map(({ id }) => id))
    expect([...listed].sort()).toEqual(outstanding.map(({ id }) => id).sort())
  })

  test('the soonest due day comes first, and documents without an owner last, without a message', () => {
    const { owners } = documentPlan(
      matterOf([asked(first?.id, 'A. Late', '2027-07-01'), asked(second?.id, 'Z. Soon', AHEAD)]),
    )
    expect(owners.map(({ owner }) => owner)).toEqual(['Z. Soon', 'A. Late', null])
    expect(owners.map(({ message }) => message === null)).toEqual([false, false, true])
    expect(owners[0]?.documents).toMatchObject([{ id: second?.id, due: AHEAD, isOverdue: false }])
  })

  test('a message states every document of its owner with its day, and the day of fieldwork', () => {
    const requests = [asked(first?.id, 'J. Lin', '2020-01-01'), asked(second?.id, 'J. Lin', AHEAD)]
    const message = documentPlan(matterOf(requests, '2027-08-02')).owners[0]?.message ?? ''
    for (const one of [first, second]) {
      expect(message).toContain(`${one?.id} ${one?.title}`)
      expect(message).toContain(one?.inspects ?? '-')
    }
    expect(message).toContain('Due: 1 Jan 2020 (overdue)')
    expect(message).toContain('2 Aug 2027')
    expect(documentPlan(matterOf(requests)).owners[0]?.message).not.toContain('Fieldwork')
  })

  test('a hostile name adds no line and no invisible character to a message', () => {
    const hostile = 'J. Lin\r\nBcc: all@example.org\n\nPay \u202eat once\u0000'
    const plan = documentPlan(matterOf([asked(first?.id, hostile, AHEAD)], null, 'Clinic\nSubject: other'))
    const usual = documentPlan(matterOf([asked(first?.id, 'J. Lin', AHEAD)]))
    const [message = '', before = ''] = [plan, usual].map(({ owners }) => owners[0]?.message ?? '')
    expect(message.split('\n')).toHaveLength(before.split('\n').length)
    expect(message.split('\n').filter((line) => /^(Subject|Bcc):/.test(line))).toHaveLength(1)
    expect(message).not.toMatch(/[\u0000\r\u202e]/)
  })
})
