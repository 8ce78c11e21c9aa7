import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { trustOf } from '../main/app/engine/trust/trust-anchors.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { pem } from '../main/core/base/pem.ts'
import { BANNED } from '../schemas/words.ts'
import { testTsa } from './support/lying-tsa.ts'
import { must } from './support/outcomes.ts'
import {
  filesHolding,
  type KitOptions,
  memoryVault,
  refusal,
  type SealingKit,
  sealingKit,
} from './support/sealing-kit.ts'

const kits: SealingKit[] = []
const kitOf = (options: KitOptions = {}): SealingKit => {
  const kit = sealingKit({ recordings: null, ...options })
  kits.push(kit)
  return kit
}
afterEach(() => {
  for (const kit of kits.splice(0)) kit.remove()
})

const tsa = testTsa({ name: 'Trusted' })
const [leaf, mid, root] = tsa.chain as [Uint8Array, Uint8Array, Uint8Array]
const PASSPHRASE = 'correct horse battery'

function file(kit: SealingKit, name: string, content: string | Uint8Array): { readonly path: string } {
  const path = join(kit.folder, name)
  writeFileSync(path, content)
  return { path }
}

describe('trust anchors', () => {
  const howVerified = 'read over the telephone'

  test('every certificate of a file is added, for its purpose, with how it was verified', async () => {
    const kit = kitOf()
    kit.setClock('2026-11-21T08:00:00.000Z')
    const both = file(kit, 'two.pem', `comment\n${pem('CERTIFICATE', mid)}\n${pem('CERTIFICATE', root)}`)
    const added = must(await kit.trust['trust.add-choose']({ for: 'authorities', howVerified }, both))
    expect(added).toEqual([
      {
        fingerprint: sha256(mid),
        subject: 'CN=Trusted issuer',
        for: 'authorities',
        howVerified,
        since: '2026-11-21T08:00:00.000Z',
      },
      {
        fingerprint: sha256(root),
        subject: 'CN=Trusted root',
        for: 'authorities',
        howVerified,
        since: '2026-11-21T08:00:00.000Z',
      },
    ])
    const trust = await trustOf(kit.context)
    expect(trust.authorities.map(sha256)).toEqual([sha256(mid), sha256(root)])
    expect(trust.signers).toEqual([])
  })

  test('DER is taken too, a second time changes nothing, and removing takes it out', async () => {
    const kit = kitOf()
    const chosen = file(kit, 'leaf.cer', leaf)
    for (let times = 0; times < 2; times += 1)
      must(await kit.trust['trust.add-choose']({ for: 'signers', howVerified }, chosen))
    expect(must(await kit.trust['trust.list'](null))).toHaveLength(1)
    expect((await trustOf(kit.context)).signers.map(sha256)).toEqual([sha256(leaf)])
    expect(must(await kit.trust['trust.remove']({ fingerprint: sha256(leaf) }))).toEqual([])
    expect(refusal(await kit.trust['trust.remove']({ fingerprint: sha256(leaf) }))).toMatch(/^input\.refused/)
    expect((await trustOf(kit.context)).signers).toEqual([])
  })

  test.each([
    ['text', 'not a certificate'],
    ['PKCS #12 or other DER', new Uint8Array([0x30, 0x03, 0x02, 0x01, 0x03])],
    ['a broken one after a good one', `${pem('CERTIFICATE', root)}${pem('CERTIFICATE', root.slice(0, -9))}`],
  ])('%s is refused, and nothing of it is kept', async (_what, content) => {
    const kit = kitOf()
    const said = refusal(await kit.trust['trust.add-choose']({ for: 'signers', howVerified }, file(kit, 'x', content)))
    expect(said).toMatch(/^input\.refused: the file contains no certificate/)
    expect(must(await kit.trust['trust.list'](null))).toEqual([])
  })

  test.each(['PRIVATE KEY', 'EC PRIVATE KEY', 'ENCRYPTED PRIVATE KEY', 'OPENSSH PRIVATE KEY'])(
    'a file with %s is refused and never stored',
    async (label) => {
      const kit = kitOf()
      const canary = 'Q0FOQVJZLUtFWS1CWVRFUw=='
      const text = `${pem('CERTIFICATE', root)}-----BEGIN ${label}-----\n${canary}\n-----END ${label}-----\n`
      const chosen = file(kit, 'bundle.pem', text)
      const said = refusal(await kit.trust['trust.add-choose']({ for: 'signers', howVerified }, chosen))
      expect(said).toMatch(/private key/)
      expect(must(await kit.trust['trust.list'](null))).toEqual([])
      expect(filesHolding(kit.folder, canary)).toEqual([chosen.path])
    },
  )

  test('a list that was changed is named, trusts no signer, and is not written over', async () => {
    const kit = kitOf()
    const chosen = file(kit, 'root.pem', pem('CERTIFICATE', root))
    must(await kit.trust['trust.add-choose']({ for: 'signers', howVerified }, chosen))
    const path = join(kit.folder, 'trust/anchors.json')
    // The certificate of another under the fingerprint that a person compared.
    const swapped = readFileSync(path, 'utf8').replace(
      JSON.stringify(pem('CERTIFICATE', root)),
      JSON.stringify(pem('CERTIFICATE', mid)),
    )
    writeFileSync(path, swapped)
    expect(refusal(await kit.trust['trust.list'](null))).toMatch(
      /^store\.failed: .*anchors\.json is not in the expected format/,
    )
    expect((await trustOf(kit.context)).signers).toEqual([])
    expect((await kit.trust['trust.add-choose']({ for: 'signers', howVerified }, chosen)).ok).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe(swapped)
  })

  test('a closed dialog changes nothing', async () => {
    const kit = kitOf()
    expect(must(await kit.trust['trust.add-choose']({ for: 'signers', howVerified }))).toBeNull()
  })
})

