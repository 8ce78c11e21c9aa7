import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOpensshTransport } from '../../main/adapters/ssh/openssh-transport.ts'
import { createSsh2Transport } from '../../main/adapters/ssh/ssh2-transport.ts'
import { observeSshServers } from '../../main/app/collect/observe-listeners.ts'
import { accessSshdAllowList, accessSshdPasswordAuth } from '../../main/catalog/access/sshd/checks.ts'
import { sshdConditions, sshdContexts, sshdEffective, sshProcesses } from '../../main/catalog/access/sshd/probes.ts'
import { accessSshdRootLogin } from '../../main/catalog/access/sshd/root-login.ts'
import { RUNNING_SSH, type RunningSshEvidence, runningSsh } from '../../main/catalog/access/sshd/running.ts'
import { listenerProcesses, networkListeners } from '../../main/catalog/data-protection/listeners/probes.ts'
import { sshServers } from '../../main/catalog/data-protection/ssh-encryption/probes.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { sshSession } from '../../main/catalog/operations/evidence/probes.ts'
import { loginSession } from '../../main/catalog/operations/login-records/index.ts'
import { NO_SUCH_ACCOUNT } from '../../main/core/fleet/ssh-methods.ts'
import type { Connection } from '../../main/core/ports/ports.ts'
import { type Answer, type Parsed, type Probe, unknown } from '../../main/core/recording/probe.ts'
import { type Check, conclude } from '../../main/core/rules/check.ts'
import { thresholdValues } from '../../main/core/rules/profile.ts'
import { answer, fact } from '../support/answers.ts'
import { realClock, realPause } from '../support/deps.ts'
import { describeUnless, testUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { targetOf } from '../support/ssh-target.ts'
import { freePort, type Sshd, type SshdOptions, startSshd, whyNoUsers } from '../support/sshd.ts'

const never = new AbortController().signal
setMaxListeners(0, never)
const SSHD = '/usr/sbin/sshd'

/**
 * Everything that a check of the SSH server reads, taken from the real programs of this machine: its sockets and processes narrowed to those
 * of the test, so that other servers here do not matter. `file` is the configuration that stands for /etc/ssh/sshd_config.
 */
function evidenceOf(
  connection: Connection,
  {
    ports,
    pids,
    file,
    wire,
    session,
  }: {
    readonly ports: readonly number[]
    readonly pids: readonly number[]
    readonly file: string
    readonly wire: string
    readonly session: number
  },
) {
  const run = (program: string, args: readonly string[]): Answer => {
    try {
      return answer(execFileSync(program, [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
    } catch (problem) {
      const { status, stdout, stderr } = problem as { status: number; stdout: string; stderr: string }
      return { ...answer(`${stdout}`, { exitCode: status }), errorText: `${stderr}` }
    }
  }
  const only = (text: string, keep: (line: string) => boolean): Answer =>
    answer(
      text
        .split('\n')
        .filter((line) => line === '' || keep(line))
        .join('\n'),
    )
  const ours = (line: string): boolean => ports.some((port) => new RegExp(`:${port}\\s`).test(line))
  const processes = only(run('ps', ['-ww', '-C', 'sshd,dropbear,tinysshd', '-o', 'pid=,args=']).text, (line) =>
    pids.includes(Number(line.trim().split(' ')[0])),
  )
  // The test's own file goes by -f, since this machine's /etc/ssh stays as it is; read here as the default one.
  const asDefault = { ...processes, text: processes.text.replaceAll(`-f ${file}`, '-f /etc/ssh/sshd_config') }
  const settings = (extra: readonly string[]): Answer => run(SSHD, ['-T', '-f', file, ...extra])
  const context = (user: string, address: string): Answer =>
    settings(['-C', `user=${user},host=${address},addr=${address}`])
  const readings = new Map<string, Parsed<unknown>>([
    [networkListeners.id, networkListeners.parse({ sockets: only(run('ss', ['-H', '-tuln']).text, ours) })],
    [listenerProcesses.id, listenerProcesses.parse({ sockets: only(run('ss', ['-H', '-tulnp']).text, ours) })],
    [sshProcesses.id, sshProcesses.parse({ processes: asDefault })],
    [sshServers.id, sshServers.parse({ servers: answer(wire) })],
    [
      loginSession.id,
      loginSession.parse({
        origin: answer(`127.0.0.1 50022 127.0.0.1 ${session}\n`),
        user: answer('0\n'),
        login: answer('/proc/self/loginuid:0\n/proc/self/sessionid:1\n'),
      }),
    ],
    [sshdEffective.id, sshdEffective.parse({ settings: settings([]) })],
    [
      sshdContexts.id,
      sshdContexts.parse({
        rootPublic: context('root', '192.0.2.254'),
        rootPrivate: context('root', '10.0.0.1'),
        nobodyPublic: context('barewitness-nobody', '192.0.2.254'),
        nobodyPrivate: context('barewitness-nobody', '10.0.0.1'),
      }),
    ],
    [sshdConditions.id, sshdConditions.parse({ settings: run('grep', ['-H', '-i', '-w', '-e', 'Match', file]) })],
    [
      sshSession.id,
      sshSession.parse({
        session: answer(
          JSON.stringify({ hostKey: connection.hostKey, serverVersion: connection.session.serverVersion ?? null }),
        ),
      }),
    ],
  ])
  const node = { name: 'here', address: '127.0.0.1', port: session, user: 'root', sudo: false }
  const verdict = (check: Check): string =>
    conclude(check, readings, {
      node,
      asOf: '2026-11-22T00:00:00.000Z',
      observedAt: '2026-11-22T00:00:00.000Z',
      thresholds: thresholdValues(catalog.thresholds, undefined),
    }).verdict
  const read = (probe: Probe<unknown>): Parsed<unknown> => readings.get(probe.id) ?? unknown('not asked here')
  const running = runningSsh(
    sshdEffective.parse({ settings: settings([]) }),
    Object.fromEntries(
      Object.entries(RUNNING_SSH).map(([name, probe]) => [name, read(probe)]),
    ) as unknown as RunningSshEvidence,
    { keywords: ['permitrootlogin'] },
  )
  return {
    running,
    verdicts: {
      root: verdict(accessSshdRootLogin),
      password: verdict(accessSshdPasswordAuth),
      list: verdict(accessSshdAllowList),
    },
  }
}

const connectTo = async (sshd: Sshd): Promise<Connection> => {
  return must(await createSsh2Transport().connect(targetOf(sshd, 'root'), never))
}

const ask = async (connection: Connection, ports: readonly number[], declared = 'daemon'): Promise<string> =>
  JSON.stringify(
    await observeSshServers(
      { clock: realClock, pause: realPause },
      connection,
      {
        ask: ports.map((port) => ({ host: '127.0.0.1', port })),
        passed: [],
        names: [
          { who: 'root', user: 'root' },
          { who: 'declared', user: declared },
          { who: 'nobody', user: NO_SUCH_ACCOUNT },
        ],
      },
      { signal: never, heard: () => {} },
    ),
  )
const answersOf = (wire: string) =>
  fact(sshServers.parse({ servers: answer(wire) })).servers.map(({ answers }) =>
    answers.map(({ who, outcome, methods }) => `${who} ${outcome} ${methods.join()}`),
  )

/** A hardened server: root only by key is what lets the test log in, so that its root login stays undecided, and the rest is met. */
const HARDENED: SshdOptions = { config: ['AllowUsers root daemon', 'PermitRootLogin prohibit-password'] }

/** The process that listens at a port, as the kernel says. */
const ownerOf = (port: number): number =>
  Number(
    /pid=(\d+)/.exec(execFileSync('ss', ['-H', '-tlnp', 'sport', '=', `:${port}`], { encoding: 'utf8' }))?.[1] ?? 0,
  )

describeUnless(whyNoUsers, 'the SSH servers that run', () => {
  let first: Sshd
  let connection: Connection
  const open: Sshd[] = []
  const children: ChildProcess[] = []
  const folder = mkdtempSync(join(tmpdir(), 'bw-servers-'))
  beforeAll(async () => {
    first = await startSshd(HARDENED)
    connection = await connectTo(first)
  })
  afterAll(async () => {
    connection?.close()
    for (const child of children) child.kill()
    for (const sshd of open) await sshd.stop()
    await first?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const another = async (options: SshdOptions): Promise<Sshd> => {
    const sshd = await startSshd(options)
    open.push(sshd)
    return sshd
  }
  const configOf = (sshd: Sshd): string => join(sshd.folder, 'sshd_config')
  const listens = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connectTcp({ host: '127.0.0.1', port }, () => resolve(true)).on('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  const judge = (wire: string, ports: readonly number[]) =>
    evidenceOf(connection, {
      ports,
      pids: ports.map(ownerOf),
      file: configOf(first),
      wire,
      session: first.port,
    })

  test('alone, its settings are those of the one server, and it offers what they state', async () => {
    const wire = await ask(connection, [first.port])
    expect(answersOf(wire)).toEqual([
      ['root methods publickey', 'declared methods publickey', 'nobody methods publickey'],
    ])
    const { running, verdicts } = judge(wire, [first.port])
    expect(running.servers.map(({ doubts }) => doubts)).toEqual([[]])
    expect(verdicts).toEqual({ root: 'inconclusive', password: 'satisfied', list: 'satisfied' })
  })

  test('no credential is sent, no login takes place, and the log holds the lines that the preview names', async () => {
    const before = first.log().length
    await ask(connection, [first.port])
    await realPause(300)
    const said = first.log().slice(before)
    expect(said).toMatch(/Disconnected from authenticating user root 127\.0\.0\.1 port \d+ \[preauth\]/)
    expect(said).toMatch(new RegExp(`Invalid user ${NO_SUCH_ACCOUNT} from 127\\.0\\.0\\.1 port`))
    expect(said).not.toMatch(/Accepted|Failed|session opened/)
  })

  test('a second sshd with root and passwords on another port leaves nothing supported', async () => {
    const second = await another({ config: ['PermitRootLogin yes', 'PasswordAuthentication yes'] })
    const ports = [first.port, second.port]
    const wire = await ask(connection, ports)
    expect(answersOf(wire)[1]).toContain('root methods publickey,password')
    expect(judge(wire, ports).verdicts).toEqual({
      root: 'inconclusive',
      password: 'not-satisfied',
      list: 'inconclusive',
    })
  })

  test('a session that came in by a server with other settings is not taken for one with these', async () => {
    const second = await another({ config: ['PermitRootLogin prohibit-password', 'PasswordAuthentication no'] })
    const through = await connectTo(second)
    const wire = await ask(through, [second.port])
    const seen = evidenceOf(through, {
      ports: [second.port],
      pids: [ownerOf(second.port)],
      file: configOf(first),
      wire,
      session: second.port,
    })
    through.close()
    expect(seen.running.isBearing).toBe(false)
    expect(seen.verdicts).toEqual({ root: 'inconclusive', password: 'inconclusive', list: 'inconclusive' })
  })

  test('options on the command line go before the file, and leave nothing supported', async () => {
    const port = await freePort()
    const file = join(folder, 'options_config')
    const { hostKey, clientKey } = first
    writeFileSync(
      file,
      [
        `Port ${port}`,
        'ListenAddress 127.0.0.1',
        `HostKey ${hostKey.path}`,
        `AuthorizedKeysFile ${clientKey}.pub`,
        'StrictModes no',
        'PermitRootLogin no',
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'AllowUsers daemon',
        `PidFile ${join(folder, 'pid')}`,
        'UsePAM no\n',
      ].join('\n'),
    )
    const options = ['PermitRootLogin=prohibit-password', 'PasswordAuthentication=yes', 'AllowUsers=root']
    children.push(spawn(SSHD, ['-D', '-f', file, ...options.flatMap((one) => ['-o', one])], { stdio: 'ignore' }))
    for (let tries = 0; tries < 200 && !(await listens(port)); tries += 1) await realPause(20)
    const through = await connectTo({ ...first, port })
    const wire = await ask(through, [port])
    const { verdicts, running } = evidenceOf(through, {
      ports: [port],
      pids: [ownerOf(port)],
      file,
      wire,
      session: port,
    })
    through.close()
    expect(running.servers.map(({ isOther }) => isOther)).toEqual([true])
    expect(verdicts).toEqual({ root: 'inconclusive', password: 'not-satisfied', list: 'inconclusive' })
  })

  const noDropbear =
    existsSync('/usr/sbin/dropbear') && existsSync('/usr/bin/dropbearkey') ? null : 'dropbear is not installed'
  const startDropbear = async (args: readonly string[]): Promise<number> => {
    const [key, port] = [join(folder, `dropbear-${args.join('')}`), await freePort()]
    execFileSync('dropbearkey', ['-t', 'ed25519', '-f', key], { stdio: 'ignore' })
    children.push(
      spawn('/usr/sbin/dropbear', ['-F', '-E', '-r', key, '-p', `127.0.0.1:${port}`, '-P', `${key}.pid`, ...args], {
        stdio: 'ignore',
      }),
    )
    for (let tries = 0; tries < 200 && !(await listens(port)); tries += 1) await realPause(20)
    return port
  }
  testUnless(noDropbear, 'dropbear beside OpenSSH is judged by what it offers', async () => {
    const [open22, keysOnly] = [await startDropbear([]), await startDropbear(['-s'])]
    const wire = await ask(connection, [open22, keysOnly])
    expect(answersOf(wire)[0]).toContain('root methods publickey,password')
    expect(answersOf(wire)[1]).toEqual([
      'root methods publickey',
      'declared methods publickey',
      'nobody methods publickey',
    ])
    const both = await ask(connection, [first.port, open22])
    expect(judge(both, [first.port, open22]).verdicts).toEqual({
      root: 'inconclusive',
      password: 'not-satisfied',
      list: 'inconclusive',
    })
    const quiet = await ask(connection, [first.port, keysOnly])
    expect(judge(quiet, [first.port, keysOnly]).verdicts).toEqual({
      root: 'inconclusive',
      password: 'satisfied',
      list: 'inconclusive',
    })
  })

  test('a server that lets an account in without a password is reported, and no session is opened', async () => {
    const empty = await another({
      config: ['PermitEmptyPasswords yes', 'PasswordAuthentication yes', 'PermitRootLogin prohibit-password'],
      files: {
        '/etc/passwd': `${execFileSync('cat', ['/etc/passwd'], { encoding: 'utf8' })}bwempty::4300:4300::/tmp:/bin/sh\n`,
      },
    })
    const through = await connectTo(empty)
    const before = empty.log().length
    const wire = await ask(through, [empty.port], 'bwempty')
    expect(answersOf(wire)[0]).toContain('declared accepted ')
    await realPause(300)
    const said = empty.log().slice(before)
    expect(said).toContain('Accepted none for bwempty')
    expect(said).not.toMatch(/Starting session|session opened/i)
    const seen = evidenceOf(through, {
      ports: [empty.port],
      pids: [ownerOf(empty.port)],
      file: configOf(empty),
      wire,
      session: empty.port,
    })
    through.close()
    expect(seen.verdicts.password).toBe('not-satisfied')
  })

  test.each([[['AllowTcpForwarding no']], [['DisableForwarding yes']]])(
    'where nothing is forwarded, nothing is supported (%j)',
    async (config) => {
      const closed = await another({ config: [...config, ...(HARDENED.config ?? [])] })
      const through = await connectTo(closed)
      const wire = await ask(through, [closed.port])
      expect(answersOf(wire)).toEqual([['root refused ']])
      const seen = evidenceOf(through, {
        ports: [closed.port],
        pids: [ownerOf(closed.port)],
        file: configOf(closed),
        wire,
        session: closed.port,
      })
      through.close()
      expect(seen.verdicts).toEqual({ root: 'inconclusive', password: 'inconclusive', list: 'inconclusive' })
    },
  )

  test('the system’s ssh program reaches no ports, which is stated', async () => {
    const opened = must(await createOpensshTransport().connect(targetOf(first, 'root'), never))
    const wire = await ask(opened, [first.port])
    opened.close()
    expect(fact(sshServers.parse({ servers: answer(wire) }))).toMatchObject({ forwarding: false, servers: [] })
    expect(judge(wire, [first.port]).verdicts.password).toBe('inconclusive')
  })

  test('what is no SSH server is distinguished, and so is a port without a listener', async () => {
    const port = await freePort()
    const web = spawn(process.execPath, [
      '-e',
      `require('net').createServer(s=>{s.on('error',()=>{});s.once('data',()=>s.end('HTTP/1.1 400 Bad Request\\r\\n\\r\\n'))}).listen(${port},'127.0.0.1')`,
    ])
    children.push(web)
    for (let tries = 0; tries < 200 && !(await listens(port)); tries += 1) await realPause(20)
    const wire = await ask(connection, [port, await freePort()])
    expect(answersOf(wire)).toEqual([['root not-ssh '], ['root failed ']])
  })
})
