import { X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import type { Client } from 'ssh2'
import { describe, expect, test } from 'vitest'
import { readOpensshLog } from '../../main/adapters/ssh/openssh-transport.ts'
import { dial } from '../../main/adapters/ssh/ssh2-transport.ts'
import { observeTls } from '../../main/app/collect/tls-listeners.ts'
import { parseListeners } from '../../main/catalog/data-protection/listeners/probes.ts'
import { reachablePorts } from '../../main/catalog/data-protection/tls/index.ts'
import {
  observedAt,
  ownAddresses,
  reachableTcp,
  type TlsPort,
  tlsListeners,
  tlsTargets,
} from '../../main/catalog/data-protection/tls/probes.ts'
import { OFFER_LISTS, readKexInit } from '../../main/core/fleet/ssh-methods.ts'
import type { Dialed } from '../../main/core/ports/ports.ts'
import { certificateFields } from '../../main/core/tls/certificate-fields.ts'
import { clientHello, SUITES, suiteName, suiteWeakness } from '../../main/core/tls/client-hello.ts'
import { ownShares, sealedCertificates } from '../../main/core/tls/sealed-flight.ts'
import { readServerReply, type TlsObservation } from '../../main/core/tls/server-reply.ts'
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
  test('of TLS 1.0 is what RFC 2246 specifies, byte by byte', () => {
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
    return tlsTargets(reachableTcp(listeners, []), {
      sshPort: 2222,
      own: new Set(['10.1.2.3']),
      loopback: listeners.filter(({ loopback }) => loopback),
    })
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

  // A program that prints every byte does not call itself an exporter of Prometheus, which may use TLS there (--web.config.file).
  test('a port of printers is asked where a program that measures servers holds it alone', () => {
    const asked = (...processes: readonly string[]): readonly number[] => {
      const users = processes.map((name, at) => `("${name}",pid=${at + 1},fd=3)`).join(',')
      const { listeners } = fact(parseListeners(`${row('0.0.0.0:9100')} users:(${users})\n${row('0.0.0.0:515')}`))
      const rules = { sshPort: 22, own: new Set<string>(), loopback: [] }
      return tlsTargets(reachableTcp(listeners, listeners), rules).ask.map(({ port }) => port)
    }
    expect(asked('node_exporter')).toEqual([9100])
    expect(asked('prometheus-node')).toEqual([9100])
    expect(asked('p910nd')).toEqual([])
    expect(asked('node_exporter', 'p910nd')).toEqual([])
  })

  test('each service once, at an address of its own; loopback not at all; no more than 32', () => {
    expect(plan('127.0.0.1:444', '0.0.0.0:443', '10.1.2.3:443', '[::]:445').ask).toEqual([
      { host: '127.0.0.1', port: 443 },
      { host: '10.1.2.3', port: 443 },
      { host: '::1', port: 445 },
    ])
    const many = plan(...Array.from({ length: 40 }, (_, at) => `0.0.0.0:${3000 + at}`))
    expect([many.ask.length, many.passed.filter(({ why }) => why === 'limit').length]).toEqual([32, 8])
  })
})

describe('only the node itself is contacted', () => {
  const listen = (address: string, processes = ''): string => `tcp LISTEN 0 128 ${address} 0.0.0.0:* ${processes}`
  const plan = (own: readonly string[], ...rows: readonly string[]) => {
    const { listeners } = fact(parseListeners(rows.join('\n')))
    return tlsTargets(reachableTcp(listeners, listeners), {
      sshPort: 22,
      own: new Set(own),
      loopback: listeners.filter(({ loopback }) => loopback),
    })
  }

  test.each(['203.0.113.9', 'evil.example', '[2001:db8::9]', '[::ffff:203.0.113.9]', '[::ffff:0.0.0.0]', '8.8', '1'])(
    'a socket that claims to be at %s is left alone',
    (address) => {
      const { ask, passed } = plan(['10.1.2.3'], listen(`${address}:443`))
      expect([ask, passed.map(({ why }) => why)]).toEqual([[], ['foreign']])
    },
  )

  test('the kernel’s source addresses are the node’s own; names and what a person routed are not', () => {
    const routes = [
      { dst: '10.1.0.0/16', protocol: 'kernel', prefsrc: '10.1.2.3' },
      { dst: '0.0.0.0/0', protocol: 'static', prefsrc: '203.0.113.9' },
      { dst: 'x', protocol: 'kernel', prefsrc: 'evil.example' },
    ]
    expect(ownAddresses(JSON.stringify(routes))).toEqual(['10.1.2.3'])
    for (const text of ['', '{}', '[1]', '[{"prefsrc":1}]', 'null']) expect(ownAddresses(text)).toEqual([])
  })

  test('an adapter looks up no name', async () => {
    const client = { once: () => {}, forwardOut: () => expect.unreachable() } as unknown as Client
    for (const host of ['evil.example', '', 'localhost', '10.1.2.3.example', 'fe80::1%eth0'])
      expect(await dial(client, host, 443)).toEqual({ ok: false, why: 'failed' })
  })

  test('what another socket would answer for it is not asked for', () => {
    expect(plan([], listen('0.0.0.0%eth1:443'), listen('127.0.0.1:443')).passed.map(({ why }) => why)).toEqual([
      'hidden',
    ])
    expect(plan([], listen('0.0.0.0:8443'), listen('127.0.0.1:8443')).ask).toEqual([])
    expect(plan([], listen('0.0.0.0:443'), listen('0.0.0.0%eth1:443')).ask).toEqual([])
  })

  test('by IPv6, a service of another program is asked by itself', () => {
    const by = (name: string): string => `users:(("${name}",pid=7,fd=6))`
    const both = (a: string, b: string) => plan([], listen('0.0.0.0:443', a), listen('[::]:443', b)).ask.length
    expect([both(by('nginx'), by('nginx')), both(by('nginx'), by('other')), both('', '')]).toEqual([1, 2, 2])
  })

  test('a process that calls itself sshd is not taken for the SSH server by the checks', () => {
    const { listeners } = fact(parseListeners(listen('0.0.0.0:8443', 'users:(("sshd",pid=7,fd=6))')))
    const ports = reachablePorts({ listeners }, null, { forwarding: true, ports: [], passed: [] }, 22)
    expect(ports.map(({ listener }) => listener.port)).toEqual([8443])
  })

  test('one address that was passed over takes nothing from the other family', () => {
    const { listeners } = fact(parseListeners(listen('[::]:443')))
    const heard = { host: '127.0.0.1', port: 443 } as unknown as TlsPort
    const tls = { forwarding: true, ports: [heard], passed: [{ host: '::1', port: 443, why: 'time' as const }] }
    expect(listeners.map((one) => observedAt(tls, one))).toEqual([{ seen: null, passed: 'time' }])
  })
})

describe('asking', () => {
  const deps = { clock: realClock, entropy: realEntropy, pause: realPause }
  const one = { ask: [{ host: '127.0.0.1', port: 443 }], passed: [] }
  const answering = (reply: Uint8Array): Dialed => {
    let deliver = (_: Uint8Array): void => {}
    const stream = {
      write: () => deliver(reply),
      onData: (listener: (chunk: Uint8Array) => void) => {
        deliver = listener
      },
      closed: new Promise<never>(() => {}),
      close: () => {},
    }
    return { ok: true, stream }
  }

  test('a transport that cannot forward asks nothing, and reports this', async () => {
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
      let deliver = (_: Uint8Array): void => {}
      const drip = (): void => {
        for (let at = 0; at < 5000; at += 1) deliver(Uint8Array.of(at === 0 ? 22 : 3))
      }
      const onData = (listener: (chunk: Uint8Array) => void): void => {
        deliver = listener
      }
      return { ok: true, stream: { write: drip, onData, closed: new Promise(() => {}), close: () => {} } }
    }
    const seen = await observeTls(deps, { dial }, one, { signal: new AbortController().signal, heard: () => {} })
    expect(seen.asked.map(({ outcome }) => outcome)).toEqual(['silent'])
  })

  /** Says something to each ClientHello in turn, then ends in one way or another. */
  const replying = (turns: readonly (readonly [reply: string, ending: 'ended' | 'lost' | 'open'])[]) => {
    let turn = 0
    return async (): Promise<Dialed> => {
      const [reply, ending] = turns[turn++] ?? ['', 'ended']
      let deliver = (_: Uint8Array): void => {}
      let end = (_: 'ended' | 'lost'): void => {}
      const closed = new Promise<'ended' | 'lost'>((resolve) => {
        end = resolve
      })
      const write = (): void => {
        if (reply !== '') deliver(bytes(reply))
        if (ending !== 'open') end(ending)
      }
      const onData = (listener: (chunk: Uint8Array) => void): void => {
        deliver = listener
      }
      return { ok: true, stream: { write, onData, closed, close: () => {} } }
    }
  }
  const ALERT = '15030300020228'
  const HELLO13 = `1603030038020000340303${'00'.repeat(32)}00130100000c002b00020304003300020018`
  const free = { signal: new AbortController().signal, heard: () => {} }

  test('a session lost in the middle of the last answer declines nothing for the server', async () => {
    const dial = replying([
      [HELLO13, 'ended'],
      [ALERT, 'ended'],
      [ALERT, 'ended'],
      ['', 'lost'],
    ])
    const seen = await observeTls(deps, { dial }, one, free)
    expect([seen.asked, seen.passed.map(({ why }) => why)]).toEqual([[], ['unreached']])
  })

  test('half an answer is neither clear text nor a refusal', async () => {
    const half = await observeTls(deps, { dial: replying([['160303', 'ended']]) }, one, free)
    expect(half.asked.map(({ outcome }) => outcome)).toEqual(['silent'])
    const later = replying([
      [HELLO13, 'ended'],
      ['1603', 'ended'],
    ])
    const [port] = (await observeTls(deps, { dial: later }, one, free)).asked
    expect(port?.hellos?.map(({ hello }) => hello)).toEqual(['1.3', '1.1', '1.0'])
  })

  test('silence within a moment that was too short shows nothing about a port', async () => {
    const ticks = [0n, 0n]
    const short = {
      ...deps,
      clock: { ...realClock, ticks: () => ticks.pop() ?? 29_990_000_000n },
      pause: async () => {},
    }
    const seen = await observeTls(short, { dial: replying([['', 'open']]) }, one, free)
    expect([seen.asked, seen.passed.map(({ why }) => why)]).toEqual([[], ['time']])
  })

  test('a server that never ends costs bounded memory and time', async () => {
    let closed = 0
    const record = Uint8Array.from([23, 3, 3, 0, 0])
    const flood = new Uint8Array(30_000).map((_, at) => record[at % 5] ?? 0)
    const dial = async (): Promise<Dialed> => {
      let deliver = (_: Uint8Array): void => {}
      const write = (): void => {
        deliver(bytes(HELLO13))
        for (let at = 0; at < 1000; at += 1) deliver(flood)
      }
      const onData = (listener: (chunk: Uint8Array) => void): void => {
        deliver = listener
      }
      const close = (): void => {
        closed += 1
      }
      return { ok: true, stream: { write, onData, closed: new Promise(() => {}), close } }
    }
    const seen = await observeTls(deps, { dial }, one, free)
    expect(seen.asked).toHaveLength(1)
    expect(JSON.stringify(seen).length).toBeLessThan(10_000)
    expect(closed).toBeGreaterThan(0)
  })
})

