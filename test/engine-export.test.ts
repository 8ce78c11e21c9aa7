import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { exportMethods } from '../main/app/engine/export/export-methods.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { fail } from '../main/core/base/failure.ts'
import { chainFolderOf } from '../main/core/base/layout.ts'
import { pem } from '../main/core/base/pem.ts'
import { describedKinds } from '../main/present/recipient.ts'
import { INDEX_PATH } from '../main/verify/disclosure/cuts/parts.ts'
import type { ExportDraft } from '../schemas/ipc-packs.ts'
import { BANNED } from '../schemas/words.ts'
import { lyingTsa, replyWith, testTsa } from './support/lying-tsa.ts'
import { must } from './support/outcomes.ts'
import { sampleRecording } from './support/sample-pack.ts'
import {
  filesHolding,
  type KitOptions,
  memoryVault,
  refusal,
  type SealingKit,
  sealingKit,
  settingsWith,
} from './support/sealing-kit.ts'

const kits: SealingKit[] = []
const kitOf = (options: KitOptions = {}): SealingKit => {
  const kit = sealingKit({ vault: memoryVault(), ...options })
  kits.push(kit)
  return kit
}
afterEach(() => {
  for (const kit of kits.splice(0)) kit.remove()
})

/** With an identity that a person named. */
const readyKit = async (options: KitOptions = {}): Promise<SealingKit> => {
  const kit = kitOf(options)
  must(await kit.trust['identities.create']({ name: 'default', subject: 'Sample Clinic (M. Ortiz)' }))
  return kit
}

const PLAIN = { frameworks: ['soc2' as const], identity: null, timestamp: false, also: [], redact: null }
const PASSPHRASE = 'correct horse battery'
/** Names of the files; the evaluation date in them is that of the computer. */
const names = (draft: { readonly files: ExportDraft['files'] }): readonly string[] =>
  draft.files.map(({ name }) => name.replace(/_\d{4}-\d{2}-\d{2}_/, '_DAY_'))
const fileOf = ({ files }: { readonly files: ExportDraft['files'] }, kind: string): string =>
  files.find(({ name }) => name.endsWith(`_${kind}`))?.name ?? ''
const exportsIn = (kit: SealingKit): readonly string[] => {
  const folder = join(kit.folder, 'exports')
  return existsSync(folder) ? readdirSync(folder) : []
}

const entriesOf = (kit: SealingKit): number =>
  readFileSync(join(chainFolderOf(kit.folder, 'sample fleet'), 'entries.jsonl'), 'utf8').split('\n').length - 1

describe('what an export would hold', () => {
  test('is stated before anything is sealed', async () => {
    const kit = kitOf({ population: ['node-a', 'node-b', 'node-c'] })
    writeFileSync(join(kit.folder, 'settings.json'), settingsWith('https://tsa.example/'))
    expect(must(await kit.exports['export.plan'](null))).toEqual({
      run: 'run-1',
      isShown: true,
      demo: false,
      declared: 3,
      missing: [{ node: 'node-c', why: 'Not part of this run.' }],
      captures: 2,
      results: expect.objectContaining({ frameworks: [expect.objectContaining({ id: 'soc2' })] }),
      frameworks: [{ id: 'soc2', title: 'Sample', chosen: true, kind: 'usual' }],
      also: [
        expect.objectContaining({ id: 'executive', chosen: true }),
        expect.objectContaining({ id: 'annex', chosen: false }),
        expect.objectContaining({ id: 'binder', chosen: false }),
        expect.objectContaining({ id: 'xlsx', chosen: true }),
        expect.objectContaining({ id: 'oscal', chosen: true }),
        expect.objectContaining({ id: 'hdf', chosen: false }),
        expect.objectContaining({ id: 'poam', chosen: false }),
        expect.objectContaining({ id: 'tickets', chosen: false }),
        expect.objectContaining({ id: 'views', chosen: false }),
      ],
      acceptances: 0,
      attachments: 0,
      identities: [],
      organization: null,
      authority: 'https://tsa.example/',
      redactable: expect.arrayContaining([
        { id: 'ipv4', title: 'IPv4 address' },
        { id: 'node', title: 'node name or address' },
      ]),
    })
    expect(exportsIn(kit)).toEqual([])
  })

  test('is refused without a run', async () => {
    const kit = kitOf({ recordings: null })
    expect(refusal(await kit.exports['export.plan'](null))).toBe('input.refused: there is no run to export yet')
    expect(refusal(await kit.exports['export.build'](PLAIN))).toBe('input.refused: there is no run to export yet')
  })
})

