import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ContentInfo, SignedData } from 'pkijs'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { readPdf } from '../../main/adapters/seal/pdf/read.ts'
import { pem } from '../../main/core/base/pem.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { testUnless } from './needing.ts'
import { opensslTsa } from './openssl-tsa.ts'
import { atEachLevel, type Levels, type Stamper, smallReport } from './pdf-levels.ts'
import { validate, whyNoVeraPdf } from './verapdf/verapdf.ts'

const exec = promisify(execFile)
const LEVELS = [
  ['basic', 'B-B'],
  ['stamped', 'B-T'],
  ['archived', 'B-LTA'],
  ['refreshed', 'B-LTA'],
] as const

const missing = (tool: string, argument: string): string | null =>
  spawnSync(tool, [argument], { stdio: 'ignore' }).error === undefined ? null : `${tool} is not installed`
const noOpenssl = missing('openssl', 'version')
const noPdfsig = missing('pdfsig', '-v') ?? missing('certutil', '-H')
const noQpdf = missing('qpdf', '--version')
const noMutool = missing('mutool', '-v')
const noVeraPdf = await whyNoVeraPdf()

/** An authority run by openssl, asked for tokens the way that a stranger would. */
export function opensslStamper(folder: string): Stamper {
  const tsa = opensslTsa(folder)
  const openssl = (...argv: string[]): void => void execFileSync('openssl', argv, { cwd: folder, stdio: 'pipe' })
  const file = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, name)))
  return {
    ...tsa,
    stamp: (imprint) => {
      const digest = Buffer.from(imprint).toString('hex')
      openssl('ts', '-query', '-digest', digest, '-sha256', '-cert', '-out', 'asked.tsq')
      writeFileSync(join(folder, 'answer.tsr'), tsa.reply(file('asked.tsq')))
      openssl('ts', '-reply', '-in', 'answer.tsr', '-token_out', '-out', 'token.der')
      return file('token.der')
    },
  }
}

interface Cut {
  readonly covered: Uint8Array
  /** DER, without the zeros after it. */
  readonly value: Uint8Array
}

function cut(pdf: Uint8Array): readonly Cut[] {
  const text = Buffer.from(pdf).toString('latin1')
  return [...text.matchAll(/\/ByteRange \[0 (\d+) (\d+) (\d+)\]/g)].map((match) => {
    const [before = 0, after = 0, rest = 0] = [match[1], match[2], match[3]].map(Number)
    const bytes = Buffer.from(text.slice(before + 1, after - 1), 'hex')
    return {
      covered: new Uint8Array(Buffer.concat([pdf.subarray(0, before), pdf.subarray(after, after + rest)])),
      value: new Uint8Array(bytes.subarray(0, bytes.readUInt16BE(2) + 4)),
    }
  })
}

/** The token in a CMS signature, and the SHA-256 of the signature it must be over. */
function tokenIn(cms: Uint8Array): { readonly token: Uint8Array; readonly digest: string } {
  const [info] = new SignedData({ schema: ContentInfo.fromBER(cms.slice()).content }).signerInfos
  const value = info?.unsignedAttrs?.attributes[0]?.values[0] as { toBER: () => ArrayBuffer } | undefined
  const signature = info?.signature.valueBlock.valueHexView ?? new Uint8Array()
  return {
    token: new Uint8Array(value?.toBER() ?? new ArrayBuffer(0)),
    digest: createHash('sha256').update(signature).digest('hex'),
  }
}

/**
 * A report signed by this key at every level, in the hands of programs that are not ours. `why` says why there is no such key here.
 * The last certificate of the signer's chain is its root.
 */
