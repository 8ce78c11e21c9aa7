import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import ssh2 from 'ssh2'
import { describe, expect, test } from 'vitest'
import { parseFleet } from '../../main/adapters/fleet-file.ts'
import { createPorts } from '../../main/adapters/ports.ts'
import { unattendedUse } from '../../main/app/collect/credentials.ts'
import { certificateUntil, keyFile } from '../../main/core/schedule/schedule.ts'
import { folderOfTests } from '../support/folders.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { sampleCatalog } from '../support/sample-pack.ts'

const { utils } = ssh2
const folder = folderOfTests('credentials')
const at = (name: string): string => join(folder, name)
const ports = createPorts(sampleCatalog)

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const protectedBy = { cipher: 'aes-256-cbc', passphrase: 'x' } as const

describe('key files', () => {
  test.each([
    ['PKCS #8', privateKey.export({ type: 'pkcs8', format: 'pem' }), 'foreign'],
    ['PKCS #8 with a passphrase', privateKey.export({ type: 'pkcs8', format: 'pem', ...protectedBy }), 'locked'],
    ['SEC 1', privateKey.export({ type: 'sec1', format: 'pem' }), 'open'],
    ['SEC 1 with a passphrase', privateKey.export({ type: 'sec1', format: 'pem', ...protectedBy }), 'locked'],
    ['PuTTY', 'PuTTY-User-Key-File-2: ssh-rsa\r\nEncryption: none\r\n', 'open'],
    ['PuTTY’s newer form', 'PuTTY-User-Key-File-3: ssh-ed25519\r\nEncryption: none\r\n', 'unknown'],
    ['PuTTY with a passphrase', 'PuTTY-User-Key-File-2: ssh-rsa\nEncryption: aes256-cbc\n', 'locked'],
    ['a public key', 'ssh-ed25519 AAAA anna', 'public'],
    ['a public key on a device', 'sk-ssh-ed25519@openssh.com AAAA anna', 'hardware'],
    ['nothing', '', 'unknown'],
    ['OpenSSH, cut short', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n', 'unknown'],
  ])('%s', (_, text, kind) => expect(keyFile(Buffer.from(text))).toBe(kind))

  test.each(['pkcs8', 'sec1'] as const)('a job is promised no key that our own client does not read: %s', (type) => {
    const bytes = Buffer.from(privateKey.export({ type, format: 'pem' }))
    expect(keyFile(bytes) === 'open').toBe(!(utils.parseKey(bytes) instanceof Error))
  })

  test('a key in PKCS #8 needs another form, or the system’s ssh program', async () => {
    writeFileSync(at('pkcs8'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(at('only.pub'), 'ssh-ed25519 AAAA anna')
    const nodes = ['identityFile: pkcs8', 'identityFile: pkcs8, transport: openssh', 'identityFile: only.pub']
    const text = nodes.map((more, index) => `  - {name: n${index}, address: 10.0.0.1, ${more}}\n`).join('')
    const fleet = must(parseFleet(`name: x\nnodes:\n${text}`, at('fleet.yaml')))
    const uses = await unattendedUse(ports, fleet.targets({}), { identityFolder: at('none') })
    expect(uses.map(({ works, nodes }) => [works, nodes])).toEqual([
      ['no', ['n0']],
      ['unclear', ['n1']],
      ['unclear', ['n2']],
      ['no', []],
    ])
    expect(uses[0]?.text).toContain('ssh-keygen -p -f')
  })

  test('any bytes are read without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const body = Buffer.concat([Buffer.from('openssh-key-v1\0'), bytes]).toString('base64')
        keyFile(Buffer.from(`-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n`))
        certificateUntil(Buffer.from(`ssh-ed25519-cert-v01@openssh.com ${Buffer.from(bytes).toString('base64')}`))
        keyFile(bytes)
      }),
    )
  })
})

