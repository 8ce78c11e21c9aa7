import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createFiles } from '../main/adapters/files.ts'
import { readCertificates } from '../main/app/common/certificate-files.ts'
import { pem } from '../main/core/base/pem.ts'
import { cliHere } from './support/cli-here.ts'
import { folderOfTests } from './support/folders.ts'
import { sampleSigner } from './support/sample-pack.ts'

const folder = folderOfTests('named-files')
const ports = { files: createFiles() }
const inFolder = (name: string): string => join(folder, name)
let one: string

beforeAll(async () => {
  const { certificate } = await sampleSigner(mkdtempSync(join(folder, 'keys-')), 'owner')
  one = pem('CERTIFICATE', certificate)
  writeFileSync(inFolder('many.pem'), one.repeat(600))
  writeFileSync(inFolder('large.pem'), one.padEnd(16 * 1024 * 1024 + 1, '\n'))
  writeFileSync(inFolder('large.json'), `{"schema":"barewitness.chain-head/1"}`.padEnd(64 * 1024 + 1))
})

describe('files that a reader names', () => {
  test('hold as many certificates as a system trusts', async () => {
    const read = await readCertificates(ports, [inFolder('many.pem')])
    expect(read.ok && read.value.length).toBe(600)
  })

  test('hold at most a thousand in all', async () => {
    const read = await readCertificates(ports, [inFolder('many.pem'), inFolder('many.pem')])
    expect(read).toMatchObject({ ok: false, error: { code: 'input.refused', detail: expect.stringContaining('1000') } })
  })

  test('are bounded in size', async () => {
    const read = await readCertificates(ports, [inFolder('large.pem')])
    expect(read).toMatchObject({
      ok: false,
      error: { code: 'input.refused', detail: expect.stringContaining('larger') },
    })
  })

  test('a checkpoint too, before it is read as text', async () => {
    const ran = await cliHere('verify', inFolder('none.zip'), '--last-checkpoint', inFolder('large.json'))
    expect(ran.stderr).toMatch(/large\.json is larger than any checkpoint/)
  })
})
