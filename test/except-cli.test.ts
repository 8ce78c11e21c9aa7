import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { attachedToNamed } from '../main/app/register/named.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import type { checkListing, requestListing } from '../main/catalog/definition/listing.ts'
import { catalogCommand } from '../main/cli/commands/catalog.ts'
import { exceptCommand } from '../main/cli/commands/except.ts'
import { recordCommand } from '../main/cli/commands/record.ts'
import { EXIT } from '../main/cli/parts/options.ts'
import { readRegister } from '../main/cli/parts/register.ts'
import { sha256 } from '../main/core/base/digest.ts'
import type { Control, Framework } from '../main/core/rules/framework.ts'
import type { Register } from '../schemas/types.ts'
import { commandLine } from './support/command-line.ts'
import { folderOfTests } from './support/folders.ts'
import { registerOf, riskAcceptanceOf } from './support/register.ts'
import { sampleSigner } from './support/sample-pack.ts'

const home = folderOfTests('except')
const identities = join(home, 'identities')
const secret = join(home, 'secret')
const today = new Date().toISOString().slice(0, 10)
const until = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)
const real = createPorts(catalog)
let folder: string
let path: string
let now: string

beforeAll(async () => {
  mkdirSync(identities)
  await sampleSigner(identities, 'asker')
  await sampleSigner(identities, 'approver')
  writeFileSync(secret, 'a long passphrase\n')
  chmodSync(secret, 0o600)
})

beforeEach(() => {
  folder = mkdtempSync(join(home, 'case-'))
  path = join(folder, 'register.json')
  now = new Date().toISOString()
})

const cli = commandLine(
  () => ({ ...real, clock: { ...real.clock, now: () => now } }),
  exceptCommand,
  recordCommand,
  catalogCommand,
)
const { run } = cli

const kept = (): Register => JSON.parse(readFileSync(path, 'utf8')) as Register
const there = (): readonly string[] => ['--register', path]
const key = (name: string): readonly string[] => [
  ...['--identity', name, '--identity-folder', identities, '--passphrase-file', secret],
]
const CHECK = 'tenancy.no-guests'
const request = (...more: readonly string[]): Promise<number> =>
  run(
    ...[
      'acceptance',
      'request',
      ...there(),
      '--check',
      CHECK,
      '--node',
      'gpu-01',
      'gpu-02',
      '--reason',
      'A test bench.',
    ],
    ...[
      '--compensating-control',
      'A weekly look.',
      '--owner',
      'K. Adeyemi',
      '--requested-by',
      'K. Adeyemi',
      '--expires',
      until,
    ],
    ...more,
  )
const approve = (id: string, ...more: readonly string[]): Promise<number> =>
  run('acceptance', 'approve', id, ...there(), '--approved-by', 'M. Ortiz', '--role', 'Security officer', ...more)
const firstId = (): string => kept().acceptanceRequests?.[0]?.id ?? ''