const absent = spawnSync('ssh-keygen', ['-?']).error === undefined ? null : 'ssh-keygen is absent'
describeUnless(absent, 'keys that OpenSSH makes', () => {
  const make = (name: string, type: string, passphrase: string): string => {
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-f', at(name)])
    return at(name)
  }
  test.each([
    ['ed25519', ''],
    ['ecdsa', 'secret'],
    ['rsa', 'secret'],
  ])('%s, passphrase “%s”', (type, passphrase) =>
    expect(keyFile(readFileSync(make(`id-${type}`, type, passphrase)))).toBe(passphrase === '' ? 'open' : 'locked'),
  )

  test.each(['ed25519', 'ecdsa', 'rsa'])('a certificate over %s states until when it holds', (type) => {
    const [ca, key] = [make(`ca-${type}`, 'ed25519', ''), make(`certified-${type}`, type, '')]
    const sign = (validity: string): string | null => {
      execFileSync('ssh-keygen', ['-q', '-s', ca, '-I', 'a job', '-n', 'bwaudit,root', '-V', validity, `${key}.pub`])
      return certificateUntil(readFileSync(`${key}-cert.pub`))
    }
    // ssh-keygen reads Z as UTC since 8.9.
    expect(sign('20260101000000Z:20270203040506Z')).toBe('2027-02-03T04:05:06.000Z')
    expect(sign('always:forever')).toBe('for ever')
    expect(certificateUntil(readFileSync(`${key}.pub`))).toBeNull()
  })

  test('what a job can log in and seal with, stated plainly, and nothing of the keys', async () => {
    make('plain', 'ed25519', '')
    make('locked', 'ed25519', 'secret')
    make('ended', 'ed25519', '')
    make('authority', 'ed25519', '')
    execFileSync('ssh-keygen', [
      '-q',
      '-s',
      at('authority'),
      '-I',
      'x',
      '-n',
      'x',
      '-V',
      '20200101000000Z:20200102000000Z',
      at('ended.pub'),
    ])
    writeFileSync(at('touch'), `-----BEGIN OPENSSH PRIVATE KEY-----\n${SK}\n-----END OPENSSH PRIVATE KEY-----\n`)
    const node = (name: string, more: string): string => `  - {name: ${name}, address: 10.0.0.1, ${more}}\n`
    const fleet = must(
      parseFleet(
        `name: x\nnodes:\n${[
          node('a', 'identityFile: plain'),
          node('b', 'identityFile: plain'),
          node('c', 'identityFile: locked'),
          node('d', 'identityFile: ended'),
          node('e', 'identityFile: touch'),
          node('f', 'identityFile: absent'),
          node('g', 'agent: false'),
          node('h', 'jump: [i], identityFile: plain'),
          node('i', 'jumpOnly: true, agent: true'),
        ].join('')}`,
        at('fleet.yaml'),
      ),
    )
    const options = { identityFolder: at('identities') }
    const uses = await unattendedUse(ports, fleet.targets({}), options)
    const agent =
      'The agent of a login session usually ends at logout. Declare a private key, or run an agent as a service.'
    expect(uses).toEqual([
      {
        works: 'no',
        nodes: ['d'],
        text: `Certificate ${at('ended')}-cert.pub expired at 2020-01-02T00:00:00.000Z.`,
      },
      {
        works: 'no',
        nodes: ['e'],
        text: `The key in ${at('touch')} is on a device that requires, or may require, a touch.`,
      },
      { works: 'no', nodes: ['f'], text: `Key file ${at('absent')} could not be read.` },
      { works: 'no', nodes: ['g'], text: 'Neither a private key nor an SSH agent is declared.' },
      {
        works: 'unclear',
        nodes: ['c'],
        text: `Key file ${at('locked')} is encrypted, and unattended runs cannot enter a passphrase. It works only if an SSH agent that the job reaches holds the key. ${agent}`,
      },
      { works: 'unclear', nodes: ['h'], text: `Jump host i: Login depends on an SSH agent. ${agent}` },
      {
        works: 'yes',
        nodes: ['a', 'b', 'h'],
        text: `Key file ${at('plain')} has no passphrase: a job can log in with it, and so can anyone who can read the file.`,
      },
      {
        works: 'no',
        nodes: [],
        text: `Sealing: ${at('identities')} has 0 matching signing identities; exactly one is required.`,
      },
    ])
    await ports.identities.create({
      folder: at('identities'),
      name: 'clinic',
      subject: 'Clinic',
      passphrase: 'correct horse',
    })
    const sealing = async (passphraseFile?: string) =>
      (await unattendedUse(ports, [], passphraseFile === undefined ? options : { ...options, passphraseFile }))[0]
    expect(await sealing()).toMatchObject({ works: 'no', text: expect.stringContaining('Set up a passphrase file') })
    writeFileSync(at('passphrase'), 'correct horse', { mode: 0o644 })
    expect(await sealing(at('passphrase'))).toMatchObject({ works: 'no', text: expect.stringContaining('chmod 600') })
    rmSync(at('passphrase'))
    writeFileSync(at('passphrase'), 'correct horse', { mode: 0o600 })
    expect(await sealing(at('passphrase'))).toMatchObject({ works: 'yes' })
    const [made] = must(await ports.identities.list(at('identities')))
    const until = Date.parse(made?.notAfter ?? '')
    const sealingAt = async (days: number) => {
      const clock = { ...ports.clock, now: () => new Date(until + days * 86_400_000).toISOString() }
      return (await unattendedUse({ ...ports, clock }, [], { ...options, passphraseFile: at('passphrase') }))[0]
    }
    expect(await sealingAt(-61)).toMatchObject({ works: 'yes' })
    expect(await sealingAt(-59)).toMatchObject({
      works: 'unclear',
      text: expect.stringContaining(`Its certificate expires at ${made?.notAfter}; renew it before then`),
    })
    expect(await sealingAt(0)).toMatchObject({
      works: 'no',
      text: expect.stringContaining(`the certificate of clinic expired at ${made?.notAfter}. Renew it`),
    })
  })
})

const text = (value: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, value.length]), Buffer.from(value)])
/** The public part of a key on a device, as OpenSSH writes it. */
const SK = ((): string => {
  const blob = text('sk-ssh-ed25519@openssh.com')
  const count = Buffer.from([0, 0, 0, 1, 0, 0, 0, blob.length])
  return Buffer.concat([Buffer.from('openssh-key-v1\0'), text('none'), text('none'), text(''), count, blob]).toString(
    'base64',
  )
})()
