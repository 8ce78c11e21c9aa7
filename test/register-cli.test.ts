import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createWorld } from '../main/adapters/world.ts'
import { NOTHING_SAID } from '../main/app/attachments.ts'
import { readSaid } from '../main/cli/register.ts'
import { attachmentOf, exceptionOf, POLICY, registerOf } from './support/register.ts'

const folder = mkdtempSync(join(tmpdir(), 'bw-register-cli-'))
const world = createWorld([])
const path = join(folder, 'register.json')
afterAll(() => rmSync(folder, { recursive: true }))

test('without a file nothing was said', async () => {
  expect(await readSaid(world, undefined)).toEqual({ ok: true, value: NOTHING_SAID })
})

test('a file that is not there is not taken for an empty one', async () => {
  expect(await readSaid(world, path)).toEqual({
    ok: false,
    error: { code: 'input.not-found', detail: `${path} could not be read` },
  })
})

test('a register, with its records beside it', async () => {
  const register = registerOf({ exceptions: [exceptionOf()], attachments: [attachmentOf()] })
  writeFileSync(path, JSON.stringify(register))
  const said = await readSaid(world, path)
  if (!said.ok) throw new Error(said.error.detail)
  expect(said.value.register).toEqual(register)
  expect((await said.value.attachmentBytes(attachmentOf())).ok).toBe(false)
  mkdirSync(join(folder, 'attachments'))
  writeFileSync(join(folder, 'attachments', attachmentOf().sha256), POLICY)
  expect((await said.value.attachmentBytes(attachmentOf())).ok).toBe(true)
})

test.each([
  [
    JSON.stringify(registerOf({ exceptions: [exceptionOf(), exceptionOf({ expiresAt: 'next year' })] }), null, 2),
    `${path}:33:7: exceptions[1].expiresAt is “next year”, which has not the expected form`,
  ],
  ['{\n  "schema": "barewitness.register/1",\n  "exceptions": [,]\n}', `${path}:3:18: this is not JSON`],
  ['[]', `${path}:1:1: the document must be a mapping, not []`],
])('%#: what does not fit is refused with its line', async (text, detail) => {
  writeFileSync(path, text)
  expect(await readSaid(world, path)).toEqual({ ok: false, error: { code: 'input.refused', detail } })
})