describe('exceptions on the command line', () => {
  test('are asked for, approved by another, listed and withdrawn; every earlier copy is kept', async () => {
    expect(await request()).toBe(EXIT.done)
    expect(cli.told).toContain('No effect until approved.')
    expect(cli.told).toContain('Not digitally signed')
    expect(kept().riskAcceptances).toEqual([])
    const id = firstId()
    expect(await approve(id.slice(0, 8))).toBe(EXIT.done)
    expect(cli.told).toContain(
      `Approved: risk acceptance ${id}, until the end of ${until} UTC. The verdict does not change.`,
    )
    expect(kept().riskAcceptances).toMatchObject([
      { id, check: CHECK, nodes: ['gpu-01', 'gpu-02'], approvedBy: 'M. Ortiz', approverRole: 'Security officer' },
    ])
    expect(await run('acceptance', 'list', ...there())).toBe(EXIT.done)
    expect(cli.told).toContain(`In effect  ${id}  ${CHECK} on gpu-01, gpu-02, until ${until}`)
    expect(await run('acceptance', 'withdraw', id, ...there(), '--by', 'L. Sato', '--reason', 'Fixed.')).toBe(EXIT.done)
    expect(kept().riskAcceptances[0]?.withdrawn).toEqual({ at: now, by: 'L. Sato', reason: 'Fixed.' })
    expect(readdirSync(join(folder, 'register-earlier'))).toHaveLength(2)
    expect(await run('acceptance', 'withdraw', id, ...there(), '--by', 'L. Sato', '--reason', 'Again.')).toBe(
      EXIT.usage,
    )
    expect(readdirSync(join(folder, 'register-earlier'))).toHaveLength(2)
  })

  test('of one person are allowed, and this is reported', async () => {
    await request()
    expect(await approve(firstId(), '--approved-by', 'k. adeyemi')).toBe(EXIT.done)
    expect(cli.told).toContain('No segregation of duties')
    await run('acceptance', 'list', ...there(), '--json')
    expect(JSON.parse(cli.printed)).toMatchObject({ riskAcceptances: [{ onePerson: true, oneKey: false }] })
  })

  test('are signed with two keys; one key for two people is refused, and then nothing is written', async () => {
    expect(await request(...key('asker'))).toBe(EXIT.done)
    expect(cli.told).toContain('Signed with asker')
    const before = readFileSync(path, 'utf8')
    expect(await approve(firstId(), ...key('asker'))).toBe(EXIT.usage)
    expect(cli.told).toContain('two people are named, but both signatures have the same key')
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(await approve(firstId(), ...key('approver'))).toBe(EXIT.done)
    expect(await run('acceptance', 'list', ...there(), '--json')).toBe(EXIT.done)
    const [entry] = (
      JSON.parse(cli.printed) as { riskAcceptances: { signatures: { role: string; problems: string[] }[] }[] }
    ).riskAcceptances
    expect(entry?.signatures.map(({ role, problems }) => [role, problems])).toEqual([
      ['requester', []],
      ['approver', []],
    ])
    expect(cli.printed).not.toContain('"cms"')
    expect((await readRegister(real, path)).ok).toBe(true)

    // An end that was moved after signing is told, and never sealed.
    const moved = kept().riskAcceptances.map((one) => ({ ...one, expiresAt: `${today}T23:59:59.999Z` }))
    writeFileSync(path, JSON.stringify({ ...kept(), riskAcceptances: moved }))
    expect(await run('acceptance', 'list', ...there())).toBe(EXIT.notVerified)
    expect(cli.told).toContain('the signature of the approver is invalid')
    expect(await readRegister(real, path)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })

  test('that were refused stay listed', async () => {
    await request()
    const id = firstId()
    expect(await run('acceptance', 'reject', id, ...there(), '--by', 'M. Ortiz', '--reason', 'Fix it.')).toBe(EXIT.done)
    expect(await approve(id)).toBe(EXIT.usage)
    expect(cli.told).toContain('this request was already rejected')
    await run('acceptance', 'list', ...there())
    expect(cli.told).toContain(`Rejected  ${id}`)
  })

  test('that have ended are gaps, until something else is in force', async () => {
    const ended = riskAcceptanceOf({ check: CHECK, nodes: ['gpu-01'], expiresAt: '2026-11-20T23:59:59.999Z' })
    const next = riskAcceptanceOf({
      id: '2'.repeat(32),
      check: CHECK,
      nodes: ['gpu-01'],
      expiresAt: '2027-02-01T23:59:59.999Z',
    })
    const list = (...more: readonly string[]): Promise<number> =>
      run('acceptance', 'list', ...there(), '--as-of', '2026-11-21T00:00:00Z', ...more)
    writeFileSync(path, JSON.stringify(registerOf({ riskAcceptances: [ended] })))
    expect(await list()).toBe(EXIT.gaps)
    expect(cli.told).toContain('Expired  ')
    expect(await list('--deviations-exit-zero')).toBe(EXIT.done)
    writeFileSync(path, JSON.stringify(registerOf({ riskAcceptances: [ended, next] })))
    expect(await list()).toBe(EXIT.done)
  })

  test.each<[string, readonly string[], string]>([
    ['a check that is not there', ['--check', 'no.such'], 'there is no check “no.such”'],
    ['an end too far away', ['--expires', '2099-01-01'], 'must be at most 366 days from today'],
    ['no reason', ['--reason', ' '], 'the reason must be entered'],
    ['an identity that is not there', ['--identity', 'nobody', '--passphrase-file', secret], 'nobody'],
  ])('with %s is refused, and nothing is begun', async (_, more, detail) => {
    expect(await request(...more)).toBe(EXIT.usage)
    expect(cli.told).toContain(detail)
    expect(readdirSync(folder)).toEqual([])
  })

  test('in a register that is not there, and by an id that is not one', async () => {
    expect(await approve('f'.repeat(32))).toBe(EXIT.usage)
    expect(cli.told).toContain(`there is no register ${path}`)
    expect(await run('acceptance', 'list', ...there())).toBe(EXIT.usage)
    expect(readdirSync(folder)).toEqual([])
    await request()
    expect(await approve(firstId().slice(0, 5))).toBe(EXIT.usage)
    expect(await approve('f'.repeat(32))).toBe(EXIT.usage)
    expect(cli.told).toContain('there is no entry')
  })

  test('with a fleet file, only its nodes can be named', async () => {
    const fleet = join(folder, 'fleet.yaml')
    const nodes = ['gpu-01', 'gpu-02'].map((name) => ({ name, address: '192.0.2.1', user: 'x' }))
    writeFileSync(fleet, JSON.stringify({ name: 'clinic', nodes }))
    expect(await request('--fleet', fleet)).toBe(EXIT.done)
    expect(await request('--fleet', fleet, '--node', 'gpu-09')).toBe(EXIT.usage)
    expect(cli.told).toContain('there is no node “gpu-09”')
  })
})

describe('decisions on the command line', () => {
  const decide = (...more: readonly string[]): Promise<number> =>
    run(
      ...['decision', 'add', ...there(), '--control', 'hipaa:164.312(a)(2)(iv)', '--decision', 'not-implemented'],
      ...['--reason', 'Only synthetic data.', '--owner', 'K. Adeyemi', '--requested-by', 'K. Adeyemi'],
      ...['--approved-by', 'M. Ortiz', '--role', 'Security officer', '--expires', until, '--factors', 'Size and cost.'],
      ...more,
    )
  test('are written down, signed by both, and withdrawn', async () => {
    expect(await decide(...key('approver'))).toBe(EXIT.done)
    const [entry] = kept().decisions ?? []
    expect(entry).toMatchObject({
      framework: 'hipaa',
      control: 'hipaa:164.312(a)(2)(iv)',
      approverRole: 'Security officer',
    })
    const id = entry?.id ?? ''
    expect(await run('acceptance', 'sign', id, ...there(), '--as', 'requester', ...key('approver'))).toBe(EXIT.usage)
    expect(await run('acceptance', 'sign', id, ...there(), '--as', 'owner', ...key('asker'))).toBe(EXIT.usage)
    expect(await run('acceptance', 'sign', id, ...there(), '--as', 'requester')).toBe(EXIT.usage)
    expect(await run('acceptance', 'sign', id, ...there(), '--as', 'requester', ...key('asker'))).toBe(EXIT.done)
    expect(await run('acceptance', 'list', ...there())).toBe(EXIT.done)
    expect(cli.told).toMatch(/Signed: approver .*approver.*; requester .*asker/)
    expect(await run('acceptance', 'withdraw', id, ...there(), '--by', 'x', '--reason', 'Replaced.')).toBe(EXIT.done)
    expect(kept().decisions?.[0]?.withdrawn).toMatchObject({ by: 'x' })
    now = '2030-01-01T00:00:00.000Z'
    expect(await run('acceptance', 'list', ...there())).toBe(EXIT.done)
  })

  test.each<[string, readonly string[], string]>([
    ['a row that is not there', ['--control', 'hipaa:164.999'], 'there is no control “hipaa:164.999”'],
    ['a row without a choice', ['--control', 'hipaa:164.308(b)(1)'], 'only an addressable specification'],
    ['a word that is none', ['--decision', 'maybe'], '--decision must be one of'],
    ['no factors', ['--factors', ''], 'the factors considered must be entered'],
    ['no measure', ['--decision', 'equivalent-alternative'], 'the equivalent alternative measure must be entered'],
  ])('with %s are refused', async (_, more, detail) => {
    expect(await decide(...more)).toBe(EXIT.usage)
    expect(cli.told).toContain(detail)
    expect(readdirSync(folder)).toEqual([])
  })

  test('that have ended are gaps', async () => {
    await decide()
    now = `${Number(today.slice(0, 4)) + 2}-01-01T00:00:00.000Z`
    expect(await run('acceptance', 'list', ...there())).toBe(EXIT.gaps)
  })
})

describe('documents on the command line', () => {
  const ROW = 'hipaa:164.308(b)(1)'
  const NEED = 'Vendor due-diligence file'
  const MFA = 'access.sshd.mfa'
  const INSPECTED = ['--level', 'inspected', '--inspected-by', 'M. Ortiz', '--looked-at', 'All clauses.'] as const
  const SUPPORTS = [...INSPECTED, '--conclusion', 'supports'] as const
  const add = (...more: readonly string[]): Promise<number> =>
    run(
      ...[
        'document',
        'add',
        ...there(),
        '--file',
        join(folder, 'BAA 2026.pdf'),
        '--summary',
        'What the provider agreed to.',
      ],
      ...['--provided-by', 'R. Novak', '--owner', 'R. Novak', ...more],
    )
  beforeEach(() => writeFileSync(join(folder, 'BAA 2026.pdf'), '%PDF-1.7 agreement'))

  test('are attached by their digest beside the register, to the requests that a row’s need covers', async () => {
    expect(await add('--control', ROW, '--request', NEED, ...SUPPORTS, '--expires', until)).toBe(EXIT.done)
    const digest = sha256('%PDF-1.7 agreement')
    const [entry] = kept().documents
    expect(entry).toMatchObject({
      name: 'BAA 2026.pdf',
      sha256: digest,
      need: null,
      level: 'inspected',
      inspection: { by: 'M. Ortiz', at: now, lookedAt: 'All clauses.', conclusion: 'supports' },
      controls: [{ framework: 'requests', control: 'ER-33' }],
    })
    expect(entry).not.toHaveProperty('answers')
    expect(readFileSync(join(folder, 'documents', digest), 'utf8')).toBe('%PDF-1.7 agreement')
    expect(readFileSync(path, 'utf8')).not.toContain(folder)
    const said = await readRegister(real, path)
    const [record] = said.ok ? said.value.register.documents : []
    expect(record !== undefined && said.ok && (await said.value.attachmentBytes(record)).ok).toBe(true)
  })

  test('are attached to several requests at once, and to those of a row with one document alone', async () => {
    expect(await add('--request', 'ER-31', 'er-33', '--control', 'hipaa:164.308(b)(3)', ...SUPPORTS)).toBe(EXIT.done)
    expect(kept().documents[0]?.controls.map(({ control }) => control)).toEqual(['ER-31', 'ER-33'])
    expect(cli.told).toContain('to ER-31, ER-33.')
  })

  test.each([
    ['inquiry', 'Level inquiry: the document supports no control'],
    ['received', 'Level received: the document supports no control'],
  ])('at level %s support nothing yet, and that is printed', async (level, words) => {
    expect(await add('--request', 'ER-31', '--level', level)).toBe(EXIT.done)
    expect(kept().documents[0]).toMatchObject({ level })
    expect(kept().documents[0]).not.toHaveProperty('inspection')
    expect(cli.told).toContain(words)
  })

  test('below the minimum of their request, or that do not support, print it', async () => {
    expect(await add('--request', 'ER-25', ...SUPPORTS)).toBe(EXIT.done)
    expect(cli.told).toContain('ER-25 requires level reperformed')
    expect(await add('--request', 'ER-31', ...INSPECTED, '--conclusion', 'does-not-support')).toBe(EXIT.done)
    expect(kept().documents[1]?.inspection?.conclusion).toBe('does-not-support')
    expect(cli.told).toContain('does not support')
  })

  test('have versions and an effective period', async () => {
    expect(await add('--request', 'ER-31', 'ER-33', ...SUPPORTS, '--effective-from', '2026-01-01')).toBe(EXIT.done)
    const id = kept().documents[0]?.id ?? ''
    expect(cli.told).toContain(`Document ${id}.`)
    writeFileSync(join(folder, 'BAA 2026.pdf'), '%PDF-1.7 second agreement')
    expect(await add('--supersedes', id, ...SUPPORTS)).toBe(EXIT.done)
    const [first, second] = kept().documents
    expect(first).toMatchObject({ effective: { from: '2026-01-01', to: null }, withdrawn: null })
    expect(second).toMatchObject({ supersedes: id, controls: first?.controls })
    expect(existsSync(join(folder, 'documents', sha256('%PDF-1.7 agreement')))).toBe(true)
    expect(await add('--supersedes', id, ...SUPPORTS)).not.toBe(EXIT.done)
    expect(await add('--request', 'ER-31', '--effective-to', '2026-01-01', ...SUPPORTS)).not.toBe(EXIT.done)
    expect(kept().documents).toHaveLength(2)
  })

  test('answer results of checks on named nodes', async () => {
    const answering = ['--answers', MFA, '--answers-on', 'gpu-01', 'gpu-02']
    expect(await add('--request', 'ER-18', ...SUPPORTS, ...answering)).toBe(EXIT.done)
    expect(kept().documents[0]?.answers).toEqual({ checks: [MFA], nodes: ['gpu-01', 'gpu-02'] })
    expect(cli.told).not.toContain('It is no alternative evidence')
    expect(await add('--request', 'ER-18', '--level', 'received', ...answering)).toBe(EXIT.done)
    expect(cli.told).toContain('It is no alternative evidence')
  })

  test('are requested from an owner, by their evidence request or for one row', async () => {
    const due = ['--owner', 'P. Lind', '--due', until]
    expect(await run('document', 'request', ...there(), '--request', 'er-18', ...due)).toBe(EXIT.done)
    const title = catalog.requests.find(({ id }) => id === 'ER-18')?.title ?? ''
    const asking = [
      'document',
      'request',
      ...there(),
      '--control',
      ROW,
      '--request',
      NEED.toUpperCase(),
      '--owner',
      'P. Lind',
    ]
    expect(await run(...asking, '--due', until)).toBe(EXIT.done)
    const end = `${until}T23:59:59.999Z`
    expect(kept().documentRequests).toEqual([
      { framework: 'requests', control: 'ER-18', need: title, owner: 'P. Lind', due: end },
      { framework: 'hipaa', control: ROW, need: NEED, owner: 'P. Lind', due: end },
    ])
    expect(await run(...asking, '--due', '2020-01-01')).toBe(EXIT.usage)
    await expect(run('document', 'request', ...there(), ...due)).rejects.toThrow('--request')
    expect(await run('document', 'request', ...there(), '--request', 'ER-18', '--control', ROW, ...due)).toBe(
      EXIT.usage,
    )
  })

  test.each<[string, readonly string[], string]>([
    ['no place', [...SUPPORTS], 'enter an evidence request with --request'],
    ['a request that is none', ['--request', 'ER-99', ...SUPPORTS], 'there is no evidence request “ER-99”'],
    ['a row of several documents without a need', ['--control', ROW, ...SUPPORTS], 'select the document of'],
    [
      'a document that the row does not need',
      ['--control', ROW, '--request', 'gold', ...SUPPORTS],
      'does not match exactly one required document',
    ],
    ['a row that is not there', ['--control', 'soc2:CC99', ...SUPPORTS], 'there is no control “soc2:CC99”'],
    ['a level that is none', ['--request', 'ER-31', '--level', 'heard'], '--level must be one of'],
    ['an inspection without its parts', ['--request', 'ER-31', '--level', 'inspected'], 'requires --inspected-by'],
    [
      'an inspection of what was received',
      ['--request', 'ER-31', ...SUPPORTS, '--level', 'received'],
      'has no inspection',
    ],
    [
      'a conclusion that is none',
      ['--request', 'ER-31', ...INSPECTED, '--conclusion', 'yes'],
      '--conclusion must be one of',
    ],
    ['an inspection still to come', ['--request', 'ER-31', ...SUPPORTS, '--inspected-on', '2099-01-01'], 'up to today'],
    [
      'a check that it may not answer',
      ['--request', 'ER-31', ...SUPPORTS, '--answers', MFA, '--answers-on', 'gpu-01'],
      'cannot be alternative evidence',
    ],
    ['checks without nodes', ['--request', 'ER-18', ...SUPPORTS, '--answers', MFA], 'must be used together'],
    ['a file that is not there', ['--request', 'ER-31', ...SUPPORTS, '--file', '/nowhere/x.pdf'], '/nowhere/x.pdf'],
    ['a day that is none', ['--request', 'ER-31', ...SUPPORTS, '--expires', '2027-02-30'], 'must be a date such as'],
  ])('with %s are refused, and nothing is begun', async (_, more, detail) => {
    expect(await add(...more)).toBe(EXIT.usage)
    expect(cli.told).toContain(detail)
    expect(readdirSync(folder)).toEqual(['BAA 2026.pdf'])
  })

  test('the old --method is gone', async () => {
    await expect(add('--request', 'ER-31', ...SUPPORTS, '--method', 'examined')).rejects.toThrow('unknown option')
  })

  test('with a fleet file, results are answered on its nodes only', async () => {
    const fleet = join(folder, 'fleet.yaml')
    const nodes = [{ name: 'gpu-01', address: '192.0.2.1', user: 'x' }]
    writeFileSync(fleet, JSON.stringify({ name: 'clinic', nodes }))
    const answering = ['--fleet', fleet, '--request', 'ER-18', ...SUPPORTS, '--answers', MFA, '--answers-on']
    expect(await add(...answering, 'gpu-09')).toBe(EXIT.usage)
    expect(cli.told).toContain('there is no node “gpu-09”')
    expect(await add(...answering, 'gpu-01')).toBe(EXIT.done)
  })

  test('for a need of the customer’s own mapping stay with its row', () => {
    const control = {
      ...(catalog.frameworks[0]?.controls[0] as Control),
      key: 'own:1',
      id: '1',
      documentsRequired: ['Rota'],
    }
    const { requests, ...plain } = { ...control, mappings: [] }
    const own = { ...(catalog.frameworks[0] as Framework), id: 'own', controls: [plain] }
    const named = attachedToNamed(
      { ...catalog, frameworks: [own] },
      { request: ['ER-31'], rows: ['own:1'], need: 'rota' },
    )
    expect(named).toMatchObject({
      ok: true,
      value: {
        need: 'Rota',
        controls: [
          { framework: 'requests', control: 'ER-31' },
          { framework: 'own', control: 'own:1' },
        ],
      },
    })
  })
})

describe('evidence requests on the command line', () => {
  test('are listed with what is inspected, the minimum, the owner, and the rows and checks that they answer', async () => {
    expect(await run('catalog', 'requests', '--json')).toBe(EXIT.done)
    const listing = JSON.parse(cli.printed) as ReturnType<typeof requestListing>
    expect(listing.map(({ id }) => id)).toEqual(catalog.requests.map(({ id }) => id))
    for (const one of listing) {
      expect(one.inspects, one.id).not.toBe('')
      expect(one.owner, one.id).not.toBe('')
    }
    const agreement = listing.find(({ id }) => id === 'ER-31')
    expect(agreement?.controls).toContainEqual({ framework: 'hipaa', control: ROW_OF_AGREEMENT, mandatory: true })
    expect(listing.find(({ id }) => id === 'ER-18')?.mayAnswer.map(({ check }) => check)).toContain('access.sshd.mfa')
    expect(listing.find(({ id }) => id === 'ER-25')).toMatchObject({ minimum: 'reperformed' })
    expect(await run('catalog', 'requests')).toBe(EXIT.done)
    for (const { id, title } of catalog.requests) expect(cli.printed).toContain(`${id}  ${title}`)
    expect(cli.printed).toMatch(/required for [^\n]*hipaa:164\.308\(b\)\(3\)/)
  })

  test('are in the list of checks for what no server answers, beside severity and roles', async () => {
    expect(await run('catalog', 'checks', '--json')).toBe(EXIT.done)
    const listing = JSON.parse(cli.printed) as ReturnType<typeof checkListing>
    expect(listing.find(({ id }) => id === 'access.break-glass')).toMatchObject({ built: false, requests: ['ER-21'] })
    const accounts = listing.find(({ id }) => id === 'access.unique-accounts')
    expect(accounts).toMatchObject({ built: true, severity: { severity: 'high' } })
    expect(accounts?.roles).toContainEqual({ control: 'soc2:CC6.1', role: 'required' })
    expect(accounts?.feeds).toEqual(accounts?.roles.map(({ control }) => control))
    expect(await run('catalog', 'checks')).toBe(EXIT.done)
    expect(cli.printed).toMatch(/required for [^\n]*soc2:CC6\.1/)
    expect(cli.printed).toMatch(/counter for [^\n]*hipaa:164\.312\(a\)\(1\)/)
  })
})
const ROW_OF_AGREEMENT = 'hipaa:164.308(b)(3)'

describe('explanations on the command line', () => {
  const explaining = (...more: readonly string[]): Promise<number> => {
    const letter = join(folder, 'letter.pdf')
    writeFileSync(letter, 'Cores are switched off.')
    return run(
      ...['document', 'explain', ...there(), '--signal', 'cpu.cores', '--node', 'gpu-01', '--because', 'A licence.'],
      ...['--document', letter, '--by', 'P. Lind', '--role', 'Hardware lead', '--expires', until, ...more],
    )
  }
  test('are written down with the digest of their document, listed, and withdrawn', async () => {
    expect(await explaining()).toBe(EXIT.done)
    const [entry] = kept().explanations ?? []
    expect(entry).toMatchObject({
      signal: 'cpu.cores',
      nodes: ['gpu-01'],
      document: { name: 'letter.pdf', sha256: sha256(Buffer.from('Cores are switched off.')) },
      withdrawn: null,
    })
    expect(await run('acceptance', 'list', ...there(), '--json')).toBe(EXIT.done)
    expect(JSON.parse(cli.printed)).toMatchObject({ explanations: [{ id: entry?.id, status: 'in-force' }] })
    expect(
      await run('acceptance', 'withdraw', entry?.id ?? '', ...there(), '--by', 'P. Lind', '--reason', 'On again.'),
    ).toBe(EXIT.done)
    expect(kept().explanations?.[0]?.withdrawn?.by).toBe('P. Lind')
  })
  test('of a reading that the catalog lacks are refused, and nothing is kept', async () => {
    expect(await explaining('--signal', 'cpu.none')).not.toBe(EXIT.done)
    expect(() => kept()).toThrow()
  })
})
