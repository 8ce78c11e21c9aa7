import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkAudit } from '../../main/server/audit.ts'
import { digestOfToken, type Invitation, statusOf, termOf } from '../../main/server/portal/invitations.ts'
import type { InvitationView, SharedPack } from '../../schemas/ipc-portal.ts'
import { sharedExport } from '../support/portal-kit.ts'
import { type Answered, answerValue, codeOf, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-11-28T12:00:00Z')

describe('terms and statuses', () => {
  test.each([
    ['2026-11-28', '2026-11-28T23:59:59.999Z', '2026-11-28T23:59:59.999Z'],
    ['2027-03-01', '2027-03-01T23:59:59.999Z', '2026-12-05T12:00:00.000Z'],
  ])('%s: the last moment of the access, and of the link', (day, until, linkUntil) => {
    expect(termOf(day, NOW)).toEqual({ ok: true, value: { until, linkUntil } })
  })
  test.each(['2026-11-27', '2028-03-01', '2027-02-29', '', 'tomorrow'])('%j is refused', (day) => {
    expect(termOf(day, NOW).ok).toBe(false)
  })
  const moment = { at: '2026-11-28T12:00:00Z', by: 'Sam' }
  const made = (part: Partial<Invitation>): Invitation => ({
    ...{ id: '0'.repeat(32), label: 'R. Lee', invited: moment, tokenDigest: '', accepted: null, ended: null },
    ...{ until: '2027-03-01T23:59:59.999Z', linkUntil: '2026-12-05T12:00:00.000Z', ...part },
  })
  const accepted = { ...moment, subject: 's' }
  const ended = { ...moment, reason: 'x' }
  test.each<[Partial<Invitation>, string, string]>([
    [{}, '2026-12-05T12:00:00.000Z', 'open'],
    [{}, '2026-12-05T12:00:00.001Z', 'link-expired'],
    [{}, '2027-03-02T00:00:00.000Z', 'expired'],
    [{ accepted }, '2027-03-01T23:59:59.999Z', 'active'],
    [{ accepted }, '2027-03-02T00:00:00.000Z', 'expired'],
    [{ accepted, ended }, '2026-12-01T00:00:00.000Z', 'withdrawn'],
    [{ ended }, '2026-12-01T00:00:00.000Z', 'withdrawn'],
  ])('%j at %s: %s', (part, at, status) => expect(statusOf(made(part), Date.parse(at))).toBe(status))
})

let kit: TeamKit
let officer: Visitor
let pack: SharedPack
beforeAll(async () => {
  kit = await teamKit()
  officer = await kit.as('officer')
  pack = await sharedExport(officer)
})
afterAll(async () => await kit.close())

const lastDay = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
const invite = async (days = 90): Promise<{ readonly token: string; readonly id: string }> => {
  const made = answerValue<{ link: string; invitations: InvitationView[] }>(
    await officer.call('alpha', 'portal.invite', { label: 'R. Lee, Example Audit', until: lastDay(days) }),
  )
  expect(made.link.startsWith(`${kit.server.origin}/invitation/`)).toBe(true)
  return { token: made.link.slice(-64), id: made.invitations[0]?.id ?? '' }
}
/** Someone whom the provider gives no role, or these, and who uses a link. */
const use = async (sub: string, token: string, claims: object = {}): Promise<readonly [Visitor, Answered]> => {
  const one = kit.visitor()
  const begun = await one.send('GET', `/auth/invitation/${token}`)
  const to = kit.provider.approve(begun.headers.location ?? '', { sub, name: sub, roles: [], groups: [], ...claims })
  return [one, await one.send('GET', to)]
}
const listed = async (id: string): Promise<InvitationView | undefined> =>
  answerValue<InvitationView[]>(await officer.call('alpha', 'portal.invitations', null)).find((one) => one.id === id)

describe('an invitation', () => {
  test('is bound to the account that uses it first, as auditor of this engagement alone', async () => {
    const { token, id } = await invite()
    const page = await kit.visitor().send('GET', `/invitation/${token}`)
    expect([page.status, page.text.includes('alpha')]).toEqual([200, true])
    const [guest, answered] = await use('guest-1', token)
    expect(answered.status).toBe(200)
    expect((await guest.session('alpha')).role).toBe('auditor')
    expect(answerValue<SharedPack[]>(await guest.call('alpha', 'portal.packs', null)).map((one) => one.id)).toEqual([
      pack.id,
    ])
    expect((await guest.call('beta', 'portal.packs', null)).status).toBe(404)
    expect((await guest.call('alpha', 'fleet.get', null)).status).toBe(403)
    expect(await listed(id)).toMatchObject({ status: 'active', accepted: { by: 'guest-1' } })
    // Signs in again without the link.
    const later = kit.visitor()
    expect((await later.signIn({ sub: 'guest-1', roles: [] })).status).toBe(200)
    expect((await later.call('alpha', 'portal.packs', null)).status).toBe(200)
  })
  test('cannot be used twice, and every link that cannot be used is answered the same', async () => {
    const { token } = await invite()
    expect((await use('guest-2', token))[1].status).toBe(200)
    const [other, again] = await use('guest-3', token)
    expect(again.status).toBe(403)
    expect(other.cookies.has('barewitness')).toBe(false)
    const [, unknown] = await use('guest-3', '0'.repeat(64))
    expect([unknown.status, unknown.text]).toEqual([403, again.text])
    const pages = await Promise.all(
      [token, '0'.repeat(64)].map((one) => kit.visitor().send('GET', `/invitation/${one}`)),
    )
    expect(pages.map(({ status }) => status)).toEqual([404, 404])
    expect(pages[0]?.text).toBe(pages[1]?.text)
  })
  test('is used once also where two sign-ins were begun with it', async () => {
    const { token } = await invite()
    const both = await Promise.all(['race-1', 'race-2'].map((sub) => use(sub, token)))
    expect(both.map(([, { status }]) => status).sort()).toEqual([200, 403])
  })
  test('is not used by a person who may enter anyway, nor by an administrator', async () => {
    const { token, id } = await invite()
    for (const role of ['officer', 'administrator'])
      expect((await use(role, token, { roles: [role], groups: ['team'] }))[1].status).toBe(403)
    expect((await listed(id))?.status).toBe('open')
  })
  test('lets an officer of another engagement in as auditor, and leaves their own role there', async () => {
    const { token } = await invite()
    const [beta, answered] = await use('beta-only', token, { roles: ['officer'] })
    expect(answered.status).toBe(200)
    expect((await beta.session('alpha')).role).toBe('auditor')
    expect((await beta.session('beta')).role).toBe('officer')
    expect((await beta.call('alpha', 'portal.invite', { label: 'x', until: lastDay(9) })).status).toBe(403)
  })
  test('that was withdrawn ends at once, and its link cannot be used', async () => {
    const [used, unused] = [await invite(), await invite()]
    const [guest] = await use('guest-4', used.token)
    await guest.call('alpha', 'portal.open', { id: pack.id })
    for (const { id } of [used, unused])
      expect(codeOf(await officer.call('alpha', 'portal.end-access', { id, reason: 'Left the firm.' }))).toBe(
        'answered',
      )
    expect((await guest.call('alpha', 'assessment.get', { of: 'pack' })).status).toBe(404)
    expect((await guest.send('GET', '/e/alpha/api/events')).status).toBe(404)
    expect((await guest.send('GET', '/e/alpha/')).status).toBe(404)
    expect((await kit.visitor().signIn({ sub: 'guest-4', roles: [] })).status).toBe(403)
    expect((await use('guest-5', unused.token))[1].status).toBe(403)
    expect(await listed(used.id)).toMatchObject({
      status: 'withdrawn',
      ended: { by: 'officer', reason: 'Left the firm.' },
    })
    expect(codeOf(await officer.call('alpha', 'portal.end-access', { id: used.id, reason: 'Again.' }))).toBe(
      'input.not-found',
    )
  })
  test('of another engagement is answered like one that does not exist', async () => {
    const { id } = await invite()
    const beta = await kit.as('officer', 'beta-only')
    const missing = await beta.call('beta', 'portal.end-access', { id: '0'.repeat(32), reason: 'None.' })
    expect((await beta.call('beta', 'portal.end-access', { id, reason: 'None.' })).text).toBe(missing.text)
    expect(codeOf(missing)).toBe('input.not-found')
  })
})

test('a pack that is shared with some is answered to others like one that does not exist', async () => {
  const [mine, theirs] = [await invite(), await invite()]
  const [[one], [other]] = [await use('guest-6', mine.token), await use('guest-7', theirs.token)]
  const own = await sharedExport(officer, '', [mine.id])
  expect(own.to).toEqual([mine.id])
  expect(
    answerValue<SharedPack[]>(await one.call('alpha', 'portal.packs', null)).map(({ id, to }) => [id, to]),
  ).toContainEqual([own.id, null])
  expect(
    answerValue<SharedPack[]>(await other.call('alpha', 'portal.packs', null)).some(({ id }) => id === own.id),
  ).toBe(false)
  const missing = await other.call('alpha', 'portal.open', { id: '0'.repeat(32) })
  expect((await other.call('alpha', 'portal.open', { id: own.id })).text).toBe(missing.text)
  const byRole = await kit.as('auditor', 'by-role')
  expect((await byRole.call('alpha', 'portal.open', { id: own.id })).text).toBe(missing.text)
  expect(codeOf(await one.call('alpha', 'portal.open', { id: own.id }))).toBe('answered')
})

test('the link is in no file and no log, and who used it is', () => {
  const text = readFileSync(join(kit.folder, 'alpha', 'portal.jsonl'), 'utf8')
  const audit = kit.auditText()
  expect(checkAudit(audit).intact).toBe(true)
  expect(audit).toMatch(/"kind":"invitation-accepted".*"subject":"guest-1"/)
  expect(audit).toMatch(/"kind":"invitation-refused".*"subject":"guest-3"/)
  for (const where of [audit, JSON.stringify(kit.logged)]) expect(where).not.toMatch(/invitation\/[0-9a-f]{64}/)
  expect(text).toContain('tokenDigest')
  expect(digestOfToken('0'.repeat(64))).not.toContain('0'.repeat(64))
})

describe('as time passes', () => {
  test('a link ends after a week, and an access with its last day, in a session that goes on', async () => {
    const [unused, used] = [await invite(20), await invite(20)]
    const [guest] = await use('guest-8', used.token)
    expect((await guest.call('alpha', 'portal.packs', null)).status).toBe(200)
    kit.pass(8 * DAY_MS)
    expect((await kit.visitor().send('GET', `/invitation/${unused.token}`)).status).toBe(404)
    expect((await use('guest-9', unused.token))[1].status).toBe(403)
    const late = kit.visitor()
    await late.signIn({ sub: 'guest-8', roles: [] })
    expect((await late.call('alpha', 'portal.packs', null)).status).toBe(200)
    // To the last minute of the last day, and then past it, within the life of one session.
    const end = Date.parse(`${lastDay(20)}T23:59:59.999Z`) - Date.now() - 8 * DAY_MS
    kit.pass(end - 60_000)
    const last = kit.visitor()
    await last.signIn({ sub: 'guest-8', roles: [] })
    expect((await last.call('alpha', 'portal.packs', null)).status).toBe(200)
    kit.pass(120_000)
    expect((await last.call('alpha', 'portal.packs', null)).status).toBe(404)
    officer = await kit.as('officer')
    expect((await listed(used.id))?.status).toBe('expired')
  })
})
