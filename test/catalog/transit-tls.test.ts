import { X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readOpensshLog } from '../../main/adapters/ssh/openssh-log.ts'
import { observeTls } from '../../main/app/tls-listeners.ts'
import { parseListeners } from '../../main/catalog/probes/listeners.ts'
import { tlsListeners } from '../../main/catalog/probes/tls-listeners.ts'
import { reachableTcp, tlsTargets } from '../../main/catalog/tls-targets.ts'
import type { Dialed } from '../../main/core/ports.ts'
import { OFFER_LISTS, readKexInit } from '../../main/core/ssh-offer.ts'
import { certificateFields } from '../../main/core/tls/certificate-fields.ts'
import { clientHello } from '../../main/core/tls/client-hello.ts'
import type { TlsObservation } from '../../main/core/tls/observation.ts'
import { ownShares, sealedCertificates } from '../../main/core/tls/sealed-flight.ts'
import { readServerReply } from '../../main/core/tls/server-reply.ts'
import { SUITES, suiteName, suiteWeakness } from '../../main/core/tls/suites.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { realClock, realEntropy, realPause } from '../support/deps.ts'
import { fixtureAnswers } from '../support/fixtures.ts'

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const recorded = (node: string): TlsObservation =>
  JSON.parse(
    Buffer.from(fixtureAnswers(node).get('tls.listeners/listeners')?.stdout ?? []).toString(),
  ) as TlsObservation
const der = (node: string): readonly Uint8Array[] =>
  recorded(node).asked.flatMap(({ certificates = [] }) => certificates.map((one) => Buffer.from(one, 'base64')))

const random = Uint8Array.from({ length: 64 }, (_, at) => at)

describe('the ClientHello', () => {
  test('of TLS 1.0 is what RFC 2246 says, byte by byte', () => {
    const hello = clientHello({ version: '1.0', suites: [0x002f], random: random.subarray(0, 32), sessionId: random })
    expect(Buffer.from(hello).toString('hex')).toBe(
      `160301004e0100004a0301${Buffer.from(random.subarray(0, 32)).toString('hex')}000002002f0100001f0` +
        '00a0010000e001d0017001e001900180100010100' +
        '0b00020100ff01000100',
    )
  })

  test('of TLS 1.3 offers that version alone, with a key of each kind', () => {
    const { shares } = ownShares(random)
    expect(shares.map(({ group, publicKey }) => [group, publicKey.length])).toEqual([
      [0x1d, 32],
      [0x17, 65],
    ])
    const text = Buffer.from(clientHello({ version: '1.3', suites: SUITES.tls13, random, sessionId: random, shares }))
    expect(text.includes(Buffer.from('002b0003020304', 'hex'))).toBe(true)
    expect(text.length).toBe(5 + text.readUInt16BE(3))
  })
})

describe('what a server answers', () => {
  // From openssl s_server 3.0.
  const RETRY =
    '160303005802000054' +
    '0303cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c' +
    '20' +
    '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f' +
    '130100000c002b00020304003300020018'

  test.each([
    ['', 'incomplete'],
    ['16', 'incomplete'],
    ['150303', 'incomplete'],
    ['15030300020228', 'alert'],
    ['485454502f312e3120343030', 'not-tls'],
    ['5353482d322e302d4f70656e535348', 'not-tls'],
    ['15ffff', 'not-tls'],
    ['1603030004020000', 'incomplete'],
  ])('%s is %s', (hex, kind) => expect(readServerReply(bytes(hex)).kind).toBe(kind))

  test('a HelloRetryRequest chooses TLS 1.3 and settles nothing more', () => {
    expect(readServerReply(bytes(RETRY))).toMatchObject({
      kind: 'hello',
      version: 0x0304,
      suite: 0x1301,
      isRetry: true,
      share: null,
      isDone: true,
    })
  })

  test('no beginning of a real answer is taken for something else', () => {
    for (const { hellos = [] } of [...recorded('demo-gpu-01').asked, ...recorded('fx-transit-open').asked])
      for (const { reply } of hellos) {
        const whole = Buffer.from(reply, 'base64')
        const kind = readServerReply(whole).kind
        for (let end = 0; end < whole.length; end += 1)
          expect(['incomplete', kind]).toContain(readServerReply(whole.subarray(0, end)).kind)
      }
  })

  test('any bytes are read without throwing, and so is any flight', () => {
    const own = ownShares(random)
    const prefix = fc.constantFrom(new Uint8Array(), bytes('160303'), bytes(RETRY), bytes('1603030030020000'))
    fc.assert(
      fc.property(prefix, fc.uint8Array({ maxLength: 400 }), (first, rest) => {
        const reply = readServerReply(Uint8Array.from([...first, ...rest]))
        if (reply.kind === 'hello') {
          sealedCertificates(random, reply, own)
          sealedCertificates(random, { ...reply, suite: 0x1302, sealed: [rest] }, own)
          sealedCertificates(random, { ...reply, share: { group: 0x17, publicKey: rest }, sealed: [rest] }, own)
        }
      }),
      { numRuns: 300, seed: 20261120 },
    )
  })
})

