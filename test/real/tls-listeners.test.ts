import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect as connectTcp, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOpensshTransport } from '../../main/adapters/ssh/openssh-transport.ts'
import { createSsh2Transport } from '../../main/adapters/ssh/ssh2-transport.ts'
import { observeTls } from '../../main/app/collect/tls-listeners.ts'
import { tlsListeners } from '../../main/catalog/data-protection/tls/probes.ts'
import type { Connection } from '../../main/core/ports/ports.ts'
import type { TlsObservation } from '../../main/core/tls/server-reply.ts'
import { answer, fact } from '../support/answers.ts'
import { realClock, realEntropy, realPause } from '../support/deps.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { targetOf } from '../support/ssh-target.ts'
import { freePort, isRoot, startSshd, whyNoSshd } from '../support/sshd.ts'

const me = isRoot ? 'root' : (process.env.USER ?? 'nobody')
const never = new AbortController().signal
const why = whyNoSshd ?? (existsSync('/usr/bin/openssl') ? null : 'openssl is not installed')

/** Services on loopback ports: openssl s_server with the given arguments, and one that answers everything with HTTP. */
describeUnless(why, 'TLS through the session', () => {
  let folder = ''
  const servers: ChildProcess[] = []
  let plain: Server
  const ports: Record<string, number> = {}
  const heardByPlain: Buffer[] = []

  const key = (name: string, algorithm: readonly string[]): readonly string[] => {
    const [pem, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)]
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        ...algorithm,
        '-nodes',
        '-keyout',
        pem,
        '-out',
        cert,
        '-days',
        '90',
        '-subj',
        `/CN=${name}`,
      ].concat(['-addext', `subjectAltName=DNS:${name}.test,IP:192.0.2.7`]),
      { stdio: 'ignore' },
    )
    return ['-key', pem, '-cert', cert]
  }
  const serve = async (name: string, args: readonly string[]): Promise<void> => {
    const port = await freePort()
    ports[name] = port
    servers.push(spawn('openssl', ['s_server', '-accept', `127.0.0.1:${port}`, '-quiet', ...args], { stdio: 'ignore' }))
    for (let tries = 0; tries < 100 && !(await listens(port)); tries += 1) await realPause(20)
  }
  const listens = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connectTcp({ host: '127.0.0.1', port }, () => resolve(true)).on('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bw-tls-'))
    const rsa = key('rsa', ['-newkey', 'rsa:2048'])
    const ec = key('ec', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'])
    await Promise.all([
      serve('old', [...rsa, '-cipher', 'ALL:@SECLEVEL=0']),
      serve('only12', [...rsa, '-tls1_2', '-cipher', 'ECDHE-RSA-AES256-GCM-SHA384']),
      serve('only13', [...ec, '-tls1_3']),
      serve('chacha', [...rsa, '-tls1_3', '-groups', 'P-256', '-ciphersuites', 'TLS_CHACHA20_POLY1305_SHA256']),
      serve('retry', [...rsa, '-tls1_3', '-groups', 'P-384']),
    ])
    plain = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        heardByPlain.push(chunk)
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      })
    })
    ports.plain = await freePort()
    plain.listen(ports.plain, '127.0.0.1')
    ports.nobody = await freePort()
  })
  afterAll(() => {
    for (const server of servers) server.kill()
    plain?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const observe = (connection: Connection, names: readonly string[]): Promise<TlsObservation> =>
    observeTls(
      { clock: realClock, entropy: realEntropy, pause: realPause },
      connection,
      { ask: names.map((name) => ({ host: '127.0.0.1', port: ports[name] ?? 0 })), passed: [] },
      { signal: never, heard: () => {} },
    )
  const read = (seen: TlsObservation) => fact(tlsListeners.parse({ listeners: answer(JSON.stringify(seen)) }))
  const withSshd = async (
    config: readonly string[],
    work: (connection: Connection) => Promise<void>,
  ): Promise<void> => {
    const sshd = await startSshd({ config })
    try {
      const opened = must(await createSsh2Transport().connect(targetOf(sshd, me), never))
      // As in a collection: the collector has run and ended before any port is asked.
      const started = must(await opened.exec('sh -s'))
      started.onStdout(() => {})
      started.onStderr(() => {})
      started.end()
      expect(await started.closed).toEqual({ exitCode: 0, lost: false })
      await work(opened)
      opened.close()
      expect(sshd.log().match(/Accepted publickey/g)).toHaveLength(1)
    } finally {
      await sshd.stop()
    }
  }

  test.each([[[]], [['MaxSessions 1']], [['MaxSessions 2']]])(
    'versions, suites and certificates (%j)',
    async (config) => {
      await withSshd(config, async (connection) => {
        const { ports: seen, passed } = read(
          await observe(connection, ['old', 'only12', 'only13', 'chacha', 'retry', 'plain', 'nobody']),
        )
        expect(passed).toEqual([])
        const summary = seen.map(({ outcome, greeting, accepted, weak, staticRsa, open, certificates }) => ({
          outcome,
          says: greeting,
          accepted: accepted.map(({ version, suite }) => `${version} ${suite.toString(16)}`),
          weak: weak.length,
          staticRsa: staticRsa.length,
          open,
          names: certificates.flatMap((one) => one?.names ?? []),
        }))
        const none = { says: '', accepted: [], weak: 0, staticRsa: 0, open: [], names: [] }
        const rsa = ['rsa.test', '192.0.2.7']
        expect(summary).toEqual([
          {
            ...none,
            outcome: 'tls',
            accepted: ['TLS 1.3 1301', 'TLS 1.2 c02f', 'TLS 1.1 c013', 'TLS 1.0 c013'],
            weak: 1,
            staticRsa: 1,
            names: rsa,
          },
          { ...none, outcome: 'tls', accepted: ['TLS 1.2 c030'], names: rsa },
          { ...none, outcome: 'tls', accepted: ['TLS 1.3 1301'], names: ['ec.test', '192.0.2.7'] },
          { ...none, outcome: 'tls', accepted: ['TLS 1.3 1303'], names: rsa },
          { ...none, outcome: 'tls', accepted: ['TLS 1.3 1301'] },
          { ...none, outcome: 'plain', says: 'http' },
          { ...none, outcome: 'failed' },
        ])
      })
    },
  )

  test('a service gets one ClientHello, and nothing after it', async () => {
    heardByPlain.length = 0
    await withSshd([], async (connection) => void (await observe(connection, ['plain'])))
    const bytes = Buffer.concat(heardByPlain)
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([22, 3, 1]))
    expect(bytes.length).toBe(5 + bytes.readUInt16BE(3))
  })

  test.each([[['AllowTcpForwarding no']], [['DisableForwarding yes']]])(
    'a server that forwards nothing leaves the ports unobserved (%j)',
    async (config) => {
      await withSshd(config, async (connection) => {
        const { ports: seen } = read(await observe(connection, ['only12', 'plain']))
        expect(seen.map(({ outcome }) => outcome)).toEqual(['refused', 'refused'])
      })
    },
  )

  test('a session that has ended reaches nothing', async () => {
    await withSshd([], async (connection) => {
      connection.close()
      await realPause(700)
      const { ports: seen, passed } = read(await observe(connection, ['only12', 'plain']))
      expect([seen, passed.map(({ why: reason }) => reason)]).toEqual([[], ['unreached', 'unreached']])
    })
  })

  test('the offer of the key exchange is the same to both transports, and what sshd was configured with', async () => {
    const sshd = await startSshd({
      config: [
        'Ciphers aes256-ctr,chacha20-poly1305@openssh.com',
        'MACs hmac-sha1,hmac-sha2-256',
        'KexAlgorithms curve25519-sha256,sntrup761x25519-sha512@openssh.com',
      ],
    })
    try {
      const [own, system] = [
        await createSsh2Transport().connect(targetOf(sshd, me), never),
        await createOpensshTransport().connect(targetOf(sshd, me), never),
      ]
      if (!own.ok || !system.ok) throw new Error('no connection')
      expect(own.value.offer).toMatchObject({
        kex: ['curve25519-sha256', 'sntrup761x25519-sha512@openssh.com', 'kex-strict-s-v00@openssh.com'],
        hostKey: ['ssh-ed25519'],
        cipherToNode: ['aes256-ctr', 'chacha20-poly1305@openssh.com'],
        cipherFromNode: ['aes256-ctr', 'chacha20-poly1305@openssh.com'],
        macFromNode: ['hmac-sha1', 'hmac-sha2-256'],
        compressionToNode: ['none', 'zlib@openssh.com'],
      })
      expect(system.value.offer).toEqual(own.value.offer)
      expect(system.value.dial).toBeUndefined()
      own.value.close()
      system.value.close()
    } finally {
      await sshd.stop()
    }
  })
})
