import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../main/adapters/world.ts'
import { catalog } from '../main/catalog/index.ts'
import { exceptCommand } from '../main/cli/commands/except.ts'
import { recordCommand } from '../main/cli/commands/record.ts'
import { EXIT } from '../main/cli/exit-codes.ts'
import { readSaid } from '../main/cli/register.ts'
import { sha256 } from '../main/core/digest.ts'
import type { Register } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { exceptionOf, registerOf } from './support/register.ts'
import { sampleSigner } from './support/sample-pack.ts'

const home = mkdtempSync(join(tmpdir(), 'bw-except-'))
const identities = join(home, 'identities')
const secret = join(home, 'secret')
const today = new Date().toISOString().slice(0, 10)
const until = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)
const real = createWorld(catalog)
let folder: string
let path: string
let now: string
let out: string
let told: string

beforeAll(async () => {
  mkdirSync(identities)
  await sampleSigner(identities, 'asker')
  await sampleSigner(identities, 'approver')
  writeFileSync(secret, 'a long passphrase\n')
  chmodSync(secret, 0o600)
})
afterAll(() => rmSync(home, { recursive: true }))

beforeEach(() => {
  folder = mkdtempSync(join(home, 'case-'))
  path = join(folder, 'register.json')
  now = new Date().toISOString()
})
afterEach(() => vi.restoreAllMocks())

/** Runs one command line, and gives its exit code; what it said is in `told`, and what it printed in `out`. */
async function run(...argv: readonly string[]): Promise<number> {
  let code: number = EXIT.done
  out = ''
  told = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text)
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text)
    return true
  })
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  const context = {
    world: { ...real, clock: { ...real.clock, now: () => now } },
    program,
    exit: (next: number) => {
      code = next
    },
  }
  exceptCommand(context)
  recordCommand(context)
  try {
    await program.parseAsync(['node', 'barewitness', ...argv])
  } finally {
    vi.restoreAllMocks()
  }
  for (const banned of BANNED) expect(told).not.toMatch(banned)
  return code
}

const kept = (): Register => JSON.parse(readFileSync(path, 'utf8')) as Register
const there = (): readonly string[] => ['--register', path]
const key = (name: string): readonly string[] => [
  ...['--identity', name, '--identity-folder', identities, '--passphrase-file', secret],
]
const CHECK = 'tenancy.no-guests'
const request = (...more: readonly string[]): Promise<number> =>
  run(
    ...['except', 'request', ...there(), '--check', CHECK, '--node', 'gpu-01', 'gpu-02', '--reason', 'A test bench.'],
    ...['--measure', 'A weekly look.', '--owner', 'K. Adeyemi', '--requested-by', 'K. Adeyemi', '--until', until],
    ...more,
  )
const approve = (id: string, ...more: readonly string[]): Promise<number> =>
  run('except', 'approve', id, ...there(), '--approved-by', 'M. Ortiz', '--role', 'Security officer', ...more)
const firstId = (): string => kept().pending?.[0]?.id ?? ''

