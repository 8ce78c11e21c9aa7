import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A plain Debian sshd for the benchmark, started by a command prefix (such as one that enters a network namespace). */
export interface BenchServer {
  readonly folder: string
  readonly identityFile: string
  readonly fingerprint: string
  readonly knownHosts: string
  /** Logins that sshd wrote into its log so far. */
  readonly logins: () => number
  readonly log: () => string
  readonly stop: () => void
}

export async function startBenchServer(
  enter: (argv: readonly string[]) => string[],
  address: string,
  port: number,
  config: readonly string[] = [],
): Promise<BenchServer> {
  const folder = mkdtempSync(join(tmpdir(), 'bwbench-sshd-'))
  mkdirSync('/run/sshd', { recursive: true })
  const hostKey = join(folder, 'host')
  const identityFile = join(folder, 'login')
  for (const path of [hostKey, identityFile]) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path])
  const authorized = join(folder, 'authorized_keys')
  writeFileSync(authorized, readFileSync(`${identityFile}.pub`))
  const knownHosts = join(folder, 'known_hosts')
  writeFileSync(knownHosts, `[${address}]:${port} ${readFileSync(`${hostKey}.pub`, 'utf8')}`)
  const file = join(folder, 'sshd_config')
  const lines = [
    ...config,
    `ListenAddress ${address}:${port}`,
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${authorized}`,
    'PidFile none',
    'UsePAM no',
    'PermitRootLogin prohibit-password',
    'StrictModes no',
    'LogLevel VERBOSE',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const [program = '', ...rest] = enter(['/usr/sbin/sshd', '-D', '-e', '-f', file])
  const server: ChildProcess = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let log = ''
  server.stderr?.on('data', (chunk) => {
    log += String(chunk)
  })
  await new Promise<void>((resolve, reject) => {
    const timer = setInterval(() => log.includes('Server listening') && resolve(clearInterval(timer)), 20)
    server.once('exit', (code) => reject(new Error(`sshd ended with ${code}: ${log}`)))
  })
  const fingerprint = execFileSync('ssh-keygen', ['-lf', `${hostKey}.pub`], { encoding: 'utf8' }).split(' ')[1] ?? ''
  return {
    folder,
    identityFile,
    fingerprint,
    knownHosts,
    logins: () => log.split('Accepted publickey').length - 1,
    log: () => log,
    stop: () => {
      // Its sessions too: they hold the log's pipe, and the benchmark could not end.
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM')
      server.stderr?.destroy()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
