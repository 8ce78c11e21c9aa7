import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHostKeys } from '../../main/adapters/ssh/host-keys.ts'
import { createOpensshTransport } from '../../main/adapters/ssh/openssh-transport.ts'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import type { ConnectTarget } from '../../main/core/ports/ports.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { runScript, targetOf } from '../support/ssh-target.ts'
import { isRoot, makeKey, type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'

const me = isRoot ? 'root' : (process.env.USER ?? 'nobody')
const never = new AbortController().signal
const why = whyNoSshd ?? (existsSync('/usr/bin/ssh') ? null : 'the OpenSSH client is not installed')
const openssh = (target: ConnectTarget, signal = never) =>
  createOpensshTransport({ userConfig: [] }).connect(target, signal)
const auto = (target: ConnectTarget, signal = never) =>
  createTransport().connect({ ...target, transport: 'auto' }, signal)
const sawAuthentication = (log: string): boolean => /Accepted|Failed|Postponed|userauth/i.test(log)
const leftOvers = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('barewitness-ssh-'))

describeUnless(why, 'the system ssh program', () => {
  let sshd: Sshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(() => sshd?.stop())

  test('logs in, runs sh -s, states how, keeps both streams apart, and leaves nothing behind', async () => {
    const before = leftOvers()
    const opened = await openssh(targetOf(sshd, me))
    if (!opened.ok) throw new Error(JSON.stringify(opened.error))
    expect(opened.value.hostKey).toEqual({
      type: 'ssh-ed25519',
      fingerprint: sshd.hostKey.fingerprint,
      trust: { how: 'fingerprint', detail: 'equals the fingerprint in the fleet file' },
    })
    expect(opened.value.session).toMatchObject({
      transport: 'openssh',
      authMethod: expect.stringMatching(/^publickey ED25519 SHA256:/),
      serverVersion: expect.stringContaining('OpenSSH'),
    })
    expect(opened.value.session.algorithms).toMatchObject({
      hostKey: 'ssh-ed25519',
      compressionFromNode: 'zlib@openssh.com',
    })
    expect(await runScript(opened.value, 'echo out; echo err >&2; echo "debug1: Exit status 0" >&2; exit 7')).toEqual({
      ok: true,
      value: { stdout: 'out\n', stderr: 'err\ndebug1: Exit status 0\n', exitCode: 7, lost: false },
    })
    expect(sshd.log().match(/Accepted publickey/g)).toHaveLength(1)
    expect(leftOvers()).toEqual(before)
  })

  test('wrong, unknown, changed and revoked host keys: no authentication', async () => {
    const before = sshd.log().length
    const file = join(sshd.folder, 'known')
    const other = makeKey(join(sshd.folder, 'other'))
    const otherLine = `[127.0.0.1]:${sshd.port} ${readFileSync(`${other}.pub`, 'utf8')}`
    const line = sshd.hostKey.line(`[127.0.0.1]:${sshd.port}`)
    const shown = `ssh-ed25519 ${sshd.hostKey.fingerprint}`
    const attempt = async (trust: ConnectTarget['trust']) => {
      const opened = await openssh(targetOf(sshd, me, { trust }))
      return opened.ok ? opened.value.hostKey : opened.error
    }
    const wrong = `SHA256:${'A'.repeat(43)}`
    expect(await attempt({ fingerprint: wrong, knownHostsFiles: [] })).toEqual({
      code: 'ssh.host-key-changed',
      detail: `${shown} was shown; on record in the fleet file: ${wrong}`,
    })
    expect(await attempt({ knownHostsFiles: [] })).toEqual({ code: 'ssh.host-key-unknown', detail: shown })
    writeFileSync(file, otherLine)
    expect(await attempt({ knownHostsFiles: [file] })).toMatchObject({ code: 'ssh.host-key-changed' })
    writeFileSync(file, `${line}\n@revoked ${sshd.hostKey.line('*')}\n`)
    expect(await attempt({ knownHostsFiles: [file] })).toMatchObject({ code: 'ssh.host-key-revoked' })
    expect(await attempt({ fingerprint: sshd.hostKey.fingerprint, knownHostsFiles: [file] })).toMatchObject({
      code: 'ssh.host-key-revoked',
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(sawAuthentication(sshd.log().slice(before))).toBe(false)
  })

  test('known_hosts and decisions confirm by file and line', async () => {
    const file = join(sshd.folder, 'known-2')
    const line = sshd.hostKey.line(`[127.0.0.1]:${sshd.port}`)
    const trustOf = async (trust: ConnectTarget['trust']) => {
      const opened = await openssh(targetOf(sshd, me, { trust }))
      if (!opened.ok) throw new Error(JSON.stringify(opened.error))
      opened.value.close()
      return opened.value.hostKey.trust
    }
    writeFileSync(file, `# first\n${line}\n`)
    expect(await trustOf({ knownHostsFiles: [file] })).toEqual({ how: 'known-hosts', detail: `${file} line 2` })
    writeFileSync(file, `${line} read on the console\n`)
    expect(await trustOf({ knownHostsFiles: [], decisionsFile: file })).toMatchObject({
      how: 'decision',
      detail: expect.stringContaining('read on the console'),
    })
    expect(
      await trustOf({ fingerprint: `SHA256:${'A'.repeat(43)}`, knownHostsFiles: [], decisionsFile: file }),
    ).toMatchObject({ how: 'decision' })
  })

  test('post-quantum key exchange only: chosen by itself; the key can be scanned too', async () => {
    const strict = await startSshd({ config: ['KexAlgorithms sntrup761x25519-sha512@openssh.com'] })
    try {
      const opened = await auto(targetOf(strict, me))
      expect(opened).toMatchObject({
        ok: true,
        value: { session: { transport: 'openssh', algorithms: { kex: expect.stringContaining('sntrup761') } } },
      })
      if (opened.ok)
        expect(await runScript(opened.value, 'echo hi')).toMatchObject({
          ok: true,
          value: { stdout: 'hi\n', exitCode: 0 },
        })
      const before = strict.log().length
      const scanned = await createHostKeys().scan(
        { ...targetOf(strict, me, { transport: 'auto' }), trust: { knownHostsFiles: [] } },
        never,
      )
      expect(scanned).toMatchObject({
        ok: true,
        value: { type: 'ssh-ed25519', fingerprint: strict.hostKey.fingerprint },
      })
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(sawAuthentication(strict.log().slice(before))).toBe(false)
    } finally {
      await strict.stop()
    }
  })

  test('a user certificate beside the key file', async () => {
    const authority = makeKey(join(sshd.folder, 'user-ca'))
    const strict = await startSshd({ config: [`TrustedUserCAKeys ${authority}.pub`, 'AuthorizedKeysFile none'] })
    try {
      const key = makeKey(join(strict.folder, 'carol'))
      execFileSync('ssh-keygen', ['-q', '-s', authority, '-I', 'carol', '-n', me, `${key}.pub`])
      const opened = await auto(targetOf(strict, me, { credentials: { identityFile: key, agent: false } }))
      expect(opened).toMatchObject({
        ok: true,
        value: { session: { transport: 'openssh', authMethod: expect.stringContaining('publickey ED25519-CERT') } },
      })
      if (opened.ok) opened.value.close()
    } finally {
      await strict.stop()
    }
  })

  test('a certificate in the agent', async () => {
    const authority = makeKey(join(sshd.folder, 'agent-ca'))
    const strict = await startSshd({ config: [`TrustedUserCAKeys ${authority}.pub`, 'AuthorizedKeysFile none'] })
    const key = makeKey(join(strict.folder, 'dave'))
    execFileSync('ssh-keygen', ['-q', '-s', authority, '-I', 'dave', '-n', me, `${key}.pub`])
    const socket = join(strict.folder, 'agent')
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
    const saved = process.env.SSH_AUTH_SOCK
    process.env.SSH_AUTH_SOCK = socket
    try {
      for (let tries = 0; tries < 100 && !existsSync(socket); tries++)
        await new Promise((resolve) => setTimeout(resolve, 20))
      execFileSync('ssh-add', ['-q', key], { stdio: 'ignore' })
      const opened = await auto(targetOf(strict, me, { credentials: { agent: true } }))
      expect(opened).toMatchObject({
        ok: true,
        value: { session: { transport: 'openssh', authMethod: expect.stringContaining('CERT') } },
      })
      if (opened.ok) opened.value.close()
    } finally {
      agent.kill()
      if (saved === undefined) delete process.env.SSH_AUTH_SOCK
      else process.env.SSH_AUTH_SOCK = saved
      await strict.stop()
    }
  })

  test('a host certificate authority', async () => {
    const authority = makeKey(join(sshd.folder, 'host-ca'))
    copyFileSync(sshd.hostKey.path, join(sshd.folder, 'certified'))
    copyFileSync(`${sshd.hostKey.path}.pub`, join(sshd.folder, 'certified.pub'))
    execFileSync('ssh-keygen', [
      '-q',
      '-s',
      authority,
      '-I',
      'node-7',
      '-h',
      '-n',
      '127.0.0.1',
      join(sshd.folder, 'certified.pub'),
    ])
    const certified = await startSshd({
      config: [
        `HostKey ${join(sshd.folder, 'certified')}`,
        `HostCertificate ${join(sshd.folder, 'certified-cert.pub')}`,
      ],
    })
    try {
      const known = join(certified.folder, 'ca')
      writeFileSync(known, `@cert-authority * ${readFileSync(`${authority}.pub`, 'utf8')}`)
      const opened = await auto(targetOf(certified, me, { trust: { knownHostsFiles: [known] } }))
      expect(opened).toMatchObject({
        ok: true,
        value: {
          session: { transport: 'openssh' },
          hostKey: {
            fingerprint: sshd.hostKey.fingerprint,
            trust: { how: 'host-ca', detail: expect.stringContaining('ID "node-7"') },
          },
        },
      })
      if (opened.ok) opened.value.close()
      const stranger = makeKey(join(certified.folder, 'stranger'))
      writeFileSync(known, `@cert-authority * ${readFileSync(`${stranger}.pub`, 'utf8')}`)
      expect(await auto(targetOf(certified, me, { trust: { knownHostsFiles: [known] } }))).toMatchObject({
        ok: false,
        error: { code: 'ssh.host-key-unknown' },
      })
    } finally {
      await certified.stop()
    }
  })

  test('through two jump hosts, each verified by its own fingerprint', async () => {
    const [inner, middle] = [await startSshd(), await startSshd()]
    try {
      const hop = (server: Sshd, name: string, fingerprint = server.hostKey.fingerprint) => {
        const { jumps: _, ...rest } = targetOf(server, me, { name, trust: { fingerprint, knownHostsFiles: [] } })
        return rest
      }
      const opened = await openssh(targetOf(inner, me, { jumps: [hop(sshd, 'outer'), hop(middle, 'middle')] }))
      if (!opened.ok) throw new Error(JSON.stringify(opened.error))
      expect(opened.value.session.jump).toEqual(['outer', 'middle'])
      expect(await runScript(opened.value, 'echo through; echo quiet >&2')).toMatchObject({
        ok: true,
        value: { stdout: 'through\n', stderr: 'quiet\n', exitCode: 0 },
      })
      expect(
        await openssh(targetOf(inner, me, { jumps: [hop(middle, 'middle', `SHA256:${'B'.repeat(43)}`)] })),
      ).toMatchObject({
        ok: false,
        error: { code: 'ssh.host-key-changed', detail: expect.stringContaining('jump host middle') },
      })
    } finally {
      await inner.stop()
      await middle.stop()
    }
  })

  test('the user’s own configuration counts where a node asks for this client, but cannot loosen ours', async () => {
    const config = join(sshd.folder, 'user config')
    writeFileSync(
      config,
      `Host gpu\n  HostName 127.0.0.1\n  ProxyCommand nc 127.0.0.1 ${sshd.port}\n  StrictHostKeyChecking no\n  ForwardAgent yes\n`,
    )
    const target = {
      ...targetOf(sshd, me, { transport: 'openssh' }),
      trust: { fingerprint: sshd.hostKey.fingerprint, knownHostsFiles: [] },
    }
    const named = { ...target, node: { ...target.node, address: 'gpu' } }
    const connect = (one: ConnectTarget) => createOpensshTransport({ userConfig: [config] }).connect(one, never)
    const hasNetcat = existsSync('/bin/nc') || existsSync('/usr/bin/nc')
    if (!hasNetcat) writeFileSync(config, `Host gpu\n  HostName 127.0.0.1\n  StrictHostKeyChecking no\n`)
    const opened = await connect(named)
    if (!opened.ok) throw new Error(JSON.stringify(opened.error))
    opened.value.close()
    expect(await connect({ ...named, trust: { knownHostsFiles: [] } })).toMatchObject({
      ok: false,
      error: { code: 'ssh.host-key-unknown' },
    })
  })

  test('failures have names: refused key, passphrase, no listener, no forced luck, cancelled, cut', async () => {
    const wrong = makeKey(join(sshd.folder, 'wrong'))
    const locked = makeKey(join(sshd.folder, 'locked'), 'ed25519', 'secret')
    appendFileSync(join(sshd.folder, 'authorized_keys'), readFileSync(`${locked}.pub`))
    const code = async (target: ConnectTarget, signal = never) => {
      const opened = await openssh(target, signal)
      return opened.ok ? 'in' : opened.error.code
    }
    const before = sshd.log().length
    expect(await code(targetOf(sshd, me, { credentials: { identityFile: wrong, agent: false } }))).toBe(
      'ssh.auth-refused',
    )
    expect(await code(targetOf(sshd, me, { credentials: { identityFile: locked, agent: false } }))).toBe(
      'ssh.passphrase-needed',
    )
    expect(sshd.log().slice(before)).not.toContain('Accepted publickey')
    expect(await code({ ...targetOf({ ...sshd, port: 1 }, me) })).toBe('ssh.unreachable')
    expect(
      await code({ ...targetOf(sshd, me), node: { ...targetOf(sshd, me).node, address: '-oProxyCommand=x' } }),
    ).toBe('input.refused')
    const controller = new AbortController()
    controller.abort()
    expect(await code(targetOf(sshd, me), controller.signal)).toBe('run.cancelled')
    const cut = must(await openssh(targetOf(sshd, me)))
    expect(await runScript(cut, 'echo first; sleep 0.3; kill -9 $PPID; sleep 5')).toMatchObject({
      ok: true,
      value: { stdout: 'first\n', exitCode: null, lost: true },
    })
  })

  test('a scanned key is judged and recorded, and then trusted', async () => {
    const keys = createHostKeys()
    const decisionsFile = join(sshd.folder, 'decisions')
    const target = targetOf(sshd, me, { transport: 'auto', trust: { knownHostsFiles: [], decisionsFile } })
    const scanned = must(await keys.scan(target, never))
    expect(await keys.decide(target, scanned)).toMatchObject({
      ok: false,
      error: { code: 'ssh.host-key-unknown', detail: `ssh-ed25519 ${sshd.hostKey.fingerprint}` },
    })
    writeFileSync(
      decisionsFile,
      `# kept\n[127.0.0.1]:${sshd.port} ssh-ed25519 ${readFileSync(`${makeKey(join(sshd.folder, 'older'))}.pub`, 'utf8').split(' ')[1]} older\n`,
    )
    expect(await keys.decide(target, scanned)).toMatchObject({
      ok: false,
      error: { code: 'ssh.host-key-changed' },
    })
    expect(await keys.record(decisionsFile, target, scanned, 'read on the console by M. Ortiz')).toEqual({
      ok: true,
      value: null,
    })
    expect(readFileSync(decisionsFile, 'utf8')).toMatch(
      /^# kept\n\[127[^\n]+ \d{4}-\d\d-\d\d read on the console by M\. Ortiz\n$/,
    )
    const opened = await auto(target)
    expect(opened).toMatchObject({
      ok: true,
      value: { hostKey: { trust: { how: 'decision', detail: expect.stringContaining('M. Ortiz') } } },
    })
    if (opened.ok) opened.value.close()
  })
})