describe('exceptions on the command line', () => {
  test('are asked for, approved by another, listed and withdrawn; every earlier copy is kept', async () => {
    expect(await request()).toBe(EXIT.done)
    expect(told).toContain('It accepts nothing yet.')
    expect(told).toContain('Not signed')
    expect(kept().exceptions).toEqual([])
    const id = firstId()
    expect(await approve(id.slice(0, 8))).toBe(EXIT.done)
    expect(told).toContain(`Accepted: exception ${id}, until the end of ${until}, UTC. The verdict stays what it is.`)
    expect(kept().exceptions).toMatchObject([
      { id, check: CHECK, nodes: ['gpu-01', 'gpu-02'], approvedBy: 'M. Ortiz', approverRole: 'Security officer' },
    ])
    expect(await run('except', 'list', ...there())).toBe(EXIT.done)
    expect(told).toContain(`In force  ${id}  ${CHECK} on gpu-01, gpu-02, until ${until}`)
    expect(await run('except', 'withdraw', id, ...there(), '--by', 'L. Sato', '--reason', 'Fixed.')).toBe(EXIT.done)
    expect(kept().exceptions[0]?.withdrawn).toEqual({ at: now, by: 'L. Sato', reason: 'Fixed.' })
    expect(readdirSync(join(folder, 'register-earlier'))).toHaveLength(2)
    expect(await run('except', 'withdraw', id, ...there(), '--by', 'L. Sato', '--reason', 'Again.')).toBe(EXIT.usage)
    expect(readdirSync(join(folder, 'register-earlier'))).toHaveLength(2)
  })

  test('of one person are allowed, and it is said', async () => {
    await request()
    expect(await approve(firstId(), '--approved-by', 'k. adeyemi')).toBe(EXIT.done)
    expect(told).toContain('Asked for and approved by one person. Every report says so.')
    await run('except', 'list', ...there(), '--json')
    expect(JSON.parse(out)).toMatchObject({ exceptions: [{ onePerson: true, oneKey: false }] })
  })

  test('are signed with two keys; one key for two people is refused, and then nothing is written', async () => {
    expect(await request(...key('asker'))).toBe(EXIT.done)
    expect(told).toContain('Signed with asker')
    const before = readFileSync(path, 'utf8')
    expect(await approve(firstId(), ...key('asker'))).toBe(EXIT.usage)
    expect(told).toContain('two people are named, and both signatures are of one key')
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(await approve(firstId(), ...key('approver'))).toBe(EXIT.done)
    expect(await run('except', 'list', ...there(), '--json')).toBe(EXIT.done)
    const [entry] = (JSON.parse(out) as { exceptions: { signatures: { role: string; problems: string[] }[] }[] })
      .exceptions
    expect(entry?.signatures.map(({ role, problems }) => [role, problems])).toEqual([
      ['requester', []],
      ['approver', []],
    ])
    expect(out).not.toContain('"cms"')
    expect((await readSaid(real, path)).ok).toBe(true)

    // An end that was moved after signing is told, and never sealed.
    const moved = kept().exceptions.map((one) => ({ ...one, expiresAt: `${today}T23:59:59.999Z` }))
    writeFileSync(path, JSON.stringify({ ...kept(), exceptions: moved }))
    expect(await run('except', 'list', ...there())).toBe(EXIT.notVerified)
    expect(told).toContain('the signature of who approved does not stand')
    expect(await readSaid(real, path)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })

  test('that were refused stay listed', async () => {
    await request()
    const id = firstId()
    expect(await run('except', 'refuse', id, ...there(), '--by', 'M. Ortiz', '--reason', 'Fix it.')).toBe(EXIT.done)
    expect(await approve(id)).toBe(EXIT.usage)
    expect(told).toContain('this request was refused already')
    await run('except', 'list', ...there())
    expect(told).toContain(`Refused  ${id}`)
  })

  test('that have ended are gaps, until something else is in force', async () => {
    const ended = exceptionOf({ check: CHECK, nodes: ['gpu-01'], expiresAt: '2026-11-20T23:59:59.999Z' })
    const next = exceptionOf({
      id: '2'.repeat(32),
      check: CHECK,
      nodes: ['gpu-01'],
      expiresAt: '2027-02-01T23:59:59.999Z',
    })
    const list = (...more: readonly string[]): Promise<number> =>
      run('except', 'list', ...there(), '--as-of', '2026-11-21T00:00:00Z', ...more)
    writeFileSync(path, JSON.stringify(registerOf({ exceptions: [ended] })))
    expect(await list()).toBe(EXIT.gaps)
    expect(told).toContain('Ended  ')
    expect(await list('--gaps-exit-zero')).toBe(EXIT.done)
    writeFileSync(path, JSON.stringify(registerOf({ exceptions: [ended, next] })))
    expect(await list()).toBe(EXIT.done)
  })

  test.each<[string, readonly string[], string]>([
    ['a check that is not there', ['--check', 'no.such'], 'there is no check “no.such”'],
    ['an end too far away', ['--until', '2099-01-01'], 'must be at most 366 days from today'],
    ['no reason', ['--reason', ' '], 'the reason must be given'],
    ['an identity that is not there', ['--identity', 'nobody', '--passphrase-file', secret], 'nobody'],
  ])('with %s is refused, and nothing is begun', async (_, more, detail) => {
    expect(await request(...more)).toBe(EXIT.usage)
    expect(told).toContain(detail)
    expect(readdirSync(folder)).toEqual([])
  })

  test('in a register that is not there, and by an id that is not one', async () => {
    expect(await approve('f'.repeat(32))).toBe(EXIT.usage)
    expect(told).toContain(`there is no register ${path}`)
    expect(await run('except', 'list', ...there())).toBe(EXIT.usage)
    expect(readdirSync(folder)).toEqual([])
    await request()
    expect(await approve(firstId().slice(0, 5))).toBe(EXIT.usage)
    expect(await approve('f'.repeat(32))).toBe(EXIT.usage)
    expect(told).toContain('there is no entry')
  })

  test('with a fleet file, only its nodes can be named', async () => {
    const fleet = join(folder, 'fleet.yaml')
    const nodes = ['gpu-01', 'gpu-02'].map((name) => ({ name, address: '192.0.2.1', user: 'x' }))
    writeFileSync(fleet, JSON.stringify({ name: 'clinic', nodes }))
    expect(await request('--fleet', fleet)).toBe(EXIT.done)
    expect(await request('--fleet', fleet, '--node', 'gpu-09')).toBe(EXIT.usage)
    expect(told).toContain('there is no node “gpu-09”')
  })
})

describe('decisions on the command line', () => {
  const decide = (...more: readonly string[]): Promise<number> =>
    run(
      ...['except', 'decide', ...there(), '--for', 'hipaa:164.312(a)(2)(iv)', '--decision', 'not-implemented'],
      ...['--reason', 'Only synthetic data.', '--owner', 'K. Adeyemi', '--requested-by', 'K. Adeyemi'],
      ...['--approved-by', 'M. Ortiz', '--role', 'Security officer', '--until', until, '--factors', 'Size and cost.'],
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
    expect(await run('except', 'sign', id, ...there(), '--as', 'requester', ...key('approver'))).toBe(EXIT.usage)
    expect(await run('except', 'sign', id, ...there(), '--as', 'owner', ...key('asker'))).toBe(EXIT.usage)
    expect(await run('except', 'sign', id, ...there(), '--as', 'requester')).toBe(EXIT.usage)
    expect(await run('except', 'sign', id, ...there(), '--as', 'requester', ...key('asker'))).toBe(EXIT.done)
    expect(await run('except', 'list', ...there())).toBe(EXIT.done)
    expect(told).toMatch(/Signed: approver .*approver.*; requester .*asker/)
    expect(await run('except', 'withdraw', id, ...there(), '--by', 'x', '--reason', 'Replaced.')).toBe(EXIT.done)
    expect(kept().decisions?.[0]?.withdrawn).toMatchObject({ by: 'x' })
    now = '2030-01-01T00:00:00.000Z'
    expect(await run('except', 'list', ...there())).toBe(EXIT.done)
  })

  test.each<[string, readonly string[], string]>([
    ['a row that is not there', ['--for', 'hipaa:164.999'], 'there is no row “hipaa:164.999”'],
    ['a row without a choice', ['--for', 'hipaa:164.308(b)(1)'], 'only an addressable specification'],
    ['a word that is none', ['--decision', 'maybe'], '--decision must be one of'],
    ['no factors', ['--factors', ''], 'the factors that were weighed must be given'],
    ['no measure', ['--decision', 'equivalent-alternative'], 'the measure that takes its place must be given'],
  ])('with %s are refused', async (_, more, detail) => {
    expect(await decide(...more)).toBe(EXIT.usage)
    expect(told).toContain(detail)
    expect(readdirSync(folder)).toEqual([])
  })

  test('that have ended are gaps', async () => {
    await decide()
    now = `${Number(today.slice(0, 4)) + 2}-01-01T00:00:00.000Z`
    expect(await run('except', 'list', ...there())).toBe(EXIT.gaps)
  })
})

