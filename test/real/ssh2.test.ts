import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSsh2Transport } from '../../main/adapters/ssh/ssh2-transport.ts'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import type { ConnectTarget } from '../../main/core/ports/ports.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { runScript, targetOf } from '../support/ssh-target.ts'
import { isRoot, makeKey, type Sshd, startSshd, whyNoSshd, whyNoUsers } from '../support/sshd.ts'

const me = isRoot ? 'root' : (process.env.USER ?? 'nobody')
const never = new AbortController().signal
const connect = (target: ConnectTarget, signal: AbortSignal = never) => createSsh2Transport().connect(target, signal)
const sawAuthentication = (log: string): boolean => /Accepted|Failed|Postponed|userauth|preauth\] publickey/i.test(log)

describeUnless(whyNoSshd, 'ssh2 against OpenSSH', () => {
  let sshd: Sshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(() => sshd?.stop())

  test('logs in, runs sh -s, and states how', async () => {
    const opened = await connect(targetOf(sshd, me))
    if (!opened.ok) throw new Error(JSON.stringify(opened.error))
    expect(opened.value.hostKey).toEqual({
      type: 'ssh-ed25519',
      fingerprint: sshd.hostKey.fingerprint,
      trust: { how: 'fingerprint', detail: 'equals the fingerprint in the fleet file' },
    })
    expect(opened.value.session).toMatchObject({
      transport: 'ssh2',
      authMethod: expect.stringMatching(/^publickey ssh-ed25519 SHA256:/),
      serverVersion: expect.stringContaining('OpenSSH'),
    })
    expect(opened.value.session.algorithms).toMatchObject({
      hostKey: 'ssh-ed25519',
      compressionFromNode: 'zlib@openssh.com',
    })
    const ran = await runScript(opened.value, 'echo out; echo err >&2; id -un; exit 7')
    expect(ran).toEqual({ ok: true, value: { stdout: `out\n${me}\n`, stderr: 'err\n', exitCode: 7, lost: false } })
    expect(sshd.log().match(/Accepted publickey/g)).toHaveLength(1)
    expect(sshd.log()).not.toMatch(/Failed|Postponed/)
  })

  test('a wrong host key ends the connection before any authentication', async () => {
    const before = sshd.log().length
    const trust = { fingerprint: `SHA256:${'A'.repeat(43)}`, knownHostsFiles: [] }
    const opened = await connect(targetOf(sshd, me, { trust }))
    expect(opened).toMatchObject({
      ok: false,
      error: { code: 'ssh.host-key-changed', detail: expect.stringContaining(sshd.hostKey.fingerprint) },
    })
    await settled()
    expect(sshd.log().slice(before)).toContain('Connection')
    expect(sawAuthentication(sshd.log().slice(before))).toBe(false)
  })

  test('an unknown host key is refused with its type and fingerprint', async () => {
    const before = sshd.log().length
    const opened = await connect(targetOf(sshd, me, { trust: { knownHostsFiles: [join(sshd.folder, 'absent')] } }))
    expect(opened).toEqual({
      ok: false,
      error: { code: 'ssh.host-key-unknown', detail: `ssh-ed25519 ${sshd.hostKey.fingerprint}` },
    })
    await settled()
    expect(sawAuthentication(sshd.log().slice(before))).toBe(false)
  })

  test('known_hosts, plain, hashed, changed, revoked and decided', async () => {
    const file = join(sshd.folder, 'known')
    const line = sshd.hostKey.line(`[127.0.0.1]:${sshd.port}`)
    const other = makeKey(join(sshd.folder, 'other-host'))
    const otherLine = `[127.0.0.1]:${sshd.port} ${readFileSync(`${other}.pub`, 'utf8')}`
    const result = async (text: string, decisions?: string) => {
      writeFileSync(file, `# comment\n${text}\n`)
      if (decisions !== undefined) writeFileSync(`${file}.decisions`, decisions)
      const opened = await connect(
        targetOf(sshd, me, {
          trust: {
            knownHostsFiles: [file],
            ...(decisions === undefined ? {} : { decisionsFile: `${file}.decisions` }),
          },
        }),
      )
      if (opened.ok) opened.value.close()
      return opened.ok ? opened.value.hostKey.trust : opened.error.code
    }
    expect(await result(line)).toEqual({ how: 'known-hosts', detail: `${file} line 2` })
    writeFileSync(file, `${line}\n`)
    execFileSync('ssh-keygen', ['-H', '-f', file], { stdio: 'ignore' })
    expect(readFileSync(file, 'utf8')).toMatch(/^\|1\|/)
    expect(await result(readFileSync(file, 'utf8'))).toEqual({ how: 'known-hosts', detail: `${file} line 2` })
    expect(await result(otherLine)).toBe('ssh.host-key-changed')
    expect(await result(`${line}\n@revoked ${sshd.hostKey.line('*')}`)).toBe('ssh.host-key-revoked')
    expect(await result(otherLine, `${line} compared on the console`)).toEqual({
      how: 'decision',
      detail: `${file}.decisions line 1: compared on the console`,
    })
    expect(await result(`@cert-authority * ${readFileSync(`${other}.pub`, 'utf8')}`)).toBe('ssh.no-common-algorithm')
  })

  test('a pasted fingerprint of any of the server’s keys will do', async () => {
    const both = await startSshd({ hostKeyType: 'rsa', config: [`HostKey ${sshd.hostKey.path}`] })
    try {
      const opened = await connect(targetOf(both, me))
      expect(opened).toMatchObject({
        ok: true,
        value: { hostKey: { type: 'ssh-rsa', fingerprint: both.hostKey.fingerprint } },
      })
      if (opened.ok) opened.value.close()
      const trust = { fingerprint: `SHA256:${'A'.repeat(43)}`, knownHostsFiles: [] }
      expect(await connect(targetOf(both, me, { trust }))).toMatchObject({
        ok: false,
        error: { code: 'ssh.host-key-changed', detail: expect.stringContaining('ssh-ed25519') },
      })
      await settled()
      expect(both.log().match(/Accepted publickey|Failed publickey/g)).toHaveLength(1)
    } finally {
      await both.stop()
    }
  })

  test('a refused key is one attempt', async () => {
    const before = sshd.log().length
    const wrong = makeKey(join(sshd.folder, 'wrong'))
    const opened = await connect(targetOf(sshd, me, { credentials: { identityFile: wrong, agent: false } }))
    expect(opened).toMatchObject({ ok: false, error: { code: 'ssh.auth-refused' } })
    await settled()
    expect(
      sshd
        .log()
        .slice(before)
        .match(/Failed publickey/g) ?? [],
    ).toHaveLength(1)
  })

  test('RSA, ECDSA, PEM and encrypted keys', async () => {
    const keys = [
      makeKey(join(sshd.folder, 'rsa'), 'rsa'),
      makeKey(join(sshd.folder, 'ecdsa'), 'ecdsa'),
      makeKey(join(sshd.folder, 'pem'), 'rsa', '', ['-m', 'PEM']),
    ]
    const locked = makeKey(join(sshd.folder, 'locked'), 'ed25519', 'open sesame')
    const accepted = join(sshd.folder, 'authorized_keys')
    writeFileSync(
      accepted,
      readFileSync(accepted, 'utf8') + [...keys, locked].map((key) => readFileSync(`${key}.pub`, 'utf8')).join(''),
    )
    for (const identityFile of keys) {
      const opened = await connect(targetOf(sshd, me, { credentials: { identityFile, agent: false } }))
      expect([identityFile, opened.ok]).toEqual([identityFile, true])
      if (opened.ok) opened.value.close()
    }
    const attempt = async (answer?: string | null) => {
      const ask = answer === undefined ? {} : { ask: async () => answer }
      const opened = await connect(targetOf(sshd, me, { credentials: { identityFile: locked, agent: false, ...ask } }))
      if (opened.ok) opened.value.close()
      return opened.ok ? 'in' : opened.error.code
    }
    expect(await attempt()).toBe('ssh.passphrase-needed')
    expect(await attempt(null)).toBe('ssh.passphrase-needed')
    expect(await attempt('wrong')).toBe('ssh.passphrase-needed')
    expect(await attempt('open sesame')).toBe('in')
  })

  test('an agent: alone, and for a locked identity file', async () => {
    const socket = join(sshd.folder, 'agent')
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
    const before = process.env.SSH_AUTH_SOCK
    process.env.SSH_AUTH_SOCK = socket
    try {
      for (let tries = 0; tries < 100 && !addKey(sshd.clientKey); tries++)
        await new Promise((resolve) => setTimeout(resolve, 20))
      const noFile = await connect(targetOf(sshd, me, { credentials: { agent: true } }))
      expect(noFile).toMatchObject({
        ok: true,
        value: { session: { authMethod: expect.stringContaining('publickey ssh-ed25519') } },
      })
      if (noFile.ok) noFile.value.close()
      const locked = join(sshd.folder, 'client-locked')
      writeFileSync(locked, readFileSync(sshd.clientKey), { mode: 0o600 })
      writeFileSync(`${locked}.pub`, readFileSync(`${sshd.clientKey}.pub`))
      execFileSync('ssh-keygen', ['-q', '-p', '-N', 'secret', '-f', locked], { stdio: 'ignore' })
      const withFile = await connect(targetOf(sshd, me, { credentials: { identityFile: locked, agent: false } }))
      expect(withFile.ok).toBe(true)
      if (withFile.ok) withFile.value.close()
    } finally {
      agent.kill()
      if (before === undefined) delete process.env.SSH_AUTH_SOCK
      else process.env.SSH_AUTH_SOCK = before
    }
  })

  test('two jump hosts, each verified; a jump host whose key is wrong', async () => {
    const [inner, middle] = [await startSshd(), await startSshd()]
    try {
      const hop = (server: Sshd, name: string) => {
        const { jumps: _, ...rest } = targetOf(server, me, { name })
        return rest
      }
      const transport = createSsh2Transport()
      const opened = await transport.connect(
        targetOf(inner, me, { jumps: [hop(sshd, 'outer'), hop(middle, 'middle')] }),
        never,
      )
      if (!opened.ok) throw new Error(JSON.stringify(opened.error))
      expect(opened.value.session.jump).toEqual(['outer', 'middle'])
      expect(await runScript(opened.value, 'echo through')).toMatchObject({
        ok: true,
        value: { stdout: 'through\n', exitCode: 0 },
      })
      const again = await transport.connect(
        targetOf(inner, me, { jumps: [hop(sshd, 'outer'), hop(middle, 'middle')] }),
        never,
      )
      if (again.ok) again.value.close()
      expect(again.ok).toBe(true)
      expect(middle.log().match(/Accepted publickey/g)).toHaveLength(1)
      const wrong = {
        ...hop(middle, 'middle'),
        trust: { fingerprint: `SHA256:${'B'.repeat(43)}`, knownHostsFiles: [] },
      }
      expect(await connect(targetOf(inner, me, { jumps: [wrong] }))).toMatchObject({
        ok: false,
        error: { code: 'ssh.host-key-changed', detail: expect.stringContaining('jump host middle') },
      })
    } finally {
      await inner.stop()
      await middle.stop()
    }
  })

  test('forty nodes behind a bastion that allows few logins at once: one login there, none lost', async () => {
    const bastion = await startSshd({ config: ['MaxStartups 2:100:2', 'MaxSessions 0'] })
    const inner = await startSshd({ config: ['MaxStartups 100'] })
    try {
      const { jumps: _, ...hop } = targetOf(bastion, me, { name: 'bastion' })
      const transport = createTransport({ perSecond: 200 })
      const nodes = Array.from({ length: 40 }, (_, index) =>
        targetOf(inner, me, { name: `node-${index}`, jumps: [hop] }),
      )
      const ran = await Promise.all(
        nodes.map(async (node) => {
          const opened = await transport.connect(node, never)
          return opened.ok ? await runScript(opened.value, 'echo here') : opened
        }),
      )
      expect(ran.filter((one) => one.ok && one.value.stdout === 'here\n')).toHaveLength(40)
      expect(bastion.log().match(/Accepted publickey/g)).toHaveLength(1)
      expect(inner.log().match(/Accepted publickey/g)).toHaveLength(40)
    } finally {
      await inner.stop()
      await bastion.stop()
    }
  })

  test('a bastion that refuses our login is asked once, not once per node', async () => {
    const bastion = await startSshd({ config: ['AuthorizedKeysFile none'] })
    try {
      const { jumps: _, ...hop } = targetOf(bastion, me, { name: 'bastion' })
      const transport = createTransport({ perSecond: 200 })
      const all = await Promise.all(
        Array.from({ length: 5 }, () => transport.connect(targetOf(sshd, me, { jumps: [hop] }), never)),
      )
      expect(all.map((one) => (one.ok ? 'in' : one.error.code))).toEqual(Array(5).fill('ssh.jump-failed'))
      await transport.connect(targetOf(sshd, me, { jumps: [hop] }), never)
      await settled()
      expect(bastion.log().match(/Failed publickey/g)).toHaveLength(1)
    } finally {
      await bastion.stop()
    }
  })

  test('a jump host that forbids forwarding', async () => {
    const closed = await startSshd({ config: ['AllowTcpForwarding no'] })
    try {
      const { jumps: _, ...hop } = targetOf(closed, me, { name: 'bastion' })
      expect(await connect(targetOf(sshd, me, { jumps: [hop] }))).toMatchObject({
        ok: false,
        error: { code: 'ssh.jump-failed' },
      })
    } finally {
      await closed.stop()
    }
  })

  test('MaxSessions 1, ForceCommand, and a server with post-quantum key exchange only', async () => {
    const odd = await startSshd({ config: ['MaxSessions 1', 'ForceCommand echo forced'] })
    const strict = await startSshd({ config: ['KexAlgorithms sntrup761x25519-sha512@openssh.com'] })
    try {
      const opened = must(await connect(targetOf(odd, me)))
      expect(await runScript(opened, 'echo mine')).toMatchObject({
        ok: true,
        value: { stdout: 'forced\n', exitCode: 0 },
      })
      const single = must(await connect(targetOf(odd, me)))
      await single.exec('sh -s')
      expect(await single.exec('sh -s')).toMatchObject({ ok: false, error: { code: 'ssh.channel-refused' } })
      single.close()
      expect(await connect(targetOf(strict, me))).toMatchObject({
        ok: false,
        error: { code: 'ssh.no-common-algorithm', detail: expect.stringContaining('key exchange') },
      })
    } finally {
      await odd.stop()
      await strict.stop()
    }
  })

  test('a session that is cut, and one that is stopped by us', async () => {
    const cut = must(await connect(targetOf(sshd, me)))
    const ran = await runScript(cut, 'echo first; sleep 0.3; kill -9 $PPID; sleep 5')
    expect(ran).toMatchObject({ ok: true, value: { stdout: 'first\n', exitCode: null, lost: true } })
    const stopped = must(await connect(targetOf(sshd, me)))
    const process = must(await stopped.exec('sh -s'))
    process.onStdout(() => process.kill())
    process.onStderr(() => {})
    process.write(Buffer.from('while :; do echo y; done'))
    process.end()
    expect(await process.closed).toMatchObject({ lost: true })
  })
})

