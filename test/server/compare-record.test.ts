import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ComparedRecord } from '../../main/app/history/compare-record.ts'
import { sealerCommand } from '../../main/cli/commands/sealer.ts'
import { draftName, periodDraftName } from '../../main/core/base/layout.ts'
import { PATHS } from '../../main/core/pack/pack-files.ts'
import { CHAIN_PATHS } from '../../main/core/run-chain/notes.ts'
import { signaturesInPack } from '../../main/verify/signatures.ts'
import type { ExportDraft } from '../../schemas/ipc-packs.ts'
import { commandLine } from '../support/command-line.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { type Files, filesIn } from '../support/period-kit.ts'
import { sourceOf } from '../support/sample-pack.ts'
import { connectedSealer, newSigner, type SealerInTest, withSealers } from '../support/sealer-kit.ts'
import { answerValue, fakeEngine, type TeamKit, teamKit } from '../support/team-kit.ts'

const signer = newSigner('J. Chen')
const open: (() => Promise<unknown>)[] = []
let now = '2026-11-18T09:15:00.000Z'
const ports = createFakePorts({ now: () => now })

let kit: TeamKit
let sealer: SealerInTest
let folder = ''
/** What a person has of the server: the packs of a run and of a period, and the binder beside the first. */
let [run, binder, period] = ['', '', '']

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barewitness-compared-'))
  open.push(async () => rmSync(folder, { recursive: true, force: true }))
  kit = await teamKit({ openEngine: fakeEngine(ports), config: (config) => withSealers(config, signer) })
  open.push(() => kit.close())
  sealer = await connectedSealer(kit, signer, open)
  const officer = await kit.as('officer')
  const ask = async <T>(method: string, input: unknown): Promise<T> =>
    answerValue<T>(await officer.call('alpha', method, input))
  const started = await ask<{ run: string }>('run.start', { nodes: [], only: 'all' })
  while ((await ask<{ going: boolean }>('run.status', null)).going) await sleep(20)
  const wanted = { frameworks: ['hipaa'], identity: 'chen', timestamp: false, also: ['binder'], redact: null }
  const draft = await ask<ExportDraft>('export.build', wanted)
  await ask('history.set-baseline', { run: started.run, why: 'As delivered.', identity: 'chen' })
  now = '2026-11-20T09:15:00.000Z'
  const days = { from: '2026-11-18', to: '2026-11-19' }
  const sealed = await ask<ExportDraft>('period.build', { ...days, samples: [], identity: 'chen', timestamp: false })
  const alpha = join(kit.folder, 'alpha')
  const given = (of: ExportDraft, below: string, end: string): string => {
    const name = of.files.find((file) => file.name.endsWith(end))?.name ?? ''
    copyFileSync(join(alpha, below, name), join(folder, name))
    return join(folder, name)
  }
  run = given(draft, draftName(draft.handle), '.barewitness.zip')
  binder = given(draft, draftName(draft.handle), 'binder.pdf')
  period = given(sealed, periodDraftName(sealed.handle), '.barewitness.zip')
})
afterAll(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const cli = commandLine(() => ports, sealerCommand)
async function compared(record: string, ...files: readonly string[]) {
  const code = await cli.run('sealer', 'compare', record, ...files, '--json')
  const { signatures, entries, heads, unread } = JSON.parse(cli.printed) as ComparedRecord
  const states = (of: readonly { readonly state: string }[]): readonly string[] =>
    [...new Set(of.map(({ state }) => state))].sort()
  return { code, signatures: states(signatures), entries: states(entries), heads, unread, all: signatures }
}

/** A record with other lines than that of the sealer. */
function recordWith(change: (lines: string[]) => readonly string[]): string {
  const path = join(folder, 'changed.jsonl')
  const lines = readFileSync(sealer.record, 'utf8').trimEnd().split('\n')
  writeFileSync(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  )
  return path
}

describe('the record of a sealer', () => {
  test('has every signature of the packs that it sealed, and the packs account for it', async () => {
    const { code, signatures, entries, unread, all } = await compared(sealer.record, run, binder, period)
    expect({ code, signatures, entries, unread }).toEqual({
      code: 0,
      signatures: ['recorded'],
      entries: ['found'],
      unread: [],
    })
    expect([...new Set(all.map(({ place }) => place))].sort()).toEqual(
      ['chain-entry', 'executive-summary', 'pdf', 'report', 'seal'].sort(),
    )
    expect(await cli.run('sealer', 'compare', sealer.record, run, binder, period)).toBe(0)
  })

  test('has entries that a part of the files does not account for', async () => {
    expect(await compared(sealer.record, run, period)).toMatchObject({ code: 4, entries: ['found', 'not-given'] })
    // The run chain in the pack of the period names the seal of the run.
    expect(await compared(sealer.record, period)).toMatchObject({ code: 4, entries: ['found', 'named', 'not-given'] })
    expect(await compared(sealer.record, run, binder)).toMatchObject({ code: 3, entries: ['found', 'unaccounted'] })
    expect(await cli.run('sealer', 'compare', sealer.record, run)).toBe(3)
  })

  test('without a line lacks a signature, and with a torn one is incomplete', async () => {
    const isDigest = (line: string): boolean => line.includes('"digest"') && !line.includes('auditHead')
    const short = recordWith((lines) => lines.filter((line) => line !== lines.find(isDigest)))
    expect(await compared(short, run, binder, period)).toMatchObject({
      code: 5,
      signatures: ['not-recorded', 'recorded'],
    })
    const torn = recordWith((lines) => [...lines, '{"at":"2026'])
    const { code, unread } = await compared(torn, run, binder, period)
    expect([code, unread.length]).toEqual([4, 1])
  })

  test('of another key has none of these signatures', async () => {
    const other = recordWith((lines) => lines.map((line) => line.replaceAll(signer.fingerprint, 'c'.repeat(64))))
    expect(await compared(other, run)).toMatchObject({ code: 4, signatures: ['other-key'], entries: ['other-key'] })
  })

  test('and files that cannot be read are refused', async () => {
    expect(await cli.run('sealer', 'compare', join(folder, 'absent'), run)).toBe(2)
    expect(await cli.run('sealer', 'compare', sealer.record, join(folder, 'absent.zip'))).toBe(2)
    writeFileSync(join(folder, 'no.pdf'), 'x')
    expect(await compared(sealer.record, join(folder, 'no.pdf'))).toMatchObject({ code: 5, signatures: ['invalid'] })
  })
})

describe('a signature counts only over the content that it belongs to', () => {
  const states = async (files: Files) => {
    const about = { seal: ports.sealing.reader, validator: ports.validator, file: 'pack' }
    const { found } = await signaturesInPack(sourceOf(files), about)
    return new Map(found.map(({ place, made }) => [place, made !== null]))
  }
  const altered = (files: Files, path: string): Files => {
    const bytes = Uint8Array.from(files.get(path) ?? [])
    const at = Math.floor(bytes.length / 2)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return new Map([...files, [path, bytes]])
  }
  test.each([
    [PATHS.tagManifest, 'seal'],
    [PATHS.seal, 'seal'],
    [PATHS.report, 'report'],
    [CHAIN_PATHS.entries, 'chain-entry'],
  ] as const)('%s', async (path, place) => {
    const files = await filesIn(ports, period)
    expect((await states(files)).get(place)).toBe(true)
    expect((await states(altered(files, path))).get(place)).toBe(false)
    const without = new Map(files)
    without.delete(path)
    expect((await states(without)).get(place) ?? false).toBe(false)
  })
  test('a register that is none', async () => {
    const files = await filesIn(ports, run)
    expect(
      (await states(new Map([...files, [PATHS.register, new TextEncoder().encode('{}')]]))).get('register-entry'),
    ).toBe(false)
  })
})