describe('sealing', () => {
  test('is refused without an identity, and makes none: no person entered a name', async () => {
    const kit = kitOf()
    expect(refusal(await kit.exports['export.build'](PLAIN))).toMatch(/^identity\.missing: /)
    expect(must(await kit.trust['identities.list'](null))).toEqual([])
    expect(exportsIn(kit)).toEqual([])
  })

  test('is in the name of the only identity, with the usual files, and again with the same key', async () => {
    const vault = memoryVault()
    const kit = await readyKit({ vault })
    const first = must(await kit.exports['export.build'](PLAIN))
    expect(names(first)).toEqual([
      'run-1.barewitness.zip',
      'sample-fleet_DAY_report.pdf',
      'sample-fleet_DAY_report.html',
      'sample-fleet_DAY_README.txt',
      'sample-fleet_DAY_VERIFY.txt',
      'sample-fleet_DAY_assessment.json',
      'sample-fleet_DAY_summary.txt',
      'sample-fleet_DAY_findings.csv',
      'sample-fleet_DAY_results.csv',
      'sample-fleet_DAY_controls.csv',
      'sample-fleet_DAY_population.csv',
      'sample-fleet_DAY_location.csv',
      'sample-fleet_DAY_evidence.csv',
    ])
    expect(first.signer).toMatch(/^Sample Clinic \(M\. Ortiz\), key [0-9a-f]{64}$/)
    expect(first.notDerivable).toEqual([])
    expect(first.notes).toEqual([
      'Time from this computer only: no time-stamp authority was used.',
      'The pack is stored in the Barewitness folder until you save it.',
      'The run chain now contains this pack. If you discard it unsaved, its files stay in that folder.',
    ])
    const second = must(await kit.exports['export.build'](PLAIN))
    expect(second.signer).toBe(first.signer)
    expect(entriesOf(kit)).toBe(2)
    const plan = must(await kit.exports['export.plan'](null))
    expect(plan.identities.map(({ name, keptHow }) => [name, keptHow])).toEqual([['default', 'by the test vault']])
    expect(filesHolding(kit.folder, vault.secrets.get('identity:default') ?? '')).toEqual([])
  })

  test('what else is chosen is in the draft and is saved with it; what no plan offers is refused', async () => {
    const kit = await readyKit()
    const wanted = { ...PLAIN, also: ['hdf', 'xlsx', 'oscal', 'poam', 'tickets', 'views'] }
    const draft = must(await kit.exports['export.build'](wanted))
    const besides = names(draft).filter((name) => /register|oscal|hdf|poam|tickets|views/.test(name))
    expect(besides).toEqual(
      expect.arrayContaining([
        'sample-fleet_DAY_register.xlsx',
        'sample-fleet_DAY_oscal-catalog.json',
        'sample-fleet_DAY_oscal-assessment-plan.json',
        'sample-fleet_DAY_oscal-assessment-results.json',
        'sample-fleet_DAY_poam.xlsx',
        'sample-fleet_DAY_views.xlsx',
        'sample-fleet_DAY_tickets-jira.csv',
        'sample-fleet_DAY_tickets-servicenow.csv',
        expect.stringMatching(/^hdf\/./),
      ]),
    )
    // The note for the recipient describes every file that is written.
    const kinds = names(draft).filter((name) => !name.endsWith('.zip'))
    const isDescribed = (name: string): boolean =>
      describedKinds().some((kind) => {
        const [start = '', end = ''] = kind.split('*')
        const own = name.replace('sample-fleet_DAY_', '')
        return kind.includes('*') ? own.startsWith(start) && own.endsWith(end) : own === kind
      })
    expect(kinds.filter((name) => !isDescribed(name))).toEqual([])
    const to = join(kit.folder, 'saved')
    const saved = must(await kit.exports['export.save']({ handle: draft.handle }, { path: to }))
    expect(saved?.files).toEqual(draft.files)
    for (const { name } of draft.files) expect(existsSync(join(to, name))).toBe(true)
    expect(refusal(await kit.exports['export.build']({ ...PLAIN, also: ['../x'] }))).toMatch(
      /“..\/x” is not an output format/,
    )
    expect(exportsIn(kit)).toHaveLength(1)
  })

  test('without a vault the passphrase is asked for each time, and is stored in no file', async () => {
    const kit = kitOf({ vault: null })
    kit.person.answers.push(PASSPHRASE, PASSPHRASE)
    must(await kit.trust['identities.create']({ name: 'default', subject: 'Sample Clinic (M. Ortiz)' }))
    kit.person.answers.push(PASSPHRASE)
    must(await kit.exports['export.build'](PLAIN))
    kit.person.asked.length = 0
    kit.person.answers.push('not this one', PASSPHRASE)
    must(await kit.exports['export.build']({ ...PLAIN, identity: 'default' }))
    expect(kit.person.asked).toHaveLength(2)
    expect(kit.person.asked[1]).toMatch(/^Wrong passphrase; attempt 2 of 3\./)
    kit.person.answers.push('a', 'b', 'c')
    expect(refusal(await kit.exports['export.build'](PLAIN))).toBe('identity.passphrase-wrong: default')
    expect(refusal(await kit.exports['export.build'](PLAIN))).toBe('input.refused: no passphrase was entered')
    expect(exportsIn(kit)).toHaveLength(2)
    expect(entriesOf(kit)).toBe(2)
    expect(filesHolding(kit.folder, PASSPHRASE)).toEqual([])
  })

  test('a passphrase file of earlier versions still opens its key, and the notes state what that is worth', async () => {
    const kit = kitOf({ vault: null })
    kit.person.answers.push(PASSPHRASE, PASSPHRASE)
    must(await kit.trust['identities.create']({ name: 'default', subject: 'Old' }))
    writeFileSync(join(kit.folder, 'identity-passphrase'), `${PASSPHRASE}\n`)
    const draft = must(await kit.exports['export.build'](PLAIN))
    expect(draft.notes).toContain(
      'Your signing key is stored in a file that only your account can read: anyone who reads your files can sign as you.',
    )
    expect(kit.person.asked).toHaveLength(2)
  })

  test('of several identities one must be chosen', async () => {
    const kit = kitOf()
    for (const name of ['one', 'two']) must(await kit.trust['identities.create']({ name, subject: name }))
    expect(refusal(await kit.exports['export.build'](PLAIN))).toMatch(/several signing identities; choose one/)
    expect(must(await kit.exports['export.build']({ ...PLAIN, identity: 'two' })).signer).toMatch(/^two, key/)
    expect(refusal(await kit.exports['export.build']({ ...PLAIN, identity: 'six' }))).toMatch(/^identity\.missing/)
  })

  test('a demo is sealed by a demonstration key, in no chain, and makes no identity', async () => {
    const kit = kitOf({ demo: true })
    must(await kit.trust['identities.create']({ name: 'mine', subject: 'A real signer' }))
    const draft = must(await kit.exports['export.build']({ ...PLAIN, identity: 'mine' }))
    expect(draft.signer).not.toContain('A real signer')
    expect(draft.notes[0]).toBe('Demo data, sealed by a demo key that can never be trusted.')
    expect(existsSync(join(kit.folder, 'chains'))).toBe(false)
    const review = must(await kit.exports['export.review']({ handle: draft.handle }))
    expect(review.report).toMatchObject({ ok: true, demo: true })
    must(await kit.exports['export.discard']({ handle: draft.handle }))
    expect(exportsIn(kit)).toEqual([])
  })
})

