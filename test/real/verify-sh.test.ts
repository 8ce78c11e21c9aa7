import { execFileSync, spawnSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { signerOf } from '../../main/adapters/identity/folder.ts'
import { writePack } from '../../main/adapters/pack/index.ts'
import { fromPem, pem } from '../../main/core/base/pem.ts'
import { der, sequence, small, text } from '../../main/core/der/read.ts'
import { PATHS } from '../../main/core/pack/pack.ts'
import { VERIFY_SH } from '../../main/core/pack/verify-text.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { UNITS_PATH } from '../../main/verify/disclosure/cuts/copy.ts'
import { copyOf, disclosablePack } from '../support/disclosure.ts'
import { folderOfTests } from '../support/folders.ts'
import { isInstalled } from '../support/needing.ts'
import { type OpensslTsa, opensslTsa } from '../support/openssl-tsa.ts'
import { archiveAttacks, fileAttacks } from '../support/pack-attacks.ts'
import { digits, type RevokingCa, revokingCa } from '../support/revoking-ca.ts'
import { AS_OF, sampleCatalog, samplePack, sampleRecording, sampleSigner } from '../support/sample-pack.ts'
import { testCa } from '../support/test-ca.ts'

/** verify.sh as an auditor runs it: their own copy, the root and the fingerprint they were given, and tools that are not ours. */
const NEEDED = ['openssl', 'sha256sum', 'unzip']
const ready = NEEDED.every(isInstalled)
const SHELLS = ['sh', 'dash', 'bash', 'busybox'].filter(isInstalled)
const DAY = 86_400_000
type Files = Map<string, Uint8Array>
type ReadFiles = ReadonlyMap<string, Uint8Array>

const top = folderOfTests('sh')
const script = join(top, 'verify.sh')
writeFileSync(script, VERIFY_SH)

test('it is short, in ASCII, and every shell can parse it', () => {
  expect(VERIFY_SH.trimEnd().split('\n').length).toBeLessThan(160)
  expect(VERIFY_SH).toMatch(/^#!\/bin\/sh\n[\x20-\x7e\n]*\n$/)
  for (const shell of SHELLS.filter((name) => name !== 'busybox'))
    expect(spawnSync(shell, ['-n', script], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})

const shellcheck = isInstalled('shellcheck')
test.skipIf(!shellcheck)(`shellcheck finds nothing${shellcheck ? '' : ' (shellcheck is not installed)'}`, () => {
  const { stdout } = spawnSync('shellcheck', ['-s', 'sh', '-S', 'warning', script], { encoding: 'utf8' })
  expect(stdout).toBe('')
})

interface Look {
  readonly code: number | null
  readonly said: string
}

interface Asked {
  readonly root?: Uint8Array
  readonly pin?: string
  readonly tsaRoot?: Uint8Array
  /** Of the authority of a later time-stamp. */
  readonly secondTsaRoot?: Uint8Array
  readonly shell?: string
  readonly packName?: string
  readonly before?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

let signer: Signer
let stranger: Signer
let files: Files
let ca: RevokingCa
let tsa: OpensslTsa
let count = 0

/** A folder with the archive in it, and an empty one for what the script keeps meanwhile. */
function desk(): { readonly folder: string; readonly scratch: string } {
  count += 1
  const folder = join(top, `desk ${count}`)
  const scratch = join(top, `scratch ${count}`)
  for (const path of [folder, scratch]) mkdirSync(path)
  return { folder, scratch }
}

function look(place: ReturnType<typeof desk>, asked: Asked = {}): Look {
  const { folder, scratch } = place
  const { root = signer.chain.at(-1) ?? new Uint8Array(), pin = signer.fingerprint, tsaRoot, secondTsaRoot } = asked
  writeFileSync(join(folder, "the signer's root.pem"), pem('CERTIFICATE', root))
  if (tsaRoot !== undefined)
    writeFileSync(
      join(folder, 'tsa root.pem'),
      pemBytes('CERTIFICATE', tsaRoot, ...(secondTsaRoot === undefined ? [] : [secondTsaRoot])),
    )
  const shell = asked.shell?.endsWith('busybox') === true ? [asked.shell, 'sh'] : [asked.shell ?? 'sh']
  const [program = '', ...argv] = [
    ...(asked.before ?? []),
    ...shell,
    script,
    asked.packName ?? 'pack.zip',
    "the signer's root.pem",
    pin,
    ...(tsaRoot === undefined ? [] : ['tsa root.pem']),
  ]
  const before = readdirSync(folder)
  const { status, stdout, stderr } = spawnSync(program, argv, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, TMPDIR: scratch, ...asked.env },
  })
  expect(readdirSync(scratch)).toEqual([])
  expect(readdirSync(folder)).toEqual(before)
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  expect(status === 0, stdout + stderr).toBe(last === 'ALL CHECKS PASSED')
  if (status !== 0) expect(last).toMatch(/^STOPPED: .+ (Do not rely on this pack|Nothing was verified)\.$/)
  return { code: status, said: `${stderr}\n${stdout}` }
}

async function lookAt(pack: ReadFiles, asked: Asked = {}): Promise<Look> {
  const place = desk()
  await writePack(join(place.folder, asked.packName ?? 'pack.zip'), pack)
  return look(place, asked)
}

async function passes(pack: ReadFiles, asked: Asked, says: RegExp): Promise<void> {
  const { code, said } = await lookAt(pack, asked)
  expect(code, said).toBe(0)
  expect(said).toMatch(says)
}

async function stops(pack: ReadFiles, asked: Asked, says: RegExp): Promise<void> {
  const { code, said } = await lookAt(pack, asked)
  expect(code, said).not.toBe(0)
  expect(said).toMatch(says)
}

const bytesOf = (pack: ReadFiles, path: string): Uint8Array => pack.get(path) ?? new Uint8Array()
const pemBytes = (label: string, ...all: readonly Uint8Array[]): Uint8Array =>
  new TextEncoder().encode(all.map((one) => pem(label, one)).join(''))

/** A TimeStampResp over these bytes. */
function stampOver(authority: OpensslTsa, ...over: readonly Uint8Array[]): Uint8Array {
  writeFileSync(join(top, 'over'), Buffer.concat(over))
  execFileSync('openssl', ['ts', '-query', '-data', 'over', '-sha256', '-cert', '-out', 'query'], {
    cwd: top,
    stdio: 'pipe',
  })
  return authority.reply(new Uint8Array(readFileSync(join(top, 'query'))))
}

/** Packs hold the certificates and lists of the authority that is to stamp them, sealed with the rest. */
const authority = (crls: readonly Uint8Array[] = tsa.crls) => ({ name: 'Test TSA', chain: tsa.chain, crls })
const stamp = (pack: ReadFiles, by: OpensslTsa = tsa): Files =>
  new Map([...pack, [PATHS.stamp, stampOver(by, bytesOf(pack, PATHS.seal))]])

describe.skipIf(!ready)(`with ${NEEDED.join(', ')}`, () => {
  let stamped: Files

  beforeAll(async () => {
    signer = await sampleSigner(join(top, 'ids'), 'signer')
    stranger = await sampleSigner(join(top, 'ids'), 'stranger')
    files = await samplePack({ signer })
    ca = revokingCa(join(top, 'ca'))
    tsa = opensslTsa(join(top, 'tsa'), { days: 200 })
    stamped = stamp(await samplePack({ signer, authority: authority() }))
  })

  describe('good packs', () => {
    test.each(SHELLS)('one without a time-stamp passes in %s, and the time is reported as not shown', async (shell) => {
      await passes(files, { shell }, /Time: the pack has no time-stamp.*\nALL CHECKS PASSED\n$/s)
    })

    test.each(SHELLS)('one with a time-stamp passes in %s, with its time', async (shell) => {
      const { code, said } = await lookAt(stamped, { shell, tsaRoot: tsa.root })
      expect(code, said).toBe(0)
      expect(said).toMatch(/no later than 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC, according to subject=CN ?= ?Test TSA\n/)
      expect(said).not.toMatch(/not shown: |Whether the (signer|time-stamp authority) was revoked/)
    })

    test('every pack holds the script, the same bytes in each', async () => {
      const other = await samplePack({ signer: stranger, recordings: [sampleRecording('node-a', '')] })
      for (const pack of [files, other]) expect(new TextDecoder().decode(pack.get(PATHS.verifyScript))).toBe(VERIFY_SH)
    })

    test('the fingerprint may have capitals and colons', async () => {
      const pin = signer.fingerprint.toUpperCase().match(/../g)?.join(':') ?? ''
      await passes(files, { pin }, /PASSED/)
    })

    test.each(['it\'s $(touch pwned) "here".zip', '-q.zip', 'pack[1].zip', 'ユニ.zip', 'no ending'])(
      'the archive may be named %s',
      async (packName) => {
        await passes(files, { packName }, /PASSED/)
      },
    )

    test('settings of the reader’s unzip and openssl change nothing', async () => {
      const trusting = join(top, 'trusted.pem')
      writeFileSync(trusting, pem('CERTIFICATE', signer.chain[0] ?? new Uint8Array()))
      const env = { UNZIP: '-j', ZIPINFO: '-v', SSL_CERT_FILE: trusting, LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Tokyo' }
      await passes(files, { env }, /PASSED/)
      await stops(files, { env, root: stranger.chain[0] ?? new Uint8Array() }, /STOPPED: Failed at: 4\./)
    })

    test.each(SHELLS)('nothing but the tools named in its header is used, in %s', async (shell) => {
      const tools = join(top, `tools-${shell}`)
      mkdirSync(tools)
      const named = 'openssl sha256sum unzip awk sed grep find cat comm cut date ln mktemp rm sort tr uniq wc'.split(
        ' ',
      )
      const where = (tool: string): string =>
        execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim()
      for (const tool of named) symlinkSync(where(tool), join(tools, tool))
      await passes(stamped, { shell: where(shell), tsaRoot: tsa.root, env: { PATH: tools } }, /PASSED/)
      rmSync(join(tools, 'comm'))
      await stops(stamped, { shell: where(shell), env: { PATH: tools } }, /STOPPED: comm is not installed/)
    })
  })

  describe('size', () => {
    const GIB = 1024 ** 3
    /** The pack as it is, of which unzip and wc state sizes that are larger by a factor. */
    async function lookAtLarge(totalBytes: number, archiveBytes: number): Promise<Look> {
      const place = desk()
      const path = join(place.folder, 'pack.zip')
      await writePack(path, files)
      const total = [...files.values()].reduce((sum, { length }) => sum + length, 0)
      const tools = join(top, `tools-size-${count}`)
      mkdirSync(tools)
      const wrapped = (tool: string, option: string, text: (real: string) => string): void => {
        const real = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim()
        const lines = ['#!/bin/sh', `case $1 in ${option}) ${text(real)} ;; *) exec ${real} "$@" ;; esac`, '']
        writeFileSync(join(tools, tool), lines.join('\n'), { mode: 0o755 })
      }
      const factor = Math.ceil(totalBytes / total)
      const scaled = `awk '/^-/ { $4 *= ${factor}; $6 *= ${factor} } { print }'`
      wrapped('unzip', '-Zl', (real) => `${real} "$@" | ${scaled}`)
      wrapped('wc', '-c', () => `echo ${archiveBytes}`)
      return look(place, { env: { PATH: `${tools}:${process.env.PATH ?? ''}` } })
    }

    test('a pack of more than 8 GiB, which Barewitness writes and reads, passes', async () => {
      const { code, said } = await lookAtLarge(9 * GIB, 9 * GIB)
      expect(code, said).toBe(0)
    })

    test('one that Barewitness would not read is refused: above 16 GiB, or 20 times the size of the archive', async () => {
      expect((await lookAtLarge(17 * GIB, 17 * GIB)).said).toMatch(/decompression bomb/)
      expect((await lookAtLarge(9 * GIB, GIB / 4)).said).toMatch(/decompression bomb/)
    })
  })

  describe('use', () => {
    test('arguments that make no sense', async () => {
      for (const pin of [signer.fingerprint.slice(1), `${signer.fingerprint}0`, ''])
        await stops(files, { pin }, /sealed with a different key/)
      const place = desk()
      expect(look(place, { packName: 'missing.zip' }).said).toMatch(/unzip cannot list the archive/)
      const bare = spawnSync('sh', [script], { encoding: 'utf8', cwd: place.folder })
      expect(bare).toMatchObject({ status: 1, stdout: expect.stringMatching(/^STOPPED: Use: sh verify\.sh/) })
      const noRoot = spawnSync('sh', [script, 'pack.zip', 'none.pem', signer.fingerprint], {
        encoding: 'utf8',
        cwd: place.folder,
      })
      expect(noRoot.stdout).toMatch(/^STOPPED: A file named on the command line cannot be read/)
      expect(noRoot.status).not.toBe(0)
    })
  })

  describe('where it works', () => {
    const asked = (place: ReturnType<typeof desk>, env: Readonly<Record<string, string>>, shell = 'sh') => {
      writeFileSync(join(place.folder, 'root.pem'), pem('CERTIFICATE', signer.chain.at(-1) ?? new Uint8Array()))
      const before = readdirSync(place.folder)
      const program = shell === 'busybox' ? ['busybox', 'sh'] : [shell]
      const [name = '', ...argv] = [...program, script, 'pack.zip', 'root.pem', signer.fingerprint]
      const run = spawnSync(name, argv, {
        cwd: place.folder,
        encoding: 'utf8',
        timeout: 60_000,
        env: { ...process.env, ...env },
      })
      expect(readdirSync(place.folder)).toEqual(before)
      return { status: run.status, said: run.stdout }
    }

    test.each(SHELLS)('when no folder can be made, nothing is deleted, in %s', async (shell) => {
      const place = desk()
      await writePack(join(place.folder, 'pack.zip'), files)
      writeFileSync(join(place.folder, 'mine.txt'), 'keep')
      for (const TMPDIR of [join(top, 'nonexist'), 'nonexist', script, '/nonexist/..']) {
        const { status, said } = asked(place, { TMPDIR }, shell)
        expect(status, said).not.toBe(0)
        expect(said).toMatch(/^STOPPED: mktemp could not create a working folder: .* Do not rely on this pack\.$/m)
      }
    })

    test('a mktemp that fails with words, or names what is no folder, is not believed', async () => {
      const place = desk()
      await writePack(join(place.folder, 'pack.zip'), files)
      for (const [index, body] of ['echo .; exit 1', 'echo', 'echo nonexist', `echo '${script}'`].entries()) {
        const tools = join(top, `mktemp-${index}`)
        mkdirSync(tools)
        writeFileSync(join(tools, 'mktemp'), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
        const { status, said } = asked(place, { PATH: `${tools}:${process.env.PATH}` })
        expect(status, said).not.toBe(0)
        expect(said).toContain('STOPPED: mktemp could not create a working folder')
      }
      expect(readFileSync(script, 'utf8')).toBe(VERIFY_SH)
    })

    test('TMPDIR may be relative, with any CDPATH, and nothing is left in it', async () => {
      const place = desk()
      await writePack(join(place.folder, 'pack.zip'), files)
      mkdirSync(join(place.folder, 'work here'))
      const { status, said } = asked(place, { TMPDIR: 'work here', CDPATH: top })
      expect(status, said).toBe(0)
      expect(readdirSync(join(place.folder, 'work here'))).toEqual([])
    })
  })

  test('a copy with parts withheld is not called damaged: it names who can read it', async () => {
    const recordings = [sampleRecording('node-a', ''), sampleRecording('node-b', '/dev/nbd0 file 10.20.30.77\n')]
    const pack = await disclosablePack({ signer, catalog: sampleCatalog, recordings, asOf: AS_OF })
    await passes(pack, {}, /PASSED/)
    const { files: copy } = await copyOf(pack, sampleCatalog, { nodes: ['node-b'] })
    expect(copy.has(UNITS_PATH)).toBe(true)
    const { code, said } = await lookAt(copy)
    expect(code).not.toBe(0)
    expect(said).toMatch(/a redacted copy.*"barewitness verify"\. Nothing was verified\.\n$/)
    expect(said).not.toMatch(/missing|Do not rely/)
    await stops(new Map([...files, [UNITS_PATH, new Uint8Array()]]), {}, /a redacted copy/)
  })

  describe('years later', () => {
    const faketime = isInstalled('faketime')
    const later = { before: ['faketime', '2032-01-01 00:00:00'] }
    test.skipIf(!faketime)(
      `a time-stamped pack passes in 2032, when every certificate of its signer and authority has ended${faketime ? '' : ' (faketime is not installed)'}`,
      async () => {
        await passes(stamped, { ...later, tsaRoot: tsa.root }, /protected after its certificate expired.*PASSED/s)
        await stops(stamped, later, /certificate has expired/)
        await stops(files, { ...later, tsaRoot: tsa.root }, /certificate has expired/)
      },
    )

    test.skipIf(!faketime)('a token from the future is refused', async () => {
      await stops(
        stamped,
        { before: ['faketime', '-f', '-30d'], tsaRoot: tsa.root },
        /The time in .*tsr is not plausible/,
      )
    })

    test('a second token over all before it is checked too, by an authority of its own', async () => {
      const seal = bytesOf(stamped, PATHS.seal)
      const first = bytesOf(stamped, PATHS.stamp)
      const other = opensslTsa(join(top, 'second-tsa'), { keyType: 'RSA' })
      const again = (by: OpensslTsa, ...over: Uint8Array[]): Files =>
        new Map([...stamped, ['signature/tagmanifest.p7s.2.tsr', stampOver(by, ...over)]])
      const both = { tsaRoot: tsa.root, secondTsaRoot: other.root }
      await passes(again(other, seal, first), both, /no later than .*\n.*no later than .*\n.*p7s\.2\.tsr was revoked/s)
      await stops(again(other, seal, first), { tsaRoot: tsa.root }, /Failed at: 3\./)
      await stops(again(other, seal), both, /message imprint mismatch/)
      const gap = new Map([...stamped, ['signature/tagmanifest.p7s.3.tsr', stampOver(tsa, seal, first)]])
      await stops(gap, { tsaRoot: tsa.root }, /tagmanifest\.p7s\.3\.tsr/)
    })
  })

  describe('time-stamps that show nothing', () => {
    test('no root of the authority: the pack passes, and this is reported', async () => {
      await passes(stamped, {}, /Time: no TSA_ROOT was supplied/)
    })
    test('a pack that was to carry none passes, and the script names what that leaves open', async () => {
      await passes(files, { tsaRoot: tsa.root }, /Time: the pack has no time-stamp/)
    })
    test('the token removed', async () => {
      const without = new Map([...stamped].filter(([path]) => path !== PATHS.stamp))
      await stops(without, { tsaRoot: tsa.root }, /time-stamp required by the seal is missing/)
      await stops(without, {}, /time-stamp required by the seal is missing/)
    })
    test('altered anywhere', async () => {
      const token = bytesOf(stamped, PATHS.stamp)
      for (const at of [0, 60, 120, token.length >> 1, token.length - 3]) {
        const altered = Uint8Array.from(token)
        altered[at] = (altered[at] ?? 0) ^ 1
        await stops(
          new Map([...stamped, [PATHS.stamp, altered]]),
          { tsaRoot: tsa.root },
          /STOPPED: .*(tsr|Failed at: 3)/,
        )
      }
    })
    test('of another pack', async () => {
      const other = stampOver(tsa, bytesOf(files, PATHS.seal))
      await stops(new Map([...stamped, [PATHS.stamp, other]]), { tsaRoot: tsa.root }, /message imprint mismatch/)
    })
    test('of an authority with another root', async () => {
      await stops(stamped, { tsaRoot: ca.root }, /Failed at: 3\./)
    })
    test('a time in the status text, which is not signed, is not taken', async () => {
      const response = bytesOf(stamped, PATHS.stamp)
      // TimeStampResp ::= SEQUENCE { status, token }: the granted status of openssl is SEQUENCE { INTEGER 0, … }.
      const body = response.subarray(4)
      const token = body.subarray(2 + (body[1] ?? 0))
      const lie = text('fine\nTime stamp: Jan  1 00:00:00 2001 GMT')
      const forged = sequence(sequence(small(0), der(0x30, lie)), token)
      const { code, said } = await lookAt(new Map([...stamped, [PATHS.stamp, forged]]), { tsaRoot: tsa.root })
      expect(said).not.toContain('2001-01-01')
      expect(code, said).toBe(0)
    })
    test('the authority was revoked before, or for a reason that takes its tokens with it', async () => {
      const serial = execFileSync('openssl', ['x509', '-in', 'tsa.pem', '-noout', '-serial'], {
        cwd: tsa.folder,
        encoding: 'utf8',
      })
        .trim()
        .slice('serial='.length)
      const revoked = (when: string): Uint8Array => {
        writeFileSync(
          join(tsa.folder, 'mid-index.txt'),
          `R\t491231000000Z\t${when}\t${serial}\tunknown\t/CN=Test TSA\n`,
        )
        const argv = 'ca -gencrl -config tsa.cnf -name list-mid -cert mid.pem -keyfile mid.key -out revoked.pem'
        execFileSync('openssl', argv.split(' '), { cwd: tsa.folder, stdio: 'pipe' })
        return new Uint8Array(
          execFileSync('openssl', ['crl', '-in', 'revoked.pem', '-outform', 'DER'], { cwd: tsa.folder }),
        )
      }
      const withList = async (when: string): Promise<Files> =>
        stamp(await samplePack({ signer, authority: authority([tsa.crls[0] ?? new Uint8Array(), revoked(when)]) }))
      const asked = { tsaRoot: tsa.root }
      await stops(await withList('200101000000Z,superseded'), asked, /authority was revoked on Jan {2}1 00:00:00 2020/)
      await stops(await withList('390101000000Z,keyCompromise'), asked, /invalidates its time-stamps/)
      await stops(await withList('390101000000Z'), asked, /invalidates its time-stamps/)
      await passes(await withList('390101000000Z,superseded'), asked, /revoked later, on 2039-01-01 00:00:00 UTC/)
    })
  })

  describe('signers', () => {
    const soon = new Date(Date.now() + 30 * DAY)
    const before = new Date(Date.now() - 30 * DAY)
    let leaf: Signer
    const sealed = async (crls: readonly Uint8Array[], by: Signer = leaf): Promise<Files> =>
      stamp(await samplePack({ signer: { ...by, crls }, authority: authority() }))
    const asked = (): Asked => ({ root: ca.root, pin: leaf.fingerprint, tsaRoot: tsa.root })
    beforeAll(() => {
      leaf = ca.issue('leaf', '10E2')
    })

    test('below an authority, not revoked', async () => {
      const { code, said } = await lookAt(await sealed([ca.list('issuer', []), ca.list('root', [])]), asked())
      expect(code, said).toBe(0)
      expect(said).not.toContain('Whether the signer was revoked')
    })
    test('revoked later: passes with a note; without a time-stamp it does not', async () => {
      // As numbers, 10E2 and 1000 are the same.
      const list = ca.list('issuer', [
        { serial: '1000', at: before },
        { serial: '10E2', at: soon, reason: 'keyCompromise' },
      ])
      const pack = await sealed([list, ca.list('root', [])])
      await passes(pack, asked(), new RegExp(`revoked later, on ${soon.toISOString().slice(0, 10)}`))
      const { tsaRoot: _, ...withoutTime } = asked()
      await stops(pack, withoutTime, /the signer was revoked on/)
    })
    test('revoked before, or known to have been in other hands before', async () => {
      await stops(await sealed([ca.list('issuer', [{ serial: '10E2', at: before }])]), asked(), /signer was revoked on/)
      const invalid = `keyTime,${digits(before)}`
      const list = ca.list('issuer', [{ serial: '10E2', at: soon, reason: invalid }])
      await stops(await sealed([list]), asked(), /signer was revoked on/)
    })
    test('the authority between was revoked', async () => {
      const lists = [ca.list('issuer', []), ca.list('root', [{ serial: ca.issuerSerial, at: soon }])]
      await stops(await sealed(lists), asked(), /authority of the signer was revoked/)
    })
    test('lists that show nothing are noted: none, ended before, not for the whole chain', async () => {
      await passes(await sealed([]), asked(), /Whether the signer was revoked: no list/)
      await passes(await sealed([ca.list('issuer', [])]), asked(), /Whether the signer was revoked: no list/)
    })
    const faketime = isInstalled('faketime')
    test.skipIf(!faketime)('a list that ended before the time that counts is noted', async () => {
      const pack = await samplePack({ signer: { ...leaf, crls: [ca.list('issuer', [], 3), ca.list('root', [])] } })
      const { tsaRoot: _, ...now } = asked()
      await passes(pack, { ...now, before: ['faketime', '-f', '+10d'] }, /revoked after .*crl-1\.pem expires/)
    })
    test('a list signed by another authority is refused', async () => {
      const other = revokingCa(join(top, 'other-ca'))
      await stops(await sealed([other.list('issuer', [])]), asked(), /is not signed by an authority of/)
    })
    test('another key under the same authority is distinguished by the fingerprint alone', async () => {
      const colleague = ca.issue('colleague', '0777')
      await stops(await sealed([], colleague), asked(), /sealed with a different key/)
      await passes(await sealed([], colleague), { ...asked(), pin: colleague.fingerprint }, /PASSED/)
    })
    test('a chain with the authority between cut out', async () => {
      const cut = { ...leaf, chain: leaf.chain.slice(1) }
      await stops(await sealed([], cut), asked(), /unable to get (local )?issuer certificate/)
    })
  })

  describe('seals by the right key that are not of our form', () => {
    let leaf: Signer
    let pack: Files
    beforeAll(async () => {
      leaf = ca.issue('leaf', '10E2')
      pack = await samplePack({ signer: leaf })
      writeFileSync(join(top, 'list'), bytesOf(pack, PATHS.tagManifest))
    })
    const sealedBy = (...options: readonly string[]): Files => {
      const at = (name: string): string => join(top, 'ca', name)
      const key = ['-signer', at('leaf.pem'), '-inkey', at('leaf.key'), '-certfile', at('issuer.pem')]
      const how = ['-sign', '-binary', '-in', join(top, 'list'), '-outform', 'DER', '-out', join(top, 'seal'), ...key]
      execFileSync('openssl', ['cms', ...how, ...options], { stdio: 'pipe' })
      return new Map([...pack, [PATHS.seal, new Uint8Array(readFileSync(join(top, 'seal')))]])
    }
    const OURS = ['-cades', '-nosmimecap', '-md', 'sha256']
    const asked = (): Asked => ({ root: ca.root, pin: leaf.fingerprint })

    test('its own seal passes', async () => {
      await passes(pack, asked(), /PASSED/)
    })
    test.each<[what: string, options: readonly string[], lacking: RegExp]>([
      ['with attributes of its own', OURS, /lacks: the three signed attributes;/],
      ['without signed attributes', ['-noattr', '-md', 'sha256'], /lacks: the three signed attributes;/],
      ['with SHA-1', ['-cades', '-md', 'sha1'], / SHA-256;/],
      ['with SHA-512', ['-cades', '-md', 'sha512'], / SHA-256;/],
      ['with the content inside', [...OURS, '-nodetach'], / no content inside;/],
      ['that names its key by an identifier', [...OURS, '-keyid'], / one signer, named by/],
      ['without its certificate', [...OURS, '-nocerts'], / its certificate inside;/],
      ['in chunks of undefined length', [...OURS, '-stream'], /not a single DER value/],
    ])('%s', async (_, options, lacking) => {
      await stops(sealedBy(...options), asked(), lacking)
    })
    test.each<[what: string, bits: number, usage: string]>([
      ['an RSA key of 1024 bits', 1024, 'digitalSignature'],
      ['a key for encryption alone', 2048, 'keyEncipherment'],
    ])('by %s', async (name, bits, usage) => {
      const weak = testCa(mkdtempSync(join(top, 'weak-')))
      const at = (file: string): string => join(weak.folder, file)
      const one = (file: string): Uint8Array =>
        fromPem('CERTIFICATE', readFileSync(at(file), 'latin1'))[0] ?? new Uint8Array()
      weak.openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${bits}`, '-out', 'weak.key')
      weak.openssl('pkey', '-in', 'weak.key', '-pubout', '-out', 'weak.pub')
      const config = readFileSync(at('ca.cnf'), 'utf8')
      writeFileSync(at('ca.cnf'), config.replace('digitalSignature,nonRepudiation', usage))
      weak.certify('weak.pub', 'weak')
      const key = createPrivateKey(readFileSync(at('weak.key')))
      const by = signerOf({ leaf: one('weak.pem'), root: weak.root, crl: new Uint8Array(), subject: name, key })
      const sealed = await samplePack({
        signer: { ...by, keyType: 'RSA', chain: [one('issuer.pem'), weak.root], crls: [] },
      })
      await stops(sealed, { root: weak.root, pin: by.fingerprint }, /too weak or does not permit signatures/)
    })
    test('with the last bytes of our own in another encoding', async () => {
      const seal = bytesOf(pack, PATHS.seal)
      // SEQUENCE with a two-byte length: the same value with three bytes of length is BER and no DER.
      const longer = new Uint8Array([0x30, 0x83, 0, ...seal.subarray(2)])
      expect([...seal.subarray(0, 2)]).toEqual([0x30, 0x82])
      await stops(new Map([...pack, [PATHS.seal, longer]]), asked(), /not a single DER value/)
    })
  })

  describe('tampering', () => {
    test.each(fileAttacks.filter(({ onlyOurs }) => onlyOurs !== true))('$name', async ({ tamper }) => {
      await stops(await tamper(files, { signer, stranger }), {}, /STOPPED: /)
    })
    test.each(archiveAttacks.filter(({ sameContent }) => sameContent !== true))(
      'an archive with $name',
      ({ build }) => {
        const place = desk()
        writeFileSync(join(place.folder, 'pack.zip'), build(files))
        const { code, said } = look(place)
        expect(code, said).not.toBe(0)
        expect(said).toMatch(/STOPPED: (The archive|unzip cannot|unzip reports|Failed at: 1|The files above)/)
      },
    )
  })
})
