import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkChained } from '../../main/server/chained-log.ts'
import { EMPTY_PORTAL } from '../../main/server/portal/events.ts'
import type { PackReview, Worksheet } from '../../schemas/ipc-packs.ts'
import { OFFLINE_FILE, type SharedPack } from '../../schemas/ipc-portal.ts'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { must } from '../support/outcomes.ts'
import { sharedExport } from '../support/portal-kit.ts'
import { type Answered, codeOf, replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

let kit: TeamKit
let officer: Visitor
let auditor: Visitor
let pack: SharedPack
beforeAll(async () => {
  kit = await teamKit()
  officer = await kit.as('officer')
  auditor = await kit.as('auditor')
  const { handle: _, ...shared } = await sharedExport(officer, 'For the interim audit.')
  pack = shared
})
afterAll(async () => await kit.close())

const given = <T>(answered: Answered): T => {
  return must(replyIn<T>(answered))
}
const downloaded = async (who: Visitor, answered: Answered): Promise<Answered> =>
  await who.send('GET', `/e/alpha/${answered.headers[TEAM_HEADERS.download] as string}`)

describe('a shared pack', () => {
  test('is listed with who shared it, its files and the note', async () => {
    const listed = given<SharedPack[]>(await auditor.call('alpha', 'portal.packs', null))
    expect(listed).toEqual([pack])
    expect(pack).toMatchObject({
      shared: { by: 'officer' },
      note: 'For the interim audit.',
      isCopy: false,
      ended: null,
    })
    expect(pack.files.map(({ name }) => name)).toContain(pack.pack)
  })
  test('is verified by the server with the results of the engine, and read', async () => {
    const review = given<PackReview>(await auditor.call('alpha', 'portal.open', { id: pack.id }))
    expect(review.answers.map(({ check }) => check)).toEqual([
      ...['integrity', 'signature', 'time', 'completeness', 'reproducibility', 'continuity'],
    ])
    expect(review.report.checks.find(({ check }) => check === 'integrity')?.outcome).toBe('passed')
    expect(review.verdicts.identical).toBe(review.verdicts.stated)
    expect(given(await auditor.call('alpha', 'assessment.get', { of: 'pack' }))).toMatchObject({ of: 'pack' })
    expect(given<PackReview>(await auditor.call('alpha', 'pack.review', null)).file).toBe(pack.pack)
  })
  test('is downloaded, with the digests that the server states, and with instructions', async () => {
    for (const { name, size, sha256 } of pack.files) {
      const saved = await auditor.call('alpha', 'portal.save', { id: pack.id, file: name })
      const { bytes } = await downloaded(auditor, saved)
      expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([size, sha256])
    }
    const saved = await auditor.call('alpha', 'portal.save', { id: pack.id, file: OFFLINE_FILE })
    const { text } = await downloaded(auditor, saved)
    expect(text).toContain(`barewitness verify ${pack.pack}`)
    for (const { sha256 } of pack.files) expect(text).toContain(sha256)
  })
  test.each([
    ['portal.open', { id: '0'.repeat(32) }],
    ['portal.save', { id: '0'.repeat(32), file: 'report.pdf' }],
  ])('%s of an id that is not shared', async (method, input) => {
    expect(codeOf(await auditor.call('alpha', method, input))).toBe('input.not-found')
  })
  test.each(['../portal.jsonl', '/etc/passwd', '..', 'portal.jsonl', ''])('%j is no file of it', async (file) => {
    const answered = await auditor.call('alpha', 'portal.save', { id: pack.id, file })
    expect(['input.not-found', 'input.refused']).toContain(codeOf(answered))
    expect(answered.headers[TEAM_HEADERS.download]).toBeUndefined()
  })
  test('a draft that is not there is not shared', async () => {
    expect(codeOf(await officer.call('alpha', 'portal.share', { handle: '0'.repeat(32), note: '', to: null }))).toBe(
      'input.refused',
    )
  })
})

describe('an auditor', () => {
  test('has a worksheet that no other auditor sees', async () => {
    const terms = { auditor: 'R. Lee', size: 2, seed: '2026', from: 'all', stratified: false }
    const other = await kit.as('auditor', 'other-auditor')
    expect(codeOf(await auditor.call('alpha', 'review.sample', terms))).toBe('answered')
    expect(codeOf(await other.call('alpha', 'review.worksheet', null))).toBe('input.refused')
    await other.call('alpha', 'portal.open', { id: pack.id })
    expect(given<Worksheet | null>(await other.call('alpha', 'review.worksheet', null))).toBeNull()
    expect(given<Worksheet>(await auditor.call('alpha', 'review.worksheet', null)).sample?.sampled).toHaveLength(2)
    expect((await officer.call('alpha', 'review.worksheet', null)).status).toBe(403)
  })
  test.each(['review.save-workbook', 'review.save-worksheet-pdf', 'review.save-worksheet'])('%s', async (method) => {
    const { bytes } = await downloaded(auditor, await auditor.call('alpha', method, null))
    expect(bytes.length).toBeGreaterThan(100)
  })
  test('reads nothing of the run that is shown, also where the server would ask an engine', async () => {
    expect((await auditor.call('alpha', 'assessment.get', { of: 'run' })).status).toBe(403)
    expect((await auditor.call('alpha', 'home.get', null)).status).toBe(403)
    expect((await auditor.call('alpha', 'pack.choose-and-verify', null)).status).toBe(403)
    const folders = readdirSync(join(kit.folder, 'alpha', 'auditors'))
    for (const folder of folders)
      expect(readdirSync(join(kit.folder, 'alpha', 'auditors', folder))).not.toContain('evidence')
  })
  test('trusts signers for themselves', async () => {
    const other = await kit.as('auditor', 'third-auditor')
    expect(given(await other.call('alpha', 'trust.list', null))).toEqual([])
  })
  test('of another engagement finds neither this one nor its packs', async () => {
    const beta = kit.visitor()
    await beta.signIn({ sub: 'beta-only', roles: ['auditor'], groups: [] })
    expect((await beta.call('alpha', 'portal.packs', null)).status).toBe(404)
    expect(given(await beta.call('beta', 'portal.packs', null))).toEqual([])
    expect(codeOf(await beta.call('beta', 'portal.open', { id: pack.id }))).toBe('input.not-found')
  })
})

describe('a pack that is shared no longer', () => {
  test('is closed, answered like one that does not exist, and stays in the list of officers', async () => {
    const unread = await auditor.call('alpha', 'portal.open', { id: '1'.repeat(32) })
    const offered = await auditor.call('alpha', 'portal.save', { id: pack.id, file: pack.pack })
    const kept = await officer.call('alpha', 'portal.save', { id: pack.id, file: pack.pack })
    const ended = await officer.call('alpha', 'portal.unshare', { id: pack.id, reason: 'Superseded.' })
    expect(given<SharedPack[]>(ended)[0]?.ended).toMatchObject({ by: 'officer', reason: 'Superseded.' })
    expect(given(await auditor.call('alpha', 'portal.packs', null))).toEqual([])
    expect(given(await auditor.call('alpha', 'pack.review', null))).toBeNull()
    expect(given(await auditor.call('alpha', 'assessment.get', { of: 'pack' }))).toBeNull()
    expect((await auditor.call('alpha', 'portal.open', { id: pack.id })).text).toBe(unread.text)
    expect((await downloaded(auditor, offered)).status).toBe(404)
    expect((await downloaded(officer, kept)).status).toBe(200)
    expect(codeOf(await auditor.call('alpha', 'portal.save', { id: pack.id, file: pack.pack }))).toBe('input.not-found')
    expect(codeOf(await officer.call('alpha', 'portal.unshare', { id: pack.id, reason: 'Again.' }))).toBe(
      'input.not-found',
    )
  })
})

describe('the file of the portal', () => {
  const again = (config: TeamConfig, change: (text: string) => string) => {
    const path = join(config.engagements[0].folder, 'portal.jsonl')
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    return config
  }
  test('is chained, and names people by their subject', () => {
    const text = readFileSync(join(kit.folder, 'alpha', 'portal.jsonl'), 'utf8')
    expect(checkChained(text, EMPTY_PORTAL)).toMatchObject({ intact: true, head: { size: 2 } })
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ by: { subject: 'officer' }, kind: 'shared' })
  })
  test.each<[string, (text: string) => string]>([
    ['an altered line', (text) => text.replace('interim', 'final')],
    ['a line that was taken out', (text) => text.split('\n').slice(1).join('\n')],
  ])('%s: the server does not start', async (_, change) => {
    const copy = readFileSync(join(kit.folder, 'alpha', 'portal.jsonl'), 'utf8')
    const made = teamKit({
      config: (config) => {
        const [alpha, ...others] = config.engagements
        const moved = { ...config, engagements: [{ ...alpha, folder: join(kit.folder, 'alpha') }, ...others] as const }
        return again(moved as unknown as TeamConfig, change)
      },
    })
    await expect(made).rejects.toThrow('store.failed')
    writeFileSync(join(kit.folder, 'alpha', 'portal.jsonl'), copy)
  })
})