describe('records on the command line', () => {
  const ROW = 'hipaa:164.308(b)(1)'
  const need =
    catalog.frameworks.flatMap(({ controls }) => controls).find(({ key: of }) => of === ROW)?.needsAlso[0] ?? ''
  const add = (...more: readonly string[]): Promise<number> =>
    run(
      ...['record', 'add', ...there(), '--file', join(folder, 'BAA 2026.pdf'), '--for', ROW, '--need', need],
      ...[
        '--shows',
        'What the provider agreed to.',
        '--said-by',
        'R. Novak',
        '--method',
        'examined',
        '--owner',
        'R. Novak',
      ],
      ...more,
    )
  beforeEach(() => writeFileSync(join(folder, 'BAA 2026.pdf'), '%PDF-1.7 agreement'))

  test('are attached by their digest beside the register, and asked for', async () => {
    expect(await add('--until', until)).toBe(EXIT.done)
    const digest = sha256('%PDF-1.7 agreement')
    expect(kept().attachments).toMatchObject([
      {
        name: 'BAA 2026.pdf',
        sha256: digest,
        need,
        method: 'examined',
        controls: [{ framework: 'hipaa', control: ROW }],
      },
    ])
    expect(readFileSync(join(folder, 'attachments', digest), 'utf8')).toBe('%PDF-1.7 agreement')
    expect(readFileSync(path, 'utf8')).not.toContain(folder)
    const said = await readSaid(real, path)
    const [record] = said.ok ? said.value.register.attachments : []
    expect(record !== undefined && said.ok && (await said.value.attachmentBytes(record)).ok).toBe(true)
    const asking = ['record', 'ask', ...there(), '--for', ROW, '--need', need.toUpperCase(), '--owner', 'P. Lind']
    expect(await run(...asking, '--due', until)).toBe(EXIT.done)
    expect(kept().requests).toEqual([
      { framework: 'hipaa', control: ROW, need, owner: 'P. Lind', due: `${until}T23:59:59.999Z` },
    ])
    expect(await run(...asking, '--due', '2020-01-01')).toBe(EXIT.usage)
  })

  test('that were only received say that they do not count yet', async () => {
    expect(await add('--method', 'received')).toBe(EXIT.done)
    expect(told).toContain('It was only received.')
  })

  test.each<[string, readonly string[], string]>([
    ['a record that the row does not need', ['--need', 'gold'], 'is not one of the records that this row needs'],
    ['a row that is not there', ['--for', 'soc2:CC99'], 'there is no row “soc2:CC99”'],
    ['a method that is none', ['--method', 'heard'], '--method must be one of'],
    ['a file that is not there', ['--file', '/nowhere/x.pdf'], '/nowhere/x.pdf'],
    ['a day that is none', ['--until', '2027-02-30'], 'must be a day such as'],
  ])('with %s are refused, and nothing is begun', async (_, more, detail) => {
    expect(await add(...more)).toBe(EXIT.usage)
    expect(told).toContain(detail)
    expect(readdirSync(folder)).toEqual(['BAA 2026.pdf'])
  })
})

describe('explanations on the command line', () => {
  const explaining = (...more: readonly string[]): Promise<number> => {
    const letter = join(folder, 'letter.pdf')
    writeFileSync(letter, 'Cores are switched off.')
    return run(
      ...['record', 'explain', ...there(), '--signal', 'cpu.cores', '--node', 'gpu-01', '--because', 'A licence.'],
      ...['--document', letter, '--by', 'P. Lind', '--role', 'Hardware lead', '--until', until, ...more],
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
    expect(await run('except', 'list', ...there(), '--json')).toBe(EXIT.done)
    expect(JSON.parse(out)).toMatchObject({ explanations: [{ id: entry?.id, standing: 'in-force' }] })
    expect(
      await run('except', 'withdraw', entry?.id ?? '', ...there(), '--by', 'P. Lind', '--reason', 'On again.'),
    ).toBe(EXIT.done)
    expect(kept().explanations?.[0]?.withdrawn?.by).toBe('P. Lind')
  })
  test('of a reading that the catalog lacks are refused, and nothing is kept', async () => {
    expect(await explaining('--signal', 'cpu.none')).not.toBe(EXIT.done)
    expect(() => kept()).toThrow()
  })
})
