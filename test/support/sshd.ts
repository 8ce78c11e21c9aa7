import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fingerprintOf } from '../../main/core/fleet/known-hosts.ts'

/** A person or service on the test server; exists only inside the server's own mount namespace. */
export interface TestUser {
  readonly name: string
  readonly shell?: string
  readonly password?: string
}

export interface SshdOptions {
  /** Lines for the front of sshd_config, where the first value wins. */
  readonly config?: readonly string[]
  /** Match blocks, for its end. */
  readonly match?: readonly string[]
  /** Accounts made for this server by mounting its own /etc/passwd over the real one. Needs root. */
  readonly users?: readonly TestUser[]
  /** Other files as this server is to see them: path → text. Needs root. Parent folders must exist. */
  readonly files?: Readonly<Record<string, string>>
  readonly hostKeyType?: 'ed25519' | 'ecdsa' | 'rsa'
  /** What is to start it, such as a command that enters a network namespace. */
  readonly within?: readonly string[]
}

export interface Sshd {
  readonly port: number
  readonly folder: string
  readonly hostKey: {
    readonly type: string
    readonly fingerprint: string
    readonly blob: Buffer
    readonly path: string
    readonly line: (host: string) => string
  }
  /** A private key that the server accepts for every user. */
  readonly clientKey: string
  readonly log: () => string
  readonly stop: () => Promise<void>
}

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find(existsSync)
export const isRoot = userInfo().uid === 0

/** Why no sshd can be started here, or null. For the name of a skipped test. */
export const whyNoSshd: string | null =
  SSHD === undefined
    ? 'OpenSSH’s sshd is not installed'
    : !existsSync('/usr/bin/ssh-keygen')
      ? 'ssh-keygen is not installed'
      : null

/** Why no account can be made for a test, or null: that takes root and a mount namespace. */
export const whyNoUsers: string | null = whyNoSshd ?? (isRoot ? whyNoNamespace() : 'not running as root')

function whyNoNamespace(): string | null {
  try {
    execFileSync('unshare', ['--mount', '--propagation', 'private', 'true'], { stdio: 'ignore' })
    return null
  } catch {
    return 'mount namespaces are not allowed here'
  }
}

export function makeKey(path: string, type = 'ed25519', passphrase = '', extra: readonly string[] = []): string {
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', path, ...extra])
  return path
}

export const publicBlob = (path: string): Buffer =>
  Buffer.from(readFileSync(`${path}.pub`, 'utf8').split(' ')[1] ?? '', 'base64')

/** Starts a real OpenSSH server on a loopback port with keys and configuration of its own. Nothing outside a temporary folder changes, but for /run/sshd, which sshd needs. */
export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  if (SSHD === undefined) throw new Error('sshd is missing')
  const folder = mkdtempSync(join(tmpdir(), 'bw-sshd-'))
  // sshd reads the accepted keys with the rights of whoever logs in.
  chmodSync(folder, 0o755)
  if (isRoot) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const hostKeyPath = makeKey(join(folder, 'host'), options.hostKeyType)
  const clientKey = makeKey(join(folder, 'client'))
  const port = await freePort()
  const [config, log] = [join(folder, 'sshd_config'), join(folder, 'log')]
  writeFileSync(join(folder, 'authorized_keys'), readFileSync(`${clientKey}.pub`))
  const lines = [
    ...(options.config ?? []),
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKeyPath}`,
    `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
    `PidFile ${join(folder, 'pid')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'LogLevel VERBOSE',
    'PrintMotd no',
    ...(options.match ?? []),
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  writeFileSync(log, '')
  const child = launch(SSHD, ['-D', '-f', config, '-E', log], folder, options)
  const atExit = (): void => {
    if (child.pid !== undefined && child.exitCode === null) killGroup(child.pid)
  }
  process.once('exit', atExit)
  const stop = async (): Promise<void> => {
    process.off('exit', atExit)
    if (child.exitCode === null && child.pid !== undefined) {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      killGroup(child.pid)
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  for (let waited = 0; !readFileSync(log, 'utf8').includes('Server listening'); waited += 20) {
    if (waited > 10_000 || child.exitCode !== null) {
      const said = readFileSync(log, 'utf8')
      await stop()
      throw new Error(`sshd did not start: ${said}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const blob = publicBlob(hostKeyPath)
  const [type = '', key = ''] = readFileSync(`${hostKeyPath}.pub`, 'utf8').split(' ')
  return {
    port,
    folder,
    hostKey: {
      type,
      fingerprint: fingerprintOf(blob),
      blob,
      path: hostKeyPath,
      line: (host) => `${host} ${type} ${key}`,
    },
    clientKey,
    log: () => readFileSync(log, 'utf8'),
    stop,
  }
}

function launch(
  sshd: string,
  args: readonly string[],
  folder: string,
  { users = [], files = {}, within = [] }: SshdOptions,
): ChildProcess {
  const mounts = new Map(Object.entries(files))
  if (users.length > 0) {
    const hash = (password: string | undefined): string =>
      password === undefined ? '*' : execFileSync('openssl', ['passwd', '-6', password], { encoding: 'utf8' }).trim()
    const passwd = users.map(
      ({ name, shell = '/bin/sh' }, index) => `${name}:x:${4200 + index}:${4200 + index}:test:/tmp:${shell}\n`,
    )
    mounts.set('/etc/passwd', readFileSync('/etc/passwd', 'utf8') + passwd.join(''))
    mounts.set(
      '/etc/shadow',
      readFileSync('/etc/shadow', 'utf8') +
        users.map(({ name, password }) => `${name}:${hash(password)}:19000:0:99999:7:::\n`).join(''),
    )
  }
  const [program = sshd, ...rest] = [...within, sshd, ...args]
  if (mounts.size === 0) return spawn(program, rest, { stdio: 'ignore', detached: true })
  const script = ['set -e']
  for (const [index, [path, text]] of [...mounts].entries()) {
    const source = join(folder, `mount-${index}`)
    writeFileSync(source, text, { mode: path === '/etc/passwd' ? 0o644 : path.includes('sudoers') ? 0o440 : 0o640 })
    script.push(
      existsSync(path) ? `mount --bind '${source}' '${path}'` : addFile(path, source, join(folder, `over-${index}`)),
    )
  }
  script.push('exec "$@"')
  return spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script.join('\n'), 'sh', sshd, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
}

/** A file that is not there on this machine: a copy of its folder, with the file added, is mounted over the folder. */
function addFile(path: string, source: string, copy: string): string {
  const parent = path.slice(0, path.lastIndexOf('/'))
  return `cp -a '${parent}' '${copy}'; cp -p '${source}' '${copy}${path.slice(parent.length)}'; mount --bind '${copy}' '${parent}'`
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM')
  } catch {
    // It has ended by itself.
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
