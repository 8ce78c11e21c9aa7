import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Asked,
  countsOf,
  hasNewComment,
  nextStatuses,
  waitsFor,
  withEntry,
} from '../../main/server/portal/requests.ts'
import type { FindingsView, HomeView } from '../../schemas/ipc-findings.ts'
import { type PortalRequest, REQUEST_STATUSES, type RequestEntry, type SharedPack } from '../../schemas/ipc-portal.ts'
import { sharedExport } from '../support/portal-kit.ts'
import { answerValue, codeOf, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

const ROLES = ['officer', 'auditor'] as const
const TABLE: Readonly<Record<string, readonly string[]>> = {
  'open officer': ['in-progress', 'answered'],
  'open auditor': ['withdrawn'],
  'in-progress officer': ['answered'],
  'in-progress auditor': ['withdrawn'],
  'answered officer': [],
  'answered auditor': ['accepted', 'returned', 'withdrawn'],
  'returned officer': ['in-progress', 'answered'],
  'returned auditor': ['withdrawn'],
  'accepted officer': [],
  'accepted auditor': [],
  'withdrawn officer': [],
  'withdrawn auditor': [],
}
const asked = (status: Asked['status']): Asked => ({
  ...{
    id: '0'.repeat(32),
    by: { subject: 'a', name: 'A' },
    at: '2026-11-28T12:00:00Z',
    title: 'Access review',
    text: '',
  },
  ...{ about: { control: '', node: '', check: '', period: '' }, due: '2027-03-01', status, entries: [] },
})
const entry = (part: Partial<RequestEntry>): RequestEntry => ({
  ...{ at: '2026-11-29T12:00:00Z', by: 'S', role: 'officer', to: null, comment: 'See the pack.' },
  ...{ packs: [], documents: [], findings: [], ...part },
})
const cells = REQUEST_STATUSES.flatMap((from) =>
  ROLES.flatMap((role) => REQUEST_STATUSES.map((to) => [from, role, to] as const)),
)

describe('the transition table', () => {
  test.each(cells)('%s, by the %s, to %s', (from, role, to) => {
    const allowed = TABLE[`${from} ${role}`]?.includes(to) === true
    expect(nextStatuses(from, role).includes(to)).toBe(allowed)
    const next = withEntry(asked(from), entry({ role, to }))
    expect(next.ok).toBe(allowed)
    if (next.ok) expect([next.value.status, next.value.entries.length]).toEqual([to, 1])
  })
  test.each(REQUEST_STATUSES)('a request that is %s waits for one side, or is closed', (status) => {
    const sides = ROLES.filter((role) => waitsFor(status, role))
    expect(sides).toHaveLength(status === 'accepted' || status === 'withdrawn' ? 0 : 1)
    expect(withEntry(asked(status), entry({})).ok).toBe(sides.length === 1)
  })
  const pack = { id: '1'.repeat(32), label: 'Run x' }
  test.each<[string, Partial<RequestEntry>, boolean]>([
    ['an empty comment', { comment: '' }, false],
    ['an empty answer', { to: 'answered', comment: '' }, false],
    ['an answer that names evidence alone', { to: 'answered', comment: '', packs: [pack] }, true],
    ['evidence without an answer', { to: 'in-progress', packs: [pack] }, false],
    ['progress without a comment', { to: 'in-progress', comment: '' }, true],
    ['a withdrawal without a reason', { role: 'auditor', to: 'withdrawn', comment: '' }, false],
  ])('%s', (_, part, is) => expect(withEntry(asked('open'), entry(part)).ok).toBe(is))
})

describe('what awaits a side', () => {
  const [by, of] = [{ role: 'auditor', to: null } as const, { role: 'officer', to: null } as const]
  test.each<[string, Asked['status'], readonly Partial<RequestEntry>[], (typeof ROLES)[number], boolean]>([
    ['a comment after the answer', 'answered', [{ to: 'answered' }, by], 'officer', true],
    ['a comment that the officer commented on', 'answered', [{ to: 'answered' }, by, of], 'officer', false],
    ['a comment before the answer', 'answered', [by, { to: 'answered' }], 'officer', false],
    ['a comment on a request that waits anyway', 'open', [by], 'officer', false],
    ['a comment of the officer', 'open', [of], 'auditor', true],
    ['a comment before a status of the officer', 'in-progress', [of, { to: 'in-progress' }], 'auditor', true],
    ['a status alone', 'in-progress', [{ to: 'in-progress' }], 'auditor', false],
    ['a comment on a closed request', 'accepted', [by], 'officer', false],
  ])('%s', (_, status, parts, role, is) => expect(hasNewComment({ status, entries: parts.map(entry) }, role)).toBe(is))
  test('is counted once for each request, late ones past their due day', () => {
    const all = [
      ...[asked('open'), { ...asked('returned'), due: '2026-11-28' }, { ...asked('answered'), due: '2026-11-28' }],
      ...[
        { ...asked('answered'), entries: [entry(by)] },
        { ...asked('accepted'), due: '2026-11-28' },
      ],
    ]
    expect(countsOf(all, 'officer', '2026-11-29')).toEqual({ waiting: 2, late: 1, commented: 1 })
    expect(countsOf(all, 'auditor', '2026-11-29')).toEqual({ waiting: 2, late: 1, commented: 0 })
    expect(countsOf([{ ...asked('open'), due: '2026-11-29' }], 'officer', '2026-11-29')).toMatchObject({ late: 0 })
  })
})

let kit: TeamKit
let officer: Visitor
let auditor: Visitor
let pack: SharedPack
beforeAll(async () => {
  kit = await teamKit()
  officer = await kit.as('officer')
  auditor = await kit.as('auditor')
  pack = await sharedExport(officer)
})
afterAll(async () => await kit.close())

const DUE = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const ABOUT = { control: '164.312(a)(1)', node: '', check: '', period: 'Q4 2026' }
const NOTHING = { packs: [], documents: [], findings: [] }
const ask = (who: Visitor, part: object = {}) =>
  who.call('alpha', 'portal.ask', { title: 'Access review', text: 'The last one.', about: ABOUT, due: DUE, ...part })
const act = (who: Visitor, id: string, part: object, engagement = 'alpha') =>
  who.call(engagement, 'portal.act', { id, to: null, comment: 'A comment.', ...NOTHING, ...part })

describe('a request over HTTP', () => {
  test('goes from the auditor to the officer and back, with times and names of the server', async () => {
    const [made] = answerValue<PortalRequest[]>(await ask(auditor))
    expect(made).toMatchObject({ reference: 'AR-1', status: 'open', waits: false, may: ['withdrawn'], about: ABOUT })
    const id = made?.id ?? ''
    const [seen] = answerValue<PortalRequest[]>(await officer.call('alpha', 'portal.requests', null))
    expect(seen).toMatchObject({ id, asked: { by: 'auditor' }, waits: true, may: ['in-progress', 'answered'] })
    expect(codeOf(await act(officer, id, { to: 'in-progress', comment: '' }))).toBe('answered')
    const findings = answerValue<FindingsView>(await officer.call('alpha', 'findings.get', { of: 'run', node: null }))
    const finding = findings.rows[0]?.reference ?? ''
    const named = await act(officer, id, { to: 'answered', packs: [pack.id], findings: [finding] })
    expect(answerValue<PortalRequest[]>(named)[0]).toMatchObject({ status: 'answered', waits: false })
    const [answered] = answerValue<PortalRequest[]>(await auditor.call('alpha', 'portal.requests', null))
    expect(answered).toMatchObject({ waits: true, may: ['accepted', 'returned', 'withdrawn'] })
    expect(answered?.entries.at(-1)).toMatchObject({
      ...{ role: 'officer', by: 'officer', packs: [{ id: pack.id }], findings: [{ id: finding }] },
    })
    expect(codeOf(await act(auditor, id, { to: 'returned', comment: 'The fourth quarter.' }))).toBe('answered')
    expect(codeOf(await act(officer, id, { to: 'answered' }))).toBe('answered')
    const [accepted] = answerValue<PortalRequest[]>(await act(auditor, id, { to: 'accepted', comment: '' }))
    expect(accepted).toMatchObject({ status: 'accepted', isClosed: true, may: [] })
    expect(codeOf(await act(officer, id, {}))).toBe('input.refused')
  })
  test('is on the first screen of officers, and of no one else', async () => {
    const noticed = async (who: Visitor, engagement = 'alpha') =>
      answerValue<HomeView>(await who.call(engagement, 'home.get', null)).notices.map(({ is }) => is)
    const operator = await kit.as('operator')
    const id = answerValue<PortalRequest[]>(await ask(auditor, { title: 'Shown on the first screen' }))[0]?.id ?? ''
    expect([await noticed(officer), await noticed(operator)]).toEqual([['requests'], []])
    expect(await noticed(await kit.as('officer', 'beta-only'), 'beta')).toEqual([])
    await act(officer, id, { to: 'answered' })
    expect(await noticed(officer)).toEqual([])
    await act(auditor, id, { comment: 'Which quarter?' })
    const [seen] = answerValue<PortalRequest[]>(await officer.call('alpha', 'portal.requests', null))
    expect([await noticed(officer), seen?.waits, seen?.hasNewComment]).toEqual([['requests'], false, true])
    await act(auditor, id, { to: 'accepted' })
    expect(await noticed(officer)).toEqual([])
  })
  test('is not answered by an auditor, nor accepted by an officer', async () => {
    const id = answerValue<PortalRequest[]>(await ask(auditor))[0]?.id ?? ''
    expect(codeOf(await act(auditor, id, { to: 'answered' }))).toBe('input.refused')
    expect(codeOf(await act(auditor, id, { packs: [pack.id] }))).toBe('input.refused')
    expect(codeOf(await act(officer, id, { to: 'accepted' }))).toBe('input.refused')
    expect((await ask(officer)).status).toBe(403)
  })
  test('of another auditor or engagement is answered like one that does not exist', async () => {
    const id = answerValue<PortalRequest[]>(await ask(auditor))[0]?.id ?? ''
    const other = await kit.as('auditor', 'other')
    expect(answerValue(await other.call('alpha', 'portal.requests', null))).toEqual([])
    const missing = await act(other, '0'.repeat(32), {})
    expect([codeOf(missing), (await act(other, id, {})).text]).toEqual(['input.not-found', missing.text])
    const beta = await kit.as('officer', 'beta-only')
    expect((await act(beta, id, {}, 'beta')).text).toBe(missing.text)
  })
  test('is numbered among those of its auditor, so that no gap shows how many requests others made', async () => {
    const [first, second] = [await kit.as('auditor', 'numbered-first'), await kit.as('auditor', 'numbered-second')]
    const referencesOf = async (who: Visitor) =>
      answerValue<PortalRequest[]>(await who.call('alpha', 'portal.requests', null)).map(({ reference }) => reference)
    for (const who of [first, second, second, first]) await ask(who)
    expect([await referencesOf(first), await referencesOf(second)]).toEqual([
      ['AR-2', 'AR-1'],
      ['AR-2', 'AR-1'],
    ])
    // Officers see the same references, with the person beside each.
    expect((await referencesOf(officer)).slice(0, 4)).toEqual(['AR-2', 'AR-2', 'AR-1', 'AR-1'])
  })
  test.each([
    ['a pack that is not shared', { packs: ['1'.repeat(32)] }],
    ['a document that is not there', { documents: ['1'.repeat(32)] }],
    ['a finding that is not there', { findings: ['F-000000'] }],
  ])('an answer does not name %s', async (_, names) => {
    const id = answerValue<PortalRequest[]>(await ask(auditor))[0]?.id ?? ''
    expect(codeOf(await act(officer, id, { to: 'answered', ...names }))).toBe('input.not-found')
  })
  test.each([{ due: '2020-01-01' }, { due: '2027-02-30' }, { title: '  x ' }, { about: {} }])(
    '%j is refused',
    async (part) => {
      expect(codeOf(await ask(auditor, part))).toBe('input.refused')
    },
  )
  test('is late after its due day, unless it is closed', async () => {
    kit.pass(32 * 86_400_000)
    const again = await kit.as('officer')
    const open = answerValue<PortalRequest[]>(await again.call('alpha', 'portal.requests', null))
    expect([...new Set(open.map(({ isLate, isClosed }) => isLate !== isClosed))]).toEqual([true])
  })
})

test('texts of several lines keep their line breaks, and nothing else that moves or hides text', async () => {
  const typed = 'First.\r\n\u202eSecond.\u0000\n'
  const [made] = answerValue<PortalRequest[]>(
    await ask(await kit.as('auditor', 'in-lines'), { text: typed, due: '2099-01-01' }),
  )
  expect(made?.text).toBe('First.\n\\u{202e}Second.\\u{0}')
  const acted = answerValue<PortalRequest[]>(await act(await kit.as('officer'), made?.id ?? '', { comment: typed }))
  expect(acted.find(({ id }) => id === made?.id)?.entries[0]?.comment).toBe('First.\n\\u{202e}Second.\\u{0}')
})