describeUnless(whyNoUsers, 'accounts of a test server', () => {
  let sshd: Sshd
  beforeAll(async () => {
    sshd = await startSshd({
      users: [
        { name: 'bwtest', password: 'pass phrase' },
        { name: 'bwmfa', password: 'pass phrase' },
      ],
      config: ['UsePAM yes', 'KbdInteractiveAuthentication yes', 'PasswordAuthentication yes'],
      match: ['Match User bwmfa', 'AuthenticationMethods publickey,keyboard-interactive'],
    })
  })
  afterAll(() => sshd?.stop())

  test('an unprivileged login', async () => {
    const opened = await connect(targetOf(sshd, 'bwtest'))
    if (!opened.ok) throw new Error(JSON.stringify(opened.error))
    expect(await runScript(opened.value, 'id -u')).toMatchObject({ ok: true, value: { stdout: '4200\n' } })
  })

  test('keyboard-interactive by a person, once; without a person there is no attempt', async () => {
    const asked: string[] = []
    const ask = async (question: string): Promise<string> => {
      asked.push(question)
      return 'pass phrase'
    }
    const opened = await connect(targetOf(sshd, 'bwtest', { credentials: { agent: false, ask } }))
    expect(opened).toMatchObject({ ok: true, value: { session: { authMethod: 'keyboard-interactive' } } })
    if (opened.ok) opened.value.close()
    expect(asked).toHaveLength(1)
    const before = sshd.log().length
    const wrong = await connect(targetOf(sshd, 'bwtest', { credentials: { agent: false, ask: async () => 'wrong' } }))
    expect(wrong).toMatchObject({ ok: false, error: { code: 'ssh.auth-refused' } })
    await settled()
    expect(
      sshd
        .log()
        .slice(before)
        .match(/Failed (keyboard-interactive|password)/g) ?? [],
    ).toHaveLength(1)
    expect(await connect(targetOf(sshd, 'bwtest', { credentials: { agent: false } }))).toMatchObject({
      ok: false,
      error: { code: 'ssh.no-credential' },
    })
  })

  test.each([['bwtest'], ['bwmfa']])('%s is asked, no person is there, and nothing is sent', async (user) => {
    const before = sshd.log().length
    const identityFile = user === 'bwmfa' ? { identityFile: sshd.clientKey } : {}
    const credentials = { ...identityFile, agent: false, ask: async () => null }
    const opened = await connect(targetOf(sshd, user, { credentials }))
    expect(opened).toMatchObject({ ok: false, error: { code: 'ssh.answer-needed' } })
    await settled()
    expect(sshd.log().slice(before)).not.toMatch(/Failed|PAM: Authentication failure/)
  })

  test('a key, and then a question', async () => {
    const opened = await connect(
      targetOf(sshd, 'bwmfa', {
        credentials: { identityFile: sshd.clientKey, agent: false, ask: async () => 'pass phrase' },
      }),
    )
    expect(opened).toMatchObject({
      ok: true,
      value: { session: { authMethod: expect.stringMatching(/^publickey .* \+ keyboard-interactive$/) } },
    })
    if (opened.ok) opened.value.close()
  })
})