describe('certificates', () => {
  const all = ['demo-gpu-01', 'demo-shared-05', 'fx-transit-weak'].flatMap(der)

  test('are read as OpenSSL reads them', () => {
    expect(all).toHaveLength(4)
    for (const one of all) {
      const theirs = new X509Certificate(one)
      const ours = certificateFields(one)
      expect(ours?.notBefore).toBe(new Date(theirs.validFrom).toISOString())
      expect(ours?.notAfter).toBe(new Date(theirs.validTo).toISOString())
      expect(theirs.subject).toContain(`CN=${ours?.commonName}`)
      expect(ours?.names.map((name) => (/^[\d.]+$/.test(name) ? `IP Address:${name}` : `DNS:${name}`)).join(', ')).toBe(
        theirs.subjectAltName ?? '',
      )
    }
    expect(all.map((one) => certificateFields(one)).map((one) => [one?.key, one?.hash])).toEqual([
      [{ kind: 'EC', bits: 256 }, 'SHA-256'],
      [{ kind: 'EC', bits: 256 }, 'SHA-256'],
      [{ kind: 'RSA', bits: 2048 }, 'SHA-256'],
      [{ kind: 'RSA', bits: 1024 }, 'SHA-1'],
    ])
    const [leaf, issuer] = all.map((one) => certificateFields(one))
    expect([leaf?.issuer, issuer?.subject]).toEqual([issuer?.subject, issuer?.issuer])
  })

  test('any bytes, and any damage to a real one, are read without throwing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.nat(1200), fc.uint8Array({ maxLength: 12 }), (one, at, extra) => {
        certificateFields(extra)
        certificateFields(Uint8Array.from([...one.subarray(0, at), ...extra, ...one.subarray(at + extra.length)]))
      }),
      { numRuns: 300, seed: 20261120 },
    )
  })
})

test('suites are named and weighed by what the registry calls them', () => {
  expect(SUITES.weak.filter((suite) => suiteWeakness(suite) === null)).toEqual([])
  expect([...SUITES.tls13, ...SUITES.staticRsa].filter((suite) => suiteWeakness(suite) !== null)).toEqual([])
  expect(suiteName(0xc02f)).toBe('TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256')
  expect(suiteName(0xfefe)).toBe('suite 0xfefe')
})

describe('which ports are asked', () => {
  const row = (address: string): string => `tcp LISTEN 0 128 ${address} 0.0.0.0:*`
  const plan = (...addresses: readonly string[]) => {
    const { listeners } = fact(parseListeners(addresses.map(row).join('\n')))
    return tlsTargets(reachableTcp(listeners, []), 2222)
  }

  test('encrypted ones first; SSH, printers and sockets of jobs never', () => {
    const { ask, passed } = plan('0.0.0.0:80', '*:8443', '0.0.0.0:22', '0.0.0.0:2222', '0.0.0.0:9100', '10.1.2.3:41234')
    expect(ask).toEqual([
      { host: '127.0.0.1', port: 8443 },
      { host: '127.0.0.1', port: 80 },
    ])
    expect(passed.map(({ port, why }) => [port, why])).toEqual([
      [22, 'ssh'],
      [2222, 'ssh'],
      [9100, 'printer'],
      [41234, 'job'],
    ])
  })

  test('each service once, at an address of its own; loopback not at all; no more than 32', () => {
    expect(plan('127.0.0.1:443', '0.0.0.0:443', '[::]:443', '[fe80::1]%eth0:444', '[::]:445').ask).toEqual([
      { host: '127.0.0.1', port: 443 },
      { host: 'fe80::1', port: 444 },
      { host: '::1', port: 445 },
    ])
    const many = plan(...Array.from({ length: 40 }, (_, at) => `0.0.0.0:${3000 + at}`))
    expect([many.ask.length, many.passed.filter(({ why }) => why === 'limit').length]).toEqual([32, 8])
  })
})

