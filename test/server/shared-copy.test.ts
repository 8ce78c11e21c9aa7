import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PackReview } from '../../schemas/ipc-packs.ts'
import { OFFLINE_FILE, type SharedPack } from '../../schemas/ipc-portal.ts'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import { filesBelow } from '../support/files-below.ts'
import { unpacked } from '../support/minimal-verifier.ts'
import { sharedExport } from '../support/portal-kit.ts'
import { type Answered, answerValue, codeOf, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

let kit: TeamKit
let officer: Visitor
let auditor: Visitor
let copy: SharedPack & { readonly handle: string }
const WITHHELD = ['ipv4', 'ipv6', 'mac', 'uuid', 'serial', 'email', 'user', 'host', 'ssh-key']
beforeAll(async () => {
  kit = await teamKit()
  officer = await kit.as('officer')
  auditor = await kit.as('auditor')
  copy = await sharedExport(officer, '', null, { classes: WITHHELD, who: 'Acme', why: 'addresses of customers' })
})
afterAll(async () => await kit.close())

const download = async (file: string): Promise<Answered> => {
  const saved = await auditor.call('alpha', 'portal.save', { id: copy.id, file })
  return await auditor.send('GET', `/e/alpha/${saved.headers[TEAM_HEADERS.download] as string}`)
}
/** Parts of a copy with their class: with their text, or without. */
const partsIn = (bytes: Uint8Array, hasText: boolean): readonly string[] =>
  [
    ...(unpacked(bytes)
      .get('disclosed.jsonl')
      ?.toString()
      .matchAll(/"class":"([a-z0-9-]+)","(\w+)"/g) ?? []),
  ].flatMap(([, part = '', next]) => ((next === 'salt') === hasText ? [part] : []))
const sealedFolder = (): string => join(kit.folder, 'alpha', 'exports', copy.handle)

describe('a redacted copy that is shared', () => {
  test('is the only file that auditors are shown, and the only one in its folder', async () => {
    const [listed] = answerValue<readonly SharedPack[]>(await auditor.call('alpha', 'portal.packs', null))
    expect(listed).toMatchObject({ id: copy.id, isCopy: true, pack: copy.pack })
    expect(listed?.files.map(({ name }) => name)).toEqual([copy.pack])
    expect(copy.pack).toMatch(/\.parts-withheld\.barewitness\.zip$/)
    expect(readdirSync(join(kit.folder, 'alpha', 'shared-packs'))).toEqual([copy.id])
    expect(readdirSync(join(kit.folder, 'alpha', 'shared-packs', copy.id))).toEqual([copy.pack])
  })
  test('is downloaded as it was sealed, without what it withholds', async () => {
    const { bytes } = await download(copy.pack)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(copy.files[0]?.sha256)
    expect(bytes.equals(readFileSync(join(sealedFolder(), 'hand-out', copy.pack)))).toBe(true)
    expect(partsIn(bytes, true).filter((part) => WITHHELD.includes(part))).toEqual([])
    expect(partsIn(bytes, false).filter((part) => WITHHELD.includes(part)).length).toBeGreaterThan(0)
    const offline = (await download(OFFLINE_FILE)).bytes
    expect(offline.includes(copy.pack)).toBe(true)
  })
  test('is verified as a copy, with the digest of its own bytes', async () => {
    const review = answerValue<PackReview>(await auditor.call('alpha', 'portal.open', { id: copy.id }))
    expect(review.file).toBe(copy.pack)
    expect(review.report).toMatchObject({ kind: 'disclosure', ok: true })
    expect(answerValue<PackReview>(await auditor.call('alpha', 'pack.review', null)).file).toBe(copy.pack)
    expect(review.report.checks.find(({ check }) => check === 'integrity')?.outcome).toBe('passed')
  })
  test('gives no file of the complete export', async () => {
    for (const path of filesBelow(sealedFolder())) {
      const file = path.split('/').at(-1) ?? ''
      if (file !== copy.pack)
        expect(codeOf(await auditor.call('alpha', 'portal.save', { id: copy.id, file }))).toBe('input.not-found')
    }
  })
})