describe('what a record must hold before it supports anything', () => {
  const HELLO12 = `160303002a020000260303${'00'.repeat(32)}00c02f00`
  const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
  const port = (hellos: Readonly<Record<string, string>>): TlsPort | undefined => {
    const rows = Object.entries(hellos).map(([hello, reply]) => ({ hello, reply: base64(reply) }))
    const asked = [{ host: '127.0.0.1', port: 443, outcome: 'tls', hellos: rows }]
    const text = JSON.stringify({ forwarding: 'used', asked, passed: [] })
    return fact(tlsListeners.parse({ listeners: answer(text) })).ports[0]
  }
  const ALERT = '15030300020228'

  test('weak suites that were not asked for are open where a version below 1.3 is offered', () => {
    const versions = { '1.3': ALERT, '1.2': HELLO12, '1.1': ALERT, '1.0': ALERT }
    expect(port(versions)?.isWeakOpen).toBe(true)
    expect(port({ ...versions, weak: ALERT })?.isWeakOpen).toBe(false)
    expect(port({ '1.3': ALERT })?.isWeakOpen).toBe(false)
  })

  test('a version above the offer, or a suite of another version, answers nothing', () => {
    expect(port({ '1.0': HELLO12 })).toMatchObject({ accepted: [], open: ['1.3', '1.2', '1.1', '1.0'] })
    expect(port({ '1.2': HELLO12.replace('c02f', '1301') })).toMatchObject({ accepted: [] })
    expect(port({ other: HELLO12 })).toMatchObject({ accepted: [] })
  })

  test('a certificate whose names are empty names no host', () => {
    const [real] = der('demo-gpu-01')
    if (real === undefined) throw new Error('no certificate')
    const blank = Uint8Array.from(real)
    const at = Buffer.from(real).indexOf(Buffer.from('301d0603551d', 'hex'))
    expect(at).toBeGreaterThan(0)
    const names = certificateFields(real)?.names ?? []
    const dns = Buffer.from(real).indexOf(Buffer.from(names[0] ?? '', 'latin1'), real.length / 2)
    blank.fill(0x20, dns, dns + (names[0]?.length ?? 0))
    expect(certificateFields(blank)?.names).toEqual(names.slice(1))
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

  test('a list that the program may have cut is none', () => {
    const long = Array.from({ length: 30 }, (_, at) => `gss-group14-sha256-${'a'.repeat(20)}${at}`).join(',')
    expect(readOpensshLog(LOG.replace('curve25519-sha256,', `${long},`)).offer).toBeNull()
  })

  test('lists of a mebibyte, without an end, or of other bytes are none', () => {
    const payload = (list: Uint8Array): Uint8Array => {
      const length = [list.length >> 24, list.length >> 16, list.length >> 8, list.length].map((one) => one & 0xff)
      return Uint8Array.from(Buffer.concat([Buffer.from([20, ...random.subarray(0, 16), ...length]), list]))
    }
    const filled = (size: number, text: string): Uint8Array => Uint8Array.from(Buffer.alloc(size, text))
    for (const list of [filled(1 << 20, 'a,'), filled(1 << 20, 'a'), filled(1 << 20, ','), filled(8, 'é')])
      expect(readKexInit(payload(list))).toBeNull()
    expect(readKexInit(Uint8Array.from([20, ...random.subarray(0, 16), 255, 255, 255, 255, 97]))).toBeNull()
  })
})