describe('asking', () => {
  const deps = { clock: realClock, entropy: realEntropy, pause: realPause }
  const one = { ask: [{ host: '127.0.0.1', port: 443 }], passed: [] }
  const answering = (reply: Uint8Array): Dialed => {
    let tell = (_: Uint8Array): void => {}
    const stream = {
      write: () => tell(reply),
      onData: (listener: (chunk: Uint8Array) => void) => {
        tell = listener
      },
      closed: new Promise<void>(() => {}),
      close: () => {},
    }
    return { ok: true, stream }
  }

  test('a transport that cannot forward asks nothing, and says so', async () => {
    const seen = await observeTls(deps, {}, one, { signal: new AbortController().signal, heard: () => {} })
    expect(seen).toEqual({
      forwarding: 'not-available',
      asked: [],
      passed: [{ host: '127.0.0.1', port: 443, why: 'unreached' }],
    })
  })

  test('a stopped collection asks no more', async () => {
    const dial = async (): Promise<Dialed> => answering(new Uint8Array())
    const seen = await observeTls(deps, { dial }, one, { signal: AbortSignal.abort(), heard: () => {} })
    expect(seen.asked).toEqual([])
  })

  test('a server that drips its answer is not heard to the end', async () => {
    const dial = async (): Promise<Dialed> => {
      let tell = (_: Uint8Array): void => {}
      const drip = (): void => {
        for (let at = 0; at < 5000; at += 1) tell(Uint8Array.of(at === 0 ? 22 : 3))
      }
      const onData = (listener: (chunk: Uint8Array) => void): void => {
        tell = listener
      }
      return { ok: true, stream: { write: drip, onData, closed: new Promise(() => {}), close: () => {} } }
    }
    const seen = await observeTls(deps, { dial }, one, { signal: new AbortController().signal, heard: () => {} })
    expect(seen.asked.map(({ outcome }) => outcome)).toEqual(['plain'])
  })
})

test('a record of another form gives a reason', () => {
  for (const text of ['', '[]', '{"forwarding":"used"}', '{"forwarding":"used","asked":[{"host":1}],"passed":[]}'])
    expect(reason(tlsListeners.parse({ listeners: answer(text) }))).not.toBe('a fact')
})

describe('the offer of an SSH server', () => {
  const list = (text: string): readonly number[] => [0, 0, 0, text.length, ...Buffer.from(text)]

  test('is read from the bytes of its SSH_MSG_KEXINIT', () => {
    const payload = [
      20,
      ...random.subarray(0, 16),
      ...['a,b', 'c', 'd', 'e', 'f', 'g', 'none', 'none', '', ''].flatMap(list),
    ]
    expect(readKexInit(Uint8Array.from(payload))).toMatchObject({ kex: ['a', 'b'], hostKey: ['c'], macFromNode: ['g'] })
    expect(readKexInit(Uint8Array.from(payload.slice(0, 30)))).toBeNull()
  })

  test('any bytes are read without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (rest) => void readKexInit(Uint8Array.from([20, ...rest]))),
      { numRuns: 200, seed: 20261120 },
    )
  })

  // From ssh 9.2 with -vv; kex_buf2prop in kex.c.
  const LOG = `debug1: SSH2_MSG_KEXINIT received
debug2: local client KEXINIT proposal
debug2: KEX algorithms: ours
debug2: peer server KEXINIT proposal
debug2: KEX algorithms: curve25519-sha256,kex-strict-s-v00@openssh.com
debug2: host key algorithms: ssh-ed25519
debug2: ciphers ctos: aes128-ctr,aes256-ctr
debug2: ciphers stoc: aes128-ctr
debug2: MACs ctos: hmac-sha2-256
debug2: MACs stoc: hmac-sha2-512
debug2: compression ctos: none,zlib@openssh.com
debug2: compression stoc: none
debug2: languages ctos: 
`

  test('is read from the log of the system ssh program', () => {
    expect(readOpensshLog(LOG).offer).toEqual({
      kex: ['curve25519-sha256', 'kex-strict-s-v00@openssh.com'],
      hostKey: ['ssh-ed25519'],
      cipherToNode: ['aes128-ctr', 'aes256-ctr'],
      cipherFromNode: ['aes128-ctr'],
      macToNode: ['hmac-sha2-256'],
      macFromNode: ['hmac-sha2-512'],
      compressionToNode: ['none', 'zlib@openssh.com'],
      compressionFromNode: ['none'],
    })
    expect(readOpensshLog(LOG.replace('debug2: ciphers stoc', 'debug2: other')).offer).toBeNull()
    expect(OFFER_LISTS).toHaveLength(8)
  })
})