describe('ssh2 against servers that misbehave', () => {
  const servers: Server[] = []
  const sockets: Socket[] = []
  afterAll(() => {
    for (const server of servers) server.close()
    for (const socket of sockets) socket.destroy()
  })
  const misbehaving = (behave: (socket: Socket) => void): Promise<{ port: number; connections: () => number }> =>
    new Promise((resolve) => {
      let connections = 0
      const server = createServer((socket) => {
        connections++
        sockets.push(socket)
        socket.on('error', () => {})
        behave(socket)
      })
      servers.push(server)
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve({
          port: typeof address === 'object' && address !== null ? address.port : 0,
          connections: () => connections,
        })
      })
    })
  const at = (port: number): ConnectTarget => ({
    node: { name: 'odd', address: '127.0.0.1', port, user: 'x', sudo: false },
    trust: { knownHostsFiles: [] },
    credentials: { agent: false, ask: async () => null },
    transport: 'ssh2',
    jumps: [],
  })

  test('no server listens', async () => {
    const { port } = await misbehaving(() => {})
    await new Promise((resolve) => servers.pop()?.close(resolve))
    expect(await connect(at(port))).toMatchObject({
      ok: false,
      error: { code: 'ssh.unreachable', detail: expect.stringContaining('connection refused') },
    })
  })
  test('closes at once: tried again, then named', async () => {
    const server = await misbehaving((socket) => socket.end())
    expect(await connect(at(server.port))).toMatchObject({ ok: false, error: { code: 'ssh.lost' } })
    expect(server.connections()).toBe(3)
  })
  test('never answers: ends in time', async () => {
    const { port } = await misbehaving(() => {})
    expect(await connect(at(port))).toMatchObject({ ok: false, error: { code: 'ssh.timed-out' } })
  })
  test('never answers, and we stop', async () => {
    const { port } = await misbehaving(() => {})
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 200)
    expect(await connect(at(port), controller.signal)).toMatchObject({ ok: false, error: { code: 'run.cancelled' } })
  })
  test('sends another protocol, or garbage, or endlessly', async () => {
    const web = await misbehaving((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await connect(at(web.port))).toMatchObject({ ok: false })
    const noise = await misbehaving((socket) =>
      socket.write(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.alloc(5000, 0xff)])),
    )
    expect(await connect(at(noise.port))).toMatchObject({ ok: false })
    const flood = await misbehaving((socket) => {
      const timer = setInterval(() => socket.write('a'.repeat(65_536)), 1)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await connect(at(flood.port))).toMatchObject({ ok: false })
  })
})

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300))

function addKey(path: string): boolean {
  try {
    execFileSync('ssh-add', ['-q', path], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