describe('a time by another authority', () => {
  const stamped = { ...PLAIN, timestamp: true }

  test('is refused while no authority is set', async () => {
    const kit = kitOf()
    expect(refusal(await kit.exports['export.build'](stamped))).toMatch(/no time-stamp authority is configured/)
    expect(exportsIn(kit)).toEqual([])
  })

  test('that cannot be had leaves the lower level, and the notes name it', async () => {
    const stamp = async () => fail('timestamp.unreachable', 'No connection: connection refused.')
    const kit = await readyKit({ change: (ports) => ({ ...ports, timestamps: { ...ports.timestamps, stamp } }) })
    writeFileSync(join(kit.folder, 'settings.json'), settingsWith('http://127.0.0.1:9/'))
    const { notes } = must(await kit.exports['export.build'](stamped))
    expect(notes.slice(0, 3)).toEqual([
      'You requested a time-stamp by http://127.0.0.1:9/. It could not be obtained completely.',
      'The pack has no time-stamp: its time is from this computer only.',
      'The report has no time-stamp either: it is at PAdES level B-B.',
    ])
    expect(notes[3]).toBe('Time-stamp authority unreachable: No connection: connection refused.')
    for (const banned of BANNED) expect(notes.join('\n')).not.toMatch(banned)
  })

  test('whose revocation lists are missing stays below the level for long-term checks, and states this', async () => {
    const tsa = testTsa()
    const server = await lyingTsa(replyWith((query) => tsa.response(query)))
    try {
      const kit = await readyKit()
      writeFileSync(join(kit.folder, 'settings.json'), settingsWith(server.url))
      const path = join(kit.folder, 'tsa.pem')
      writeFileSync(path, pem('CERTIFICATE', tsa.root))
      const reason = { for: 'authorities' as const, howVerified: 'from its own site' }
      must(await kit.trust['trust.add-choose'](reason, { path }))
      const { notes, handle } = must(await kit.exports['export.build'](stamped))
      expect(notes).toContain('The pack has a time-stamp.')
      expect(notes).toContain(
        'The report has a time-stamp, at PAdES level B-T, without the data for long-term validation.',
      )
      const review = must(await kit.exports['export.review']({ handle }))
      expect(review.report.checks.find(({ check }) => check === 'time')?.outcome).toBe('passed')
    } finally {
      await server.close()
    }
  })
})

