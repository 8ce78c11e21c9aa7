import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { NO_REGISTER } from '../main/app/common/attachments.ts'
import { idNamed, needNamed } from '../main/app/register/named.ts'
import { changeRegister } from '../main/app/register/store.ts'
import { readRegister } from '../main/cli/parts/register.ts'
import { type Outcome, ok } from '../main/core/base/failure.ts'
import type { Register } from '../schemas/types.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { documentOf, POLICY, registerOf, riskAcceptanceOf } from './support/register.ts'
import { sampleCatalog } from './support/sample-pack.ts'

const folder = folderOfTests('register-cli')
const ports = createPorts(sampleCatalog)
const path = join(folder, 'register.json')

test('without a file nothing was recorded', async () => {
  expect(await readRegister(ports, undefined)).toEqual({ ok: true, value: NO_REGISTER })
})

test('a file that is not there is not taken for an empty one', async () => {
  expect(await readRegister(ports, path)).toEqual({
    ok: false,
    error: { code: 'input.not-found', detail: `${path} could not be read` },
  })
})

test('a register, with its records beside it', async () => {
  const register = registerOf({ riskAcceptances: [riskAcceptanceOf()], documents: [documentOf()] })
  writeFileSync(path, JSON.stringify(register))
  const said = must(await readRegister(ports, path))
  expect(said.register).toEqual(register)
  expect((await said.attachmentBytes(documentOf())).ok).toBe(false)
  mkdirSync(join(folder, 'documents'))
  writeFileSync(join(folder, 'documents', documentOf().sha256), POLICY)
  expect((await said.attachmentBytes(documentOf())).ok).toBe(true)
})

test.each([
  [
    JSON.stringify(
      registerOf({ riskAcceptances: [riskAcceptanceOf(), riskAcceptanceOf({ expiresAt: 'next year' })] }),
      null,
      2,
    ),
    `${path}:33:7: riskAcceptances[1].expiresAt is “next year”, which is not in the expected form`,
  ],
  ['{\n  "schema": "barewitness.register/1",\n  "riskAcceptances": [,]\n}', `${path}:3:23: not valid JSON`],
  ['[]', `${path}:1:1: the document must be a mapping, not []`],
])('%#: what does not fit is refused with its line', async (text, detail) => {
  writeFileSync(path, text)
  expect(await readRegister(ports, path)).toEqual({ ok: false, error: { code: 'input.refused', detail } })
})

test('a register that contradicts itself is refused: a pack with it would not verify', async () => {
  writeFileSync(path, JSON.stringify(registerOf({ riskAcceptances: [riskAcceptanceOf(), riskAcceptanceOf()] })))
  expect(await readRegister(ports, path)).toEqual({
    ok: false,
    error: { code: 'input.refused', detail: `${path}: two entries have the ID ${'a'.repeat(32)}.` },
  })
})

describe('changing a register file', () => {
  const place = { path, folder }
  const entry = riskAcceptanceOf()
  const put = (register: Register): Outcome<Register> => ok({ ...register, riskAcceptances: [entry] })
  beforeEach(() => rmSync(path, { force: true }))

  test('begins one only where that is meant', async () => {
    expect(await changeRegister(ports, place, { begin: false, next: put })).toEqual({
      ok: false,
      error: { code: 'input.not-found', detail: `there is no register ${path}` },
    })
    expect(await changeRegister(ports, place, { begin: true, next: put })).toMatchObject({ ok: true })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(registerOf({ riskAcceptances: [entry] }))
  })

  test('never loses what another program wrote meanwhile', async () => {
    const theirs = JSON.stringify(registerOf({ documents: [documentOf()] }))
    const next = (register: Register): Outcome<Register> => {
      writeFileSync(path, theirs)
      return put(register)
    }
    expect(await changeRegister(ports, place, { begin: true, next })).toEqual({
      ok: false,
      error: {
        code: 'input.refused',
        detail: `another process changed ${path} meanwhile; try again`,
      },
    })
    expect(readFileSync(path, 'utf8')).toBe(theirs)
  })

  test('by many at once keeps every change that was not refused', async () => {
    const changes = Array.from({ length: 6 }, (_, at) => {
      const one = riskAcceptanceOf({ id: String(at).repeat(32) })
      const next = (register: Register): Outcome<Register> =>
        ok({ ...register, riskAcceptances: [...register.riskAcceptances, one] })
      return changeRegister(ports, place, { begin: true, next }).then((done) => (done.ok ? [one.id] : []))
    })
    const done = (await Promise.all(changes)).flat()
    const { riskAcceptances } = JSON.parse(readFileSync(path, 'utf8')) as Register
    expect(done.length).toBeGreaterThan(0)
    expect(riskAcceptances.map(({ id }) => id).sort()).toEqual(done.sort())
    expect(readdirSync(folder).filter((name) => name.startsWith('lock.'))).toEqual([])
  })

  test('writes nothing that does not fit the schema', async () => {
    const next = (register: Register): Outcome<Register> =>
      ok({ ...register, riskAcceptances: [riskAcceptanceOf({ reason: 'x' })] })
    expect((await changeRegister(ports, place, { begin: true, next })).ok).toBe(false)
    expect(existsSync(path)).toBe(false)
  })
})

describe('what people name', () => {
  const ids = ['abcdef11', 'abcdef22', 'abc']
  test.each([
    ['abcdef1', 'abcdef11'],
    ['abcdef22', 'abcdef22'],
    ['abcdef', 'several entries begin with “abcdef”; enter more of the ID'],
    ['abc', 'there is no entry “abc”; “acceptance list” prints each entry with its ID'],
    ['abcdef3', 'there is no entry “abcdef3”; “acceptance list” prints each entry with its ID'],
    ['', 'there is no entry “”; “acceptance list” prints each entry with its ID'],
  ])('the id %j', (text, expected) => {
    const named = idNamed(ids, text)
    expect(named.ok ? named.value : named.error.detail).toBe(expected)
  })

  const needs = ['Agreement', 'Agreement with the landlord', 'The log of visits']
  test.each([
    ['agreement ', 'Agreement'],
    ['LANDLORD', 'Agreement with the landlord'],
    ['log', 'The log of visits'],
    ['agree', null],
    ['', null],
    ['gold', null],
  ])('the record %j', (text, expected) => {
    const named = needNamed(needs, text)
    expect(named.ok ? named.value : null).toBe(expected)
  })
})
