import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIdentities } from '../../main/adapters/identity/index.ts'
import { signDetached } from '../../main/adapters/seal/cms.ts'
import { readCertificate, verifies } from '../../main/adapters/seal/x509.ts'
import type { Identities } from '../../main/core/ports/identities.ts'
import { realClock, realEntropy } from '../support/deps.ts'
import { describeUnless, testUnless } from '../support/needing.ts'
import { chainFiles, type SoftHsm, softHsm, softhsmSigner, whyNoSoftHsm } from '../support/softhsm.ts'

const missing = whyNoSoftHsm()
// Writes down every call to the module behind it; part of OpenSC.
const SPY = ['/usr/lib/x86_64-linux-gnu/pkcs11-spy.so', '/usr/lib64/pkcs11-spy.so'].find((path) => existsSync(path))
const content = new TextEncoder().encode('evidence\n')

describeUnless(missing, 'a key on a token', () => {
  let hsm: SoftHsm
  let folder = ''
  let identities: Identities
  const add = (name: string, changes: Partial<Parameters<Identities['addToken']>[0]> = {}) => {
    const { module, token, pin } = hsm
    const crls = hsm.ca.crls.map((path) => readFileSync(path))
    const certificates = chainFiles(hsm, changes.key === 'RSA' ? 'RSA' : 'EC')
    return identities.addToken({ folder, name, module, token, key: 'EC', pin, certificates, crls, ...changes })
  }

  beforeAll(() => {
    hsm = softHsm()
    hsm.plugIn()
    folder = join(hsm.tokens, '..', 'identities')
    identities = createIdentities(realClock, realEntropy, folder)
  })
  afterAll(() => hsm.stop())

  test.each(['EC', 'RSA'] as const)('%s: seals, and openssl verifies it', async (kind) => {
    expect(await add(kind.toLowerCase(), { key: kind })).toMatchObject({
      ok: true,
      value: { kind: 'token', subject: `O=Test Org, CN=Token ${kind}`, retired: [] },
    })
    const opened = await identities.open(folder, kind.toLowerCase(), hsm.pin)
    expect(opened).toMatchObject({ ok: true, value: { keyType: kind } })
    if (!opened.ok) return
    expect(opened.value.chain).toHaveLength(2)
    expect(opened.value.crls).toHaveLength(2)
    const at = (name: string): string => join(hsm.ca.folder, name)
    writeFileSync(at('content'), content)
    writeFileSync(at('seal.p7s'), await signDetached(opened.value, content))
    const verify = (): string =>
      execFileSync(
        'openssl',
        ['cms', '-verify', '-cades', '-binary', '-inform', 'DER', '-in', 'seal.p7s', '-content', 'content'].concat([
          '-CAfile',
          'root.pem',
          '-purpose',
          'any',
          '-out',
          'verified',
        ]),
        { cwd: hsm.ca.folder, stdio: 'pipe', encoding: 'utf8' },
      )
    verify()
    expect(readFileSync(at('verified'), 'utf8')).toBe('evidence\n')
    writeFileSync(at('content'), 'evidence?')
    expect(verify).toThrow('Verification failure')
  })

  test.each(['EC', 'RSA'] as const)('%s: the signer for other suites signs with its own token', async (kind) => {
    const { signer, root, stop } = await softhsmSigner(kind)
    hsm.plugIn()
    const signature = await signer.sign(content)
    hsm.plugIn()
    stop()
    const leaf = readCertificate(signer.certificate)
    expect(leaf !== null && verifies(content, leaf, signature)).toBe(true)
    expect(signer.chain.at(-1)).toEqual(root)
  })

  test('what is kept is a reference and certificates, and no PIN', async () => {
    expect(await add('kept')).toMatchObject({ ok: true })
    expect(readdirSync(join(folder, 'kept')).sort()).toEqual([
      'chain.pem',
      'crl.pem',
      'leaf.pem',
      'root.pem',
      'token.json',
    ])
    for (const file of readdirSync(join(folder, 'kept')))
      expect(readFileSync(join(folder, 'kept', file), 'utf8')).not.toContain(hsm.pin)
    expect(await identities.list(folder)).toMatchObject({
      value: expect.arrayContaining([expect.objectContaining({ name: 'kept', kind: 'token' })]),
    })
    expect(await identities.rotate({ folder, name: 'kept', passphrase: 'x', why: 'x' })).toMatchObject({
      error: { code: 'key.refused' },
    })
  })

  test('certificates on the token itself are used', async () => {
    const store = (file: string, id: string): void => {
      hsm.ca.openssl('x509', '-in', file, '-outform', 'DER', '-out', 'one.der')
      const { module, token, pin, ca } = hsm
      const argv = ['--module', module, '--token-label', token, '--login', '--pin', pin, '--write-object', 'one.der']
      execFileSync('pkcs11-tool', [...argv, '--type', 'cert', '--id', id], { cwd: ca.folder, stdio: 'pipe' })
    }
    store(hsm.certificate('EC'), '01')
    store('issuer.pem', '11')
    expect(await add('partly', { certificates: [] })).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringMatching(/the issuer of “.*issuer” is missing/) },
    })
    store('root.pem', '12')
    expect(await add('wholly', { certificates: [] })).toMatchObject({ ok: true, value: { kind: 'token' } })
  })

  test.each([
    ['no such module', { module: '/nowhere/module.so' }, 'token.unavailable'],
    ['a module not named in full', { module: 'libsofthsm2.so' }, 'token.unavailable'],
    ['no such token', { token: 'another' }, 'token.unavailable'],
    ['no such key', { key: 'another' }, 'token.unavailable'],
    ['an empty PIN', { pin: '' }, 'input.refused'],
    ['a name that is taken', { name: 'ec' }, 'identity.exists'],
  ])('%s is refused', async (_what, changes, code) => {
    expect(await add('refused', changes)).toMatchObject({ ok: false, error: { code } })
  })

  test('a certificate of another key is refused', async () => {
    expect(await add('other', { key: 'RSA', certificates: chainFiles(hsm, 'EC') })).toMatchObject({
      error: { code: 'key.refused', detail: expect.stringContaining('--certificate') },
    })
  })

  testUnless(
    SPY === undefined ? 'pkcs11-spy is not installed' : null,
    'a wrong PIN is tried once, and every visit is closed',
    async () => {
      const log = join(folder, 'spy.log')
      process.env.PKCS11SPY = hsm.module
      process.env.PKCS11SPY_OUTPUT = log
      const calls = (name: string): number => readFileSync(log, 'utf8').split(`: ${name}\n`).length - 1
      expect(await add('spied', { module: SPY ?? '' })).toMatchObject({ ok: true })
      expect(calls('C_Login')).toBe(1)
      expect(await identities.open(folder, 'spied', '000000')).toMatchObject({
        error: { code: 'identity.passphrase-wrong', detail: expect.stringContaining('tried once') },
      })
      expect(calls('C_Login')).toBe(2)

      const opened = await identities.open(folder, 'spied', hsm.pin)
      expect(opened.ok).toBe(true)
      if (!opened.ok) return
      await opened.value.sign(content)
      expect(['C_Login', 'C_Logout', 'C_CloseSession', 'C_Finalize'].map(calls)).toEqual([4, 4, 4, 4])
      const change = (from: string, to: string): void => {
        const argv = ['--module', hsm.module, '--token-label', hsm.token, '--login', '--pin', from]
        execFileSync('pkcs11-tool', [...argv, '--change-pin', '--new-pin', to], { stdio: 'pipe' })
      }
      change(hsm.pin, '111111')
      for (let attempt = 0; attempt < 3; attempt += 1)
        await expect(opened.value.sign(content)).rejects.toMatchObject({ cause: { code: 'identity.passphrase-wrong' } })
      expect(calls('C_Login')).toBe(5)
      change('111111', hsm.pin)
    },
  )

  test('the signer checks every signature with the certificate', async () => {
    const opened = await identities.open(folder, 'rsa', hsm.pin)
    expect(opened.ok).toBe(true)
    if (!opened.ok) return
    const leaf = readCertificate(opened.value.certificate)
    const signature = await opened.value.sign(content)
    expect(leaf !== null && verifies(content, leaf, signature)).toBe(true)
    expect(leaf !== null && verifies(new Uint8Array(1), leaf, signature)).toBe(false)
  })

  test('a token pulled out is unavailable, and back again works', async () => {
    const opened = await identities.open(folder, 'ec', hsm.pin)
    expect(opened.ok).toBe(true)
    if (!opened.ok) return
    renameSync(hsm.tokens, `${hsm.tokens}-away`)
    expect(await identities.open(folder, 'ec', hsm.pin)).toMatchObject({ error: { code: 'token.unavailable' } })
    await expect(opened.value.sign(content)).rejects.toMatchObject({ cause: { code: 'token.unavailable' } })
    renameSync(`${hsm.tokens}-away`, hsm.tokens)
    expect((await opened.value.sign(content)).length).toBeGreaterThan(60)
  })

  test('another token of the same label is not taken for it', async () => {
    const other = softHsm()
    other.plugIn()
    const refused = await identities.open(folder, 'ec', other.pin)
    hsm.plugIn()
    other.stop()
    expect(refused).toMatchObject({ error: { code: 'token.unavailable', detail: expect.stringContaining('another') } })
  })

  test('keys that want the PIN for each signature get it', async () => {
    const always = softHsm({ alwaysAsk: true })
    always.plugIn()
    const { module, token, pin } = always
    const certificates = chainFiles(always, 'EC')
    const input = { folder, name: 'always', module, token, key: 'EC', pin, certificates, crls: [] }
    const added = await identities.addToken(input)
    const opened = await identities.open(folder, 'always', pin)
    const signature = opened.ok ? await opened.value.sign(content) : null
    hsm.plugIn()
    always.stop()
    expect(added).toMatchObject({ ok: true })
    expect(signature?.[0]).toBe(0x30)
  })

  test('without its folder the token is gone', async () => {
    rmSync(hsm.tokens, { recursive: true })
    expect(await identities.open(folder, 'rsa', hsm.pin)).toMatchObject({ error: { code: 'token.unavailable' } })
  })
})