describe('a copy with parts withheld', () => {
  const redact = { classes: ['user', 'ipv4'], who: 'Acme', why: 'not the auditor’s concern' }

  test('is stored in a folder of its own, and what it costs is stated', async () => {
    const kit = await readyKit()
    const draft = must(await kit.exports['export.build']({ ...PLAIN, redact: { ...redact, classes: ['node'] } }))
    const copy = 'hand-out/run-1.parts-withheld.barewitness.zip'
    expect(names(draft)).toContain(copy)
    expect(draft.notes).toContain('Parts of the copy are redacted by Acme: not the auditor’s concern')
    expect(draft.notes).toContain(`Share ${copy} only. All other files contain the redacted parts.`)
    expect(draft.notes).toContain('2 verdicts can no longer be reproduced from the copy.')
    expect(draft.notDerivable).toHaveLength(2)
    expect(draft.notDerivable[0]).toMatchObject({
      check: 'encryption.at-rest.swap',
      why: 'Parts of its evidence are redacted.',
    })
    const review = must(await kit.exports['export.review']({ handle: draft.handle }))
    expect(review.file).toBe('run-1.parts-withheld.barewitness.zip')
    expect(review.report).toMatchObject({ kind: 'disclosure', ok: true })
    const folder = join(kit.folder, 'exports', draft.handle)
    expect(readdirSync(folder)).not.toContain('trial')
    expect(filesHolding(folder, 'node-a').some((path) => path.includes('hand-out'))).toBe(false)
    for (const banned of BANNED) expect(draft.notes.join('\n')).not.toMatch(banned)
  })

  test('that leaves every verdict derivable states that', async () => {
    const draft = must(
      await (await readyKit()).exports['export.build']({ ...PLAIN, redact: { ...redact, classes: ['mac'] } }),
    )
    expect(draft.notDerivable).toEqual([])
    expect(draft.notes).toContain('All verdicts can still be reproduced from the copy.')
  })

  test.each([
    ['a class that does not exist', { ...redact, classes: ['secrets'] }, /“secrets” cannot be redacted/],
    ['nothing named', { ...redact, classes: [] }, /nothing to redact was named/],
    ['no person', { ...redact, who: '  ' }, /must name the person who redacted it/],
  ])('%s is refused before anything is sealed or asked', async (_what, wrong, words) => {
    const kit = kitOf({ vault: null })
    expect(refusal(await kit.exports['export.build']({ ...PLAIN, redact: wrong }))).toMatch(words)
    expect(kit.person.asked).toEqual([])
    expect(existsSync(join(kit.folder, 'chains'))).toBe(false)
    expect(exportsIn(kit).flatMap((name) => readdirSync(join(kit.folder, 'exports', name)))).toEqual([])
  })

  test('a name that the rules cannot cut everywhere is found before a chain names the pack', async () => {
    const recording = sampleRecording('node-a', '/dev/vda2 partition 1 0 -2 none\n')
    const { node } = recording.recording
    const named = { ...recording, recording: { ...recording.recording, node: { ...node, user: 'none' } } }
    const kit = kitOf({ recordings: [named], population: ['node-a'] })
    expect(refusal(await kit.exports['export.build']({ ...PLAIN, redact }))).toMatch(
      /“none” would remain in “data\/assessment\.json”, .* and 1 other file, .*; redact these files as a whole/,
    )
    expect(existsSync(join(kit.folder, 'chains'))).toBe(false)
    expect(existsSync(join(kit.folder, 'identities'))).toBe(false)
  })

  test('a pack that is sealed whole is refused with the reason, before it is sealed', async () => {
    const kit = kitOf({
      change: (ports) => ({
        ...ports,
        packs: {
          ...ports.packs,
          open: async (path) => {
            const pack = await ports.packs.open(path)
            const paths = pack.ok ? pack.value.paths.filter((one) => one !== INDEX_PATH) : []
            return pack.ok ? { ok: true, value: { ...pack.value, paths } } : pack
          },
        },
      }),
    })
    expect(refusal(await kit.exports['export.build']({ ...PLAIN, redact }))).toMatch(/too large for a redacted copy/)
    expect(existsSync(join(kit.folder, 'chains'))).toBe(false)
  })
})