describe('identities', () => {
  test('without a vault a person is asked twice, shown what is wrong, and nothing of it is written', async () => {
    const kit = kitOf()
    kit.person.answers.push('short', PASSPHRASE, 'another one', PASSPHRASE, PASSPHRASE)
    const [made] = must(await kit.trust['identities.create']({ name: 'acme', subject: 'Acme Compliance' }))
    expect(made).toMatchObject({
      name: 'acme',
      kind: 'local',
      subject: 'Acme Compliance',
      keptHow: 'protected by a passphrase that you enter',
      retired: [],
    })
    expect(kit.person.asked).toEqual([
      'Choose a passphrase for your new signing key (at least 8 characters)',
      'The passphrase has fewer than 8 characters. Choose a passphrase for your new signing key (at least 8 characters)',
      'Repeat the passphrase',
      'The passphrases do not match. Choose a passphrase for your new signing key (at least 8 characters)',
      'Repeat the passphrase',
    ])
    expect(filesHolding(kit.folder, PASSPHRASE)).toEqual([])
    for (const banned of BANNED) expect(kit.person.asked.join('\n')).not.toMatch(banned)
  })

  test('three bad choices make nothing, and neither does a closed question', async () => {
    const kit = kitOf()
    kit.person.answers.push('a', 'b', 'c')
    expect(refusal(await kit.trust['identities.create']({ name: 'acme', subject: 'Acme' }))).toMatch(/after 3 attempts/)
    expect(refusal(await kit.trust['identities.create']({ name: 'acme', subject: 'Acme' }))).toBe(
      'input.refused: no passphrase was entered',
    )
    expect(must(await kit.trust['identities.list'](null))).toEqual([])
  })

  test('with a vault no person is asked, and the secret is in the vault alone', async () => {
    const vault = memoryVault()
    const kit = kitOf({ vault })
    const [made] = must(await kit.trust['identities.create']({ name: 'acme', subject: 'Acme' }))
    expect(made?.keptHow).toBe('by the test vault')
    expect([...vault.secrets.keys()]).toEqual(['identity:acme'])
    const secret = vault.secrets.get('identity:acme') ?? ''
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(filesHolding(kit.folder, secret)).toEqual([])
    expect(kit.person.asked).toEqual([])
    expect(refusal(await kit.trust['identities.create']({ name: 'acme', subject: 'Other' }))).toBe(
      'identity.exists: acme',
    )
    expect(vault.secrets.get('identity:acme')).toBe(secret)
  })

  test('a vault that does not give back what it was given makes no key', async () => {
    const kit = kitOf({ vault: { ...memoryVault(), read: async () => null } })
    expect(refusal(await kit.trust['identities.create']({ name: 'acme', subject: 'Acme' }))).toMatch(/^store\.failed/)
    expect(must(await kit.trust['identities.list'](null))).toEqual([])
  })

  test('the passphrase file of earlier versions is read, and what it is worth is stated', async () => {
    const kit = kitOf()
    kit.person.answers.push(PASSPHRASE, PASSPHRASE)
    must(await kit.trust['identities.create']({ name: 'old', subject: 'Old' }))
    writeFileSync(join(kit.folder, 'identity-passphrase'), `${PASSPHRASE}\n`)
    const [old] = must(await kit.trust['identities.list'](null))
    expect(old?.keptHow).toBe('in a file that only your account can read: anyone who reads your files can sign as you')
    writeFileSync(join(kit.folder, 'identity-passphrase'), 'of another identity\n')
    expect(must(await kit.trust['identities.list'](null))[0]?.keptHow).toBe('protected by a passphrase that you enter')
  })

  test('rotating asks until the passphrase opens it, at most three times', async () => {
    const kit = kitOf()
    kit.person.answers.push(PASSPHRASE, PASSPHRASE)
    const [before] = must(await kit.trust['identities.create']({ name: 'acme', subject: 'Acme' }))
    kit.person.asked.length = 0
    kit.person.answers.push('wrong', PASSPHRASE)
    const [after] = must(await kit.trust['identities.rotate']({ name: 'acme', why: 'a new laptop' }))
    expect(after?.fingerprint).not.toBe(before?.fingerprint)
    expect(after?.retired.map(({ fingerprint }) => fingerprint)).toEqual([before?.fingerprint])
    expect(kit.person.asked).toEqual([
      'Passphrase of your signing key (acme)',
      'Wrong passphrase; attempt 2 of 3. Passphrase of your signing key (acme)',
    ])
    kit.person.answers.push('wrong', 'wrong', 'wrong')
    expect(refusal(await kit.trust['identities.rotate']({ name: 'acme', why: 'again' }))).toBe(
      'identity.passphrase-wrong: acme',
    )
    expect(kit.person.answers).toEqual([])
    expect(refusal(await kit.trust['identities.rotate']({ name: 'nobody', why: 'again' }))).toMatch(
      /^identity\.missing/,
    )
  })

  test('a backup of a key in the vault opens elsewhere with a passphrase that a person knows', async () => {
    const vault = memoryVault()
    const kit = kitOf({ vault })
    const [made] = must(await kit.trust['identities.create']({ name: 'acme', subject: 'Acme' }))
    const path = join(kit.folder, 'acme.backup')
    kit.person.answers.push(PASSPHRASE, PASSPHRASE)
    expect(must(await kit.trust['identities.backup']({ name: 'acme' }, { path }))).toEqual({ file: 'acme.backup' })
    expect(kit.person.asked[0]).toMatch(/^Choose a passphrase for the backup of acme/)
    expect((await kit.trust['identities.backup']({ name: 'acme' }, { path })).ok).toBe(false)

    const other = kitOf()
    const [restored] = must(await other.trust['identities.restore'](null, { path })) ?? []
    expect(restored).toEqual({ ...made, keptHow: 'protected by a passphrase that you enter' })
    other.person.answers.push(PASSPHRASE)
    expect(must(await other.trust['identities.rotate']({ name: 'acme', why: 'moved' }))[0]?.retired).toHaveLength(1)
    expect((await other.trust['identities.restore'](null, { path })).ok).toBe(false)
    for (const folder of [kit.folder, other.folder]) expect(filesHolding(folder, PASSPHRASE)).toEqual([])
    expect(filesHolding(other.folder, vault.secrets.get('identity:acme') ?? '')).toEqual([])
  })

  test('a backup of a key with a person’s passphrase asks for nothing', async () => {
    const kit = kitOf()
    kit.person.answers.push(PASSPHRASE, PASSPHRASE)
    must(await kit.trust['identities.create']({ name: 'acme', subject: 'Acme' }))
    kit.person.asked.length = 0
    mkdirSync(join(kit.folder, 'usb'))
    const path = join(kit.folder, 'usb/acme.backup')
    must(await kit.trust['identities.backup']({ name: 'acme' }, { path }))
    expect(kit.person.asked).toEqual([])
    expect(must(await kit.trust['identities.backup']({ name: 'acme' }))).toBeNull()
  })

  test('what is no backup is refused', async () => {
    const kit = kitOf()
    const chosen = file(kit, 'x.json', '{"format":"barewitness-identity-backup/1"}')
    expect(refusal(await kit.trust['identities.restore'](null, chosen))).toMatch(/^input\.refused/)
  })
})