export function padesSuite(name: string, makeSigner: () => Promise<Signer> | Signer, why: string | null = null): void {
  describe(`a report signed by ${name}`, () => {
    const cannot = why ?? noOpenssl
    let folder = ''
    let signer: Signer
    let tsa: Stamper
    let levels: Levels
    const file = (...parts: string[]): string => join(folder, ...parts)
    const write = (part: string, bytes: Uint8Array | string): string => {
      writeFileSync(file(part), bytes)
      return file(part)
    }

    beforeAll(async () => {
      if (cannot !== null) return
      folder = mkdtempSync(join(tmpdir(), 'barewitness-pades-'))
      signer = await makeSigner()
      tsa = opensslStamper(file('tsa'))
      levels = await atEachLevel(await smallReport(), signer, tsa)
      for (const [level] of LEVELS) write(`${level}.pdf`, levels[level])
      write('root.pem', pem('CERTIFICATE', signer.chain.at(-1) ?? new Uint8Array()))
      write('tsa-root.pem', pem('CERTIFICATE', tsa.chain.at(-1) ?? new Uint8Array()))
      write('tsa-chain.pem', tsa.chain.map((der) => pem('CERTIFICATE', der)).join(''))
      if (noPdfsig !== null) return
      mkdirSync(file('nss'))
      const certutil = (...argv: string[]): void => void execFileSync('certutil', argv, { stdio: 'pipe' })
      certutil('-N', '-d', `sql:${file('nss')}`, '--empty-password')
      certutil('-A', '-d', `sql:${file('nss')}`, '-n', 'root', '-t', ',C,', '-i', file('root.pem'))
    })
    afterAll(() => folder !== '' && rmSync(folder, { recursive: true, force: true }))

    const check = (words: string, reason: string | null, run: () => Promise<void>): void =>
      testUnless(cannot ?? reason, words, run)

    for (const [level, wanted] of LEVELS) {
      check(`${level}: our own reader reads it as ${wanted}`, null, async () => {
        const reading = readPdf(levels[level], [...signer.chain, ...tsa.chain])
        expect(reading).toMatchObject({ kind: 'report', problems: [], level: wanted })
        expect([reading.seal, ...(reading.seal?.timestamps ?? [])].flatMap((one) => one?.problems)).toEqual([])
        expect(reading.seal?.signer?.fingerprint).toBe(signer.fingerprint)
      })

      check(`${level}: pdfsig finds the author’s signature valid and trusted`, noPdfsig, async () => {
        const { stdout } = await exec('pdfsig', ['-no-ocsp', '-nssdir', `sql:${file('nss')}`, file(`${level}.pdf`)])
        const [, author = ''] = stdout.split(/Signature #\d+:/)
        expect(author).toContain('Signature is Valid')
        expect(author).toContain('Certificate is Trusted')
        expect(stdout.match(/Signature #\d+:/g)).toHaveLength(cut(levels[level]).length)
        expect(stdout.match(/Total document signed/g)).toHaveLength(1)
      })

      check(`${level}: openssl verifies the signature as CAdES over what was cut out`, null, async () => {
        const [author] = cut(levels[level])
        const content = write('covered.bin', author?.covered ?? '')
        const signature = write('signature.der', author?.value ?? '')
        const command = ['cms', '-verify', '-cades', '-binary', '-inform', 'DER', '-in', signature, '-content', content]
        const ends = ['-CAfile', file('root.pem'), '-purpose', 'any', '-out', '/dev/null']
        expect((await exec('openssl', [...command, ...ends])).stderr).toMatch(/Verification successful/)
        write('covered.bin', (author?.covered ?? new Uint8Array()).subarray(1))
        await expect(exec('openssl', [...command, ...ends])).rejects.toThrow()
      })

      if (level !== 'basic')
        check(`${level}: openssl verifies every time-stamp`, null, async () => {
          const [author, ...stamps] = cut(levels[level])
          const { token, digest } = tokenIn(author?.value ?? new Uint8Array())
          const against = ['-CAfile', file('tsa-root.pem'), '-untrusted', file('tsa-chain.pem')]
          const verify = (what: readonly string[]): Promise<{ readonly stdout: string }> =>
            exec('openssl', ['ts', '-verify', '-token_in', ...what, ...against])
          const own = ['-in', write('token.der', token), '-digest', digest]
          expect((await verify(own)).stdout).toContain('Verification: OK')
          for (const { covered, value } of stamps) {
            const stamp = ['-in', write('stamp.der', value), '-data', write('stamped.bin', covered)]
            expect((await verify(stamp)).stdout).toContain('Verification: OK')
          }
          const other = digest.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
          await expect(verify([...own.slice(0, 3), other])).rejects.toThrow()
        })

      check(`${level}: qpdf finds no error`, noQpdf, async () => {
        const { stdout, stderr } = await exec('qpdf', ['--check', file(`${level}.pdf`)])
        expect(stderr).toBe('')
        expect(stdout).toContain('No syntax or stream encoding errors found')
      })

      check(`${level}: mutool finds the signature valid`, noMutool, async () => {
        const { stdout } = await exec('mutool', ['sign', '-v', file(`${level}.pdf`)])
        const whole = level === 'basic' || level === 'stamped'
        expect(stdout).toContain(
          whole
            ? 'The document is unchanged since signing.'
            : 'The signature is valid but there have been edits since signing.',
        )
      })

      for (const flavour of ['PDF/A-3a', 'PDF/UA-1'] as const)
        check(`${level}: ${flavour} in veraPDF`, noVeraPdf, async () => {
          const { passed, failures } = await validate(file(`${level}.pdf`), flavour)
          expect(failures).toEqual([])
          expect(passed).toBe(true)
        })
    }
  })
}
