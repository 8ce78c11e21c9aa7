import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fingerprintOf } from '../../../main/core/fleet/known-hosts.ts'
import { makeKey, publicBlob } from '../sshd.ts'
import { baseRoot, inside, type Suite } from './base.ts'
import { packagedRoot } from './packages.ts'

/** How one host differs from the base of its release. Everything in it is constant text. */
export interface HostPlan {
  /** Also the name of its node in the fleet, and its host name. */
  readonly name: string
  readonly suite: Suite
  /** Whether it can install packages that are downloaded already: no host reaches an archive. */
  readonly canInstall?: true
  /** Run by sh as root in the copied root file system, before it boots. */
  readonly setup: string
  /** Whether its own systemd may set kernel parameters of its network. */
  readonly setsNetwork?: true
  /** Run by sh on the computer below, inside the host's network namespace, before it boots: packet filter, kernel parameters. */
  readonly network?: string
  /** Takes the SSH host key of this host, as a cloned image does. It has to come earlier in the list. */
  readonly hostKeyOf?: string
  /** Ports that have to answer before the host is taken for booted. */
  readonly ready?: readonly number[]
}

/** A booted host: a root file system of its own under a systemd of its own, in a network namespace of its own. */
export interface Host {
  readonly name: string
  readonly address: string
  /** SHA-256 fingerprint of its SSH host key. */
  readonly hostKey: string
}

/** Some hosts on a network that reaches nothing else, and the place from where they are collected. */
export interface Lab {
  /** For files of the test; removed with the lab. */
  readonly folder: string
  /** A private key that every host accepts for the account `bwaudit`. */
  readonly clientKey: string
  readonly hosts: ReadonlyMap<string, Host>
  /** Runs a program of this computer on the network of the hosts. */
  readonly run: (argv: readonly string[]) => Promise<Ran>
  /** Starts a program of this computer on the network of the hosts; it ends with the lab. */
  readonly serve: (argv: readonly string[]) => void
  /** Runs lines of sh as root in a host that is booted. */
  readonly asRoot: (host: string, script: string, env?: Readonly<Record<string, string>>) => Promise<Ran>
  /** Runs lines of sh as root that end with a restart of the host, and waits until its ports answer again. */
  readonly restart: (host: string, script: string) => Promise<void>
  readonly stop: () => Promise<void>
}

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const NETWORK = '10.88.0'
/** The hierarchies of control groups that systemd uses: cgroup v2, and the first of v1 where both are mounted. */
const HIERARCHIES = ['/sys/fs/cgroup/systemd', '/sys/fs/cgroup/unified', '/sys/fs/cgroup'].filter((path) =>
  existsSync(join(path, 'cgroup.procs')),
)
const HOST_KEY = '/etc/ssh/ssh_host_ed25519_key'

