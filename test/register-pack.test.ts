import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATHS } from '../main/core/pack.ts'
import { jsonBytes } from '../main/core/pack-files.ts'
import type { Signer } from '../main/core/ports.ts'
import { attachmentPath } from '../main/core/register/attachments.ts'
import { EMPTY_REGISTER } from '../main/core/register.ts'
import { registerOfPack } from '../main/core/verify/register.ts'
import type { Register } from '../schemas/types.ts'
import { validator } from './support/deps.ts'
import { attachmentOf, exceptionOf, POLICY, registerOf } from './support/register.ts'
import { outcomes, samplePack, sampleSigner, sourceOf, verifySource } from './support/sample-pack.ts'

const folder = mkdtempSync(join(tmpdir(), 'bw-register-pack-'))
const PATH = attachmentPath(attachmentOf())
const good = registerOf({ exceptions: [exceptionOf()], attachments: [attachmentOf()] })
let signer: Signer
let root: Uint8Array

beforeAll(async () => {
  signer = await sampleSigner(folder, 'signer')
  root = signer.chain[0] ?? new Uint8Array()
})
afterAll(() => rmSync(folder, { recursive: true }))

const packed = (register: Register, attachments: ReadonlyMap<string, Uint8Array>): Promise<Map<string, Uint8Array>> =>
  samplePack({ signer, register, attachments })

async function completeness(files: ReadonlyMap<string, Uint8Array>): Promise<readonly string[]> {
  const verified = await verifySource(sourceOf(files), [root])
  expect(outcomes(verified)).toMatchObject({ intact: 'yes', 'signed-by': 'yes', reproducible: 'yes' })
  const answer = verified.report.answers.find(({ question }) => question === 'complete')
  expect(verified.report.ok).toBe(answer?.outcome === 'yes')
  return answer?.outcome === 'no' ? answer.details : []
}

describe('a register in a pack', () => {
  test('verifies, is read, and changes no verdict and no state', async () => {
    const files = await packed(good, new Map([[PATH, POLICY]]))
    expect(await completeness(files)).toEqual([])
    const verified = await verifySource(sourceOf(files), [root])
    expect(verified.contents.register).toEqual(good)
    const bare = await verifySource(sourceOf(await packed(EMPTY_REGISTER, new Map())), [root])
    expect(verified.contents.assessment).toEqual(bare.contents.assessment)
    expect(bare.contents.register).toEqual(EMPTY_REGISTER)
    expect(files.get(PATHS.exceptions)).toEqual(jsonBytes(good))
  })

  test.each([
    ['missing', new Map(), [`The attached record “Key Policy 2026.pdf” is missing: there is no “${PATH}”.`]],
    [
      'changed',
      new Map([[PATH, new TextEncoder().encode('%PDF-1.7 a Policy')]]),
      [`The attached record “Key Policy 2026.pdf” is not what was attached: “${PATH}” has another digest or size.`],
    ],
    [
      'joined by another',
      new Map([
        [PATH, POLICY],
        ['data/attachments/other.pdf', POLICY],
      ]),
      ['“data/attachments/other.pdf” is attached to nothing.'],
    ],
  ])('with the attached file %s is not complete, even sealed so', async (_, attachments, problems) => {
    expect(await completeness(await packed(good, attachments))).toEqual(problems)
  })

  test('that states another size than its file has is not complete', async () => {
    const register = registerOf({ attachments: [attachmentOf({ size: 3 })] })
    expect(await completeness(await packed(register, new Map([[PATH, POLICY]])))).toEqual([
      expect.stringContaining('is not what was attached'),
    ])
  })

  test.each([
    [
      exceptionOf({ nodes: ['node-b', 'node-x'] }),
      `${PATHS.exceptions}: exception ${'a'.repeat(32)} names node “node-x”, which the pack does not declare.`,
    ],
    [
      exceptionOf({ check: 'no.such' }),
      `${PATHS.exceptions}: exception ${'a'.repeat(32)} names check “no.such”, which the pack’s catalog does not have.`,
    ],
    [exceptionOf({ nodes: [] }), `${PATHS.exceptions}: exception ${'a'.repeat(32)} names no node.`],
    [exceptionOf({ owner: '' }), `${PATHS.exceptions}: exceptions[0].owner must not be empty.`],
  ])('with an exception that does not fit is not complete: %#', async (exception, problem) => {
    expect(await completeness(await packed(registerOf({ exceptions: [exception] }), new Map()))).toEqual([problem])
  })

  test('with an acceptance that is longer than anybody may give is not complete', async () => {
    const forever = registerOf({ exceptions: [exceptionOf({ expiresAt: '2036-01-01T23:59:59.999Z' })] })
    expect(await completeness(await packed(forever, new Map()))).toEqual([
      expect.stringContaining('it must be at most 366 days from today'),
    ])
  })

  test('names a record that was withdrawn without its file', async () => {
    const withdrawn = { at: '2026-11-12T09:30:00.000Z', by: 'x', reason: 'y' }
    const register = registerOf({ attachments: [attachmentOf({ withdrawn })] })
    expect(await completeness(await packed(register, new Map()))).toEqual([])
    expect(await completeness(await packed(register, new Map([[PATH, POLICY]])))).toEqual([
      `“${PATH}” is attached to nothing.`,
    ])
  })

  test('of an earlier version, an empty list, verifies and reads as empty', async () => {
    const files = await samplePack({ signer, extra: new Map([[PATHS.exceptions, new TextEncoder().encode('[]\n')]]) })
    expect(await completeness(files)).toEqual([])
    expect((await verifySource(sourceOf(files), [root])).contents.register).toEqual(EMPTY_REGISTER)
  })

  test.each(['[1]\n', '{}\n', '[]', '{"schema":"barewitness.register/1"}\n', '\u0000'])(
    'that reads %j is none',
    async (text) => {
      const files = new Map([[PATHS.exceptions, new TextEncoder().encode(text)]])
      const read = await registerOfPack(sourceOf(files), validator, { scope: null })
      expect(read.register).toBe(null)
      expect(read.problems).toEqual([expect.stringMatching(/^data\/exceptions\.json: /)])
    },
  )

  test('changed after sealing is caught by the seal', async () => {
    const files = await packed(good, new Map([[PATH, POLICY]]))
    const longer = registerOf({ ...good, exceptions: [exceptionOf({ expiresAt: '2036-03-01T23:59:59.999Z' })] })
    const verified = await verifySource(sourceOf(new Map([...files, [PATHS.exceptions, jsonBytes(longer)]])), [root])
    expect(outcomes(verified)).toMatchObject({ intact: 'no' })
    expect(verified.report.answers[0]?.details).toEqual([
      '“data/exceptions.json” was altered: its digest is not the listed one.',
    ])
  })
})