test('the fingerprint card is shown, and saved as a file', async () => {
  const kit = await readyKit()
  const [identity] = must(await kit.trust['identities.list'](null))
  const path = join(kit.folder, 'card.txt')
  expect(must(await kit.trust['identities.save-card']({ name: 'default' }, { path }))).toEqual({ file: 'card.txt' })
  const card = readFileSync(path, 'utf8')
  expect(card).toBe(identity?.card)
  expect(card).toContain('Sample Clinic (M. Ortiz)')
  expect(card.replaceAll(/\s/g, '')).toContain(identity?.fingerprint)
  expect(refusal(await kit.trust['identities.save-card']({ name: 'six' }, { path }))).toMatch(/^identity\.missing/)
})

describe('saving and discarding', () => {
  const draftOf = async (kit: SealingKit): Promise<ExportDraft> => must(await kit.exports['export.build'](PLAIN))

  test('every file arrives as it was sealed', async () => {
    const kit = await readyKit()
    const draft = await draftOf(kit)
    const path = join(kit.folder, 'usb/audit')
    const saved = must(await kit.exports['export.save']({ handle: draft.handle }, { path }))
    expect(saved).toEqual({ folder: path, files: draft.files })
    for (const { name, size, sha256: digest } of draft.files) {
      const bytes = readFileSync(join(path, name))
      expect([bytes.length, sha256(bytes)]).toEqual([size, digest])
    }
    expect(must(await kit.exports['export.save']({ handle: draft.handle }))).toBeNull()
  })

  test('never over another file, and then nothing is written at all', async () => {
    const kit = await readyKit()
    const draft = await draftOf(kit)
    const path = join(kit.folder, 'usb')
    mkdirSync(path)
    const name = fileOf(draft, 'summary.txt')
    writeFileSync(join(path, name), 'mine')
    expect(refusal(await kit.exports['export.save']({ handle: draft.handle }, { path }))).toMatch(
      /^input\.refused: \S+_summary\.txt already exists/,
    )
    expect(readdirSync(path)).toEqual([name])
    expect(readFileSync(join(path, name), 'utf8')).toBe('mine')
  })

  test('a file that was altered since it was sealed is recognized by its digest, and nothing stays', async () => {
    const kit = await readyKit()
    const draft = await draftOf(kit)
    writeFileSync(join(kit.folder, 'exports', draft.handle, fileOf(draft, 'findings.csv')), 'all is well')
    const path = join(kit.folder, 'usb')
    expect(refusal(await kit.exports['export.save']({ handle: draft.handle }, { path }))).toMatch(
      /findings\.csv differs from the sealed file after copying; nothing was saved/,
    )
    expect(readdirSync(path)).toEqual([])
  })

  test('what was saved may be discarded; a pack that a chain names keeps its files otherwise', async () => {
    const kit = await readyKit()
    const [kept, saved] = [await draftOf(kit), await draftOf(kit)]
    must(await kit.exports['export.save']({ handle: saved.handle }, { path: join(kit.folder, 'usb') }))
    for (const { handle } of [kept, saved]) must(await kit.exports['export.discard']({ handle }))
    expect(exportsIn(kit)).toEqual([kept.handle])
    expect(readdirSync(join(kit.folder, 'exports', kept.handle))).toContain('run-1.barewitness.zip')
    for (const { handle } of [kept, saved])
      expect(refusal(await kit.exports['export.discard']({ handle }))).toMatch(/^input\.refused/)
    expect((await kit.exports['export.review']({ handle: kept.handle })).ok).toBe(false)
  })

  test('on a team server, a pack that a chain names stays also after it was saved: a download can fail', async () => {
    const kit = await readyKit()
    const exports = exportMethods({ ...kit.context, keepsSealed: true })
    const draft = must(await exports['export.build'](PLAIN))
    must(await exports['export.save']({ handle: draft.handle }, { path: join(kit.folder, 'download') }))
    must(await exports['export.discard']({ handle: draft.handle }))
    expect(exportsIn(kit)).toEqual([draft.handle])
    expect(readdirSync(join(kit.folder, 'exports', draft.handle))).toContain('run-1.barewitness.zip')
    expect(refusal(await exports['export.discard']({ handle: draft.handle }))).toMatch(/^input\.refused/)
  })

  test('a handle leads nowhere else', async () => {
    const kit = kitOf({ recordings: [sampleRecording('node-a', '')] })
    for (const handle of ['../identities', '0'.repeat(32)]) {
      expect((await kit.exports['export.discard']({ handle })).ok).toBe(false)
      expect((await kit.exports['export.save']({ handle }, { path: kit.folder })).ok).toBe(false)
    }
  })
})
