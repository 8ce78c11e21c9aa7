import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demoKey } from '../main/adapters/demo/demo-fleet.ts'
import { startDemoServer } from '../main/adapters/demo/server.ts'
import { createSsh2Transport } from '../main/adapters/ssh/ssh2-transport.ts'
import { createFrameReader, type FrameEvent } from '../main/core/collector/frames.ts'
import { planOf } from '../main/core/collector/plan.ts'
import { collectorScript } from '../main/core/collector/script.ts'
import { defineProbe, known, run, runAsRoot } from '../main/core/recording/probe.ts'
import { must } from './support/outcomes.ts'

const probe = defineProbe({
  id: 'demo',
  title: 'Demo',
  why: 'For this test.',
  commands: {
    kernel: run(['/bin/uname', '-r']),
    sshd: runAsRoot(['/usr/sbin/sshd', '-T']),
    absent: run(['/bin/absent']),
    cut: run(['/bin/cut'], { maxBytes: 10 }),
  },
  parse: () => known(null),
})
const answer = (stdout: string, status: 'done' | 'truncated' = 'done') => ({
  stdout: Buffer.from(stdout),
  stderr: Buffer.from(''),
  exitCode: 0,
  status,
})

test('the collector’s script gets its recorded answers over real SSH, and its nonces back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bw-demo-'))
  const [host, login, stranger] = [demoKey(), demoKey(), demoKey()] as const
  const identityFile = join(folder, 'login')
  writeFileSync(identityFile, login.pem, { mode: 0o600 })
  writeFileSync(join(folder, 'stranger'), stranger.pem, { mode: 0o600 })
  const answers = new Map([
    ['demo/kernel', answer('6.1.0\n')],
    ['demo/sshd', answer('port 22\n')],
    ['demo/cut', answer('0123456789', 'truncated')],
  ])
  const server = await startDemoServer({
    hostKeyPem: host.pem,
    clientKey: login.blob,
    answers,
    probes: [probe],
    privilege: 'sudo',
  })
  const target = (file: string) => ({
    node: { name: 'demo', address: '127.0.0.1', port: server.port, user: 'bwaudit', sudo: true },
    trust: { fingerprint: host.fingerprint, knownHostsFiles: [] },
    credentials: { identityFile: file, agent: false },
    transport: 'ssh2' as const,
    jumps: [],
  })
  try {
    const transport = createSsh2Transport()
    expect(await transport.connect(target(join(folder, 'stranger')), AbortSignal.timeout(5000))).toMatchObject({
      ok: false,
      error: { code: 'ssh.auth-refused' },
    })
    const opened = await transport.connect(target(identityFile), AbortSignal.timeout(5000))
    if (!opened.ok) throw new Error(JSON.stringify(opened.error))
    const started = must(await opened.value.exec('sh -s'))
    const nonce = 'a'.repeat(24)
    const reader = createFrameReader(nonce, 4)
    const events: FrameEvent[] = []
    const take = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
      for (const event of reader.push(stream, chunk)) {
        events.push(event)
        if (event.kind === 'end') started.write(Buffer.from('echo me'))
        if (event.kind === 'echo') started.end()
      }
    }
    started.onStdout(take('stdout'))
    started.onStderr(take('stderr'))
    started.write(Buffer.from(collectorScript(planOf([probe], { sudo: true, echo: true }), nonce)))
    expect(await started.closed).toEqual({ exitCode: 0, lost: false })
    opened.value.close()
    const frames = events.flatMap((event) =>
      event.kind === 'frame'
        ? [[event.frame.index, event.frame.exitCode, Buffer.from(event.frame.stdout).toString()]]
        : [],
    )
    expect(frames.sort()).toEqual([
      [0, 0, '6.1.0\n'],
      [1, 127, ''],
      [2, 0, '0123456789 '],
      [3, 0, 'port 22\n'],
    ])
    expect(events[0]).toMatchObject({ kind: 'header', header: { uid: 1000, hasTimeout: true, hasCap: true } })
    expect(
      events.flatMap((event) => (event.kind === 'echo' ? [Buffer.from(event.bytes).toString()] : [])).join(''),
    ).toBe('echo me')
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

// Made by ssh2 1.17: the public key begins with a zero byte, and is a byte short.
const SHORT = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMgAAAAtz
c2gtZWQyNTUxOQAAAB9vu6U48Zi5/Mtnsi0t80crWbwDND6RBiCZSdpNDEWCAAAA
iGyVqo1slaqNAAAAC3NzaC1lZDI1NTE5AAAAH2+7pTjxmLn8y2eyLS3zRytZvAM0
PpEGIJlJ2k0MRYIAAAA/HdjqhZ3LSO1Oc+tjRHY+ZZYOihLDqsFr/1bPnhtBhnFv
u6U48Zi5/Mtnsi0t80crWbwDND6RBiCZSdpNDEWCAAAAAAECAwQFBgc=
-----END OPENSSH PRIVATE KEY-----
`

test('a key that its own library cannot read is made anew', () => {
  const made = [SHORT, SHORT, demoKey().pem]
  const whole = made[2]
  expect(demoKey(() => made.shift() ?? '').pem).toBe(whole)
  expect(() => demoKey(() => SHORT)).toThrow('Malformed')
  for (let times = 0; times < 600; times++) expect(demoKey().blob).toHaveLength(51)
})