/** Copies, changes and boots the hosts. Removes what it made where one of them does not come up. */
export async function startLab(plans: readonly HostPlan[]): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'bw-hosts-'))
  const id = `bw${process.pid}`
  const started: ChildProcess[] = []
  const served: ChildProcess[] = []
  const stop = async (): Promise<void> => {
    process.off('exit', atExit)
    for (const child of served) child.kill('SIGKILL')
    await Promise.all(started.map(kill))
    tearDown(folder, id, plans)
  }
  const atExit = (): void => {
    for (const child of served) child.kill('SIGKILL')
    for (const child of started) killNow(child)
    tearDown(folder, id, plans)
  }
  process.once('exit', atExit)
  try {
    const clientKey = makeKey(join(folder, 'client'))
    const sudoers = execFileSync(process.execPath, ['out/main/cli.js', 'catalog', 'sudoers', '--user', 'bwaudit'])
    const bases = new Map<string, string>()
    for (const { suite, canInstall } of plans)
      bases.set(baseKey(suite, canInstall), await (canInstall ? packagedRoot(suite) : baseRoot(suite)))
    ip('netns', 'add', id)
    ip('-n', id, 'link', 'set', 'lo', 'up')
    ip('-n', id, 'link', 'add', 'br0', 'type', 'bridge')
    ip('-n', id, 'addr', 'add', `${NETWORK}.1/24`, 'dev', 'br0')
    ip('-n', id, 'link', 'set', 'br0', 'up')
    const hosts = new Map<string, Host>()
    for (const [index, plan] of plans.entries()) {
      const root = join(folder, plan.name)
      execFileSync('cp', ['-a', '--reflink=auto', bases.get(baseKey(plan.suite, plan.canInstall)) ?? '', root])
      prepare(root, plan, { clientKey, sudoers }, plan.hostKeyOf === undefined ? null : join(folder, plan.hostKeyOf))
      const address = `${NETWORK}.${index + 10}`
      connect(id, index, address, plan.network)
      started.push(boot(root, `${id}-${index}`, plan))
      hosts.set(plan.name, {
        name: plan.name,
        address,
        hostKey: fingerprintOf(publicBlob(join(root, HOST_KEY))),
      })
    }
    const run: Lab['run'] = (argv) => output('ip', ['netns', 'exec', id, ...argv])
    const isReady = async ({ name, ready = [22] }: HostPlan): Promise<void> => {
      for (const port of ready) await answers(id, hosts.get(name)?.address ?? '', port, join(folder, `${name}.log`))
    }
    for (const plan of plans) await isReady(plan)
    const serve: Lab['serve'] = (argv) => {
      served.push(spawn('ip', ['netns', 'exec', id, ...argv], { stdio: 'ignore' }))
    }
    const indexOf = (host: string): number => plans.findIndex(({ name }) => name === host)
    const asRoot: Lab['asRoot'] = (host, script, env = {}) => {
      const [pid = ''] = innerPids(started[indexOf(host)])
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
      const clean = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL=C.UTF-8', ...variables]
      return output('nsenter', ['--target', pid, '--all', ...clean, 'sh', '-euc', script])
    }
    const restart: Lab['restart'] = async (host, script) => {
      const index = indexOf(host)
      const [plan, child] = [plans[index], started[index]]
      if (plan === undefined || child === undefined) throw new Error(`no host is called ${host}`)
      // With --keep-unit, a host that restarts ends its program (systemd-nspawn(1)).
      const ended = new Promise((done) => child.once('close', done))
      await asRoot(host, script)
      await ended
      started[index] = boot(join(folder, host), `${id}-${index}`, plan)
      await isReady(plan)
    }
    return { folder, clientKey, hosts, run, serve, asRoot, restart, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const baseKey = (suite: Suite, canInstall: true | undefined): string => `${suite} ${canInstall ?? false}`

/** What each host has besides its base: identity, the account that collects with exactly the rights of the drop-in, and its own setup. */
function prepare(
  root: string,
  { name, setup }: HostPlan,
  { clientKey, sudoers }: { readonly clientKey: string; readonly sudoers: Buffer },
  cloneOf: string | null,
): void {
  const at = (path: string): string => join(root, path)
  writeFileSync(at('etc/hostname'), `${name}\n`)
  writeFileSync(at('etc/hosts'), `127.0.0.1 localhost\n127.0.1.1 ${name}\n`)
  // With one in place, systemd does not take this for the first boot of an image and apply its presets.
  writeFileSync(at('etc/machine-id'), `${createHash('md5').update(name).digest('hex')}\n`)
  if (cloneOf === null) makeKey(at(HOST_KEY))
  else
    for (const end of ['', '.pub'])
      execFileSync('cp', ['-a', join(cloneOf, `${HOST_KEY}${end}`), at(`${HOST_KEY}${end}`)])
  execFileSync('cp', [`${clientKey}.pub`, at('root/bwaudit.pub')])
  writeFileSync(at('etc/sudoers.d/barewitness'), sudoers, { mode: 0o440 })
  inside(
    root,
    `useradd --create-home --shell /bin/sh bwaudit
     install -d -o bwaudit -g bwaudit -m 700 /home/bwaudit/.ssh
     install -o bwaudit -g bwaudit -m 600 /root/bwaudit.pub /home/bwaudit/.ssh/authorized_keys
     rm /root/bwaudit.pub
     ${setup}`,
  )
}

/** A network namespace for a host, joined to the bridge. Like a server's, its only neighbours are on this one network. */
function connect(id: string, index: number, address: string, setup?: string): void {
  const namespace = `${id}-${index}`
  ip('netns', 'add', namespace)
  ip('-n', id, 'link', 'add', `host${index}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
  ip('-n', id, 'link', 'set', `host${index}`, 'master', 'br0', 'up')
  ip('-n', namespace, 'link', 'set', 'lo', 'up')
  ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  ip('-n', namespace, 'link', 'set', 'eth0', 'up')
  ip('-n', namespace, 'route', 'add', 'default', 'via', `${NETWORK}.1`)
  if (setup !== undefined) execFileSync('ip', ['netns', 'exec', namespace, 'sh', '-euc', setup])
}

/** Boots the systemd of the root file system. Each needs a control group of its own, or they would end each other's services. */
function boot(root: string, id: string, { name, setsNetwork }: HostPlan): ChildProcess {
  for (const hierarchy of HIERARCHIES) mkdirSync(join(hierarchy, id), { recursive: true })
  const argv = [
    '--quiet',
    '--boot',
    '--register=no',
    '--keep-unit',
    '--link-journal=no',
    '--console=pipe',
    '--capability=CAP_NET_ADMIN',
  ]
  return spawn(
    'sh',
    [
      '-c',
      `for group in ${HIERARCHIES.map((path) => join(path, id)).join(' ')}; do echo $$ >"$group/cgroup.procs"; done
       exec systemd-nspawn "$@" >'${root}.log' 2>&1`,
      'sh',
      ...argv,
      `--machine=${name}`,
      `--network-namespace-path=/run/netns/${id}`,
      `--directory=${root}`,
    ],
    {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: {
        ...process.env,
        SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1',
        ...(setsNetwork === true ? { SYSTEMD_NSPAWN_API_VFS_WRITABLE: 'network' } : {}),
      },
      detached: true,
    },
  )
}

async function answers(id: string, address: string, port: number, log: string): Promise<void> {
  const probe = `exec 3<>/dev/tcp/${address}/${port}`
  for (let left = 300; left > 0; left -= 1) {
    if ((await output('ip', ['netns', 'exec', id, 'timeout', '2', 'bash', '-c', probe])).status === 0) return
    await sleep(200)
  }
  throw new Error(`port ${port} of ${address} does not answer: ${readFileSync(log, 'utf8').slice(-2000)}`)
}

function output(program: string, argv: readonly string[]): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
    const heard = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (chunk: string) => {
        heard[stream] += chunk
      })
    child.once('error', fail)
    child.once('close', (status) => done({ status, ...heard }))
  })
}

function ip(...argv: string[]): void {
  execFileSync('ip', argv, { stdio: ['ignore', 'ignore', 'pipe'] })
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('close', done))
  killNow(child)
  await ended
}

/** Ends the first process of a host, and with it all of them; the program that booted it ends by itself then. */
function killNow(child: ChildProcess): void {
  for (const pid of innerPids(child)) process.kill(Number(pid), 'SIGKILL')
}

/** The first process of a host, as this computer numbers it. */
function innerPids(child: ChildProcess | undefined): readonly string[] {
  if (child === undefined) return []
  return spawnSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .filter(Boolean)
}

function tearDown(folder: string, id: string, plans: readonly HostPlan[]): void {
  for (const name of [...plans.map((_plan, index) => `${id}-${index}`), id]) spawnSync('ip', ['netns', 'del', name])
  for (const hierarchy of HIERARCHIES)
    for (const name of readdirSync(hierarchy).filter((name) => name.startsWith(`${id}-`)))
      removeGroup(join(hierarchy, name))
  rmSync(folder, { recursive: true, force: true })
}

function removeGroup(group: string): void {
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(group, entry.name))
  rmdirSync(group)
}
