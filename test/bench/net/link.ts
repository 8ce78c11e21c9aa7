import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CLIENT = 'bwbench-client'
const SERVER = 'bwbench-server'
export const SERVER_ADDRESS = '127.78.0.2'

/** A link between two private network namespaces, with addresses in 127.0.0.0/8 only and no route anywhere else. */
export interface Link {
  /** Puts a command into the client's or the server's namespace. */
  readonly inClient: (argv: readonly string[]) => string[]
  readonly inServer: (argv: readonly string[]) => string[]
  readonly close: () => void
}

/** Why a delayed link cannot be made here, or null. */
export function whyNoLink(): string | null {
  if (process.getuid?.() !== 0) return 'needs root for network namespaces'
  for (const tool of ['ip', 'gcc']) {
    try {
      execFileSync('which', [tool], { stdio: 'ignore' })
    } catch {
      return `needs ${tool}`
    }
  }
  try {
    execFileSync('sh', ['-c', ': <>/dev/net/tun'], { stdio: 'ignore' })
  } catch {
    return 'needs /dev/net/tun'
  }
  return null
}

const ip = (...argv: string[]): void => void execFileSync('ip', argv, { stdio: ['ignore', 'ignore', 'pipe'] })
const inside = (namespace: string, argv: readonly string[]): string[] => ['ip', 'netns', 'exec', namespace, ...argv]

/** What is wrong with a link: up to so much more delay in each direction, and packets that are lost. */
export interface Trouble {
  readonly jitterMs: number
  readonly lostOf1000: number
}

/** Opens the link with a round-trip time in milliseconds. Throws where `whyNoLink` would have said so. */
export async function openLink(roundTripMs: number, trouble: Trouble = { jitterMs: 0, lostOf1000: 0 }): Promise<Link> {
  removeNamespaces()
  const program = join(mkdtempSync(join(tmpdir(), 'bwbench-')), 'tundelay')
  execFileSync('gcc', ['-O2', '-o', program, fileURLToPath(new URL('tundelay.c', import.meta.url))])
  for (const namespace of [CLIENT, SERVER]) {
    ip('netns', 'add', namespace)
    ip('-n', namespace, 'link', 'set', 'lo', 'up')
    execFileSync('ip', [
      'netns',
      'exec',
      namespace,
      'sysctl',
      '-qw',
      'net.ipv4.conf.all.route_localnet=1',
      'net.ipv4.conf.default.route_localnet=1',
    ])
  }
  const delay = spawn(
    program,
    [CLIENT, 'tunc', SERVER, 'tuns', roundTripMs * 500, trouble.jitterMs * 1000, trouble.lostOf1000].map((argument) =>
      typeof argument === 'string' ? argument : String(Math.round(argument)),
    ),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await new Promise<void>((resolve, reject) => {
    delay.stdout.once('data', () => resolve())
    delay.once('exit', (code) => reject(new Error(`tundelay ended with ${code}`)))
  })
  address(CLIENT, 'tunc', '127.78.0.1', SERVER_ADDRESS)
  address(SERVER, 'tuns', SERVER_ADDRESS, '127.78.0.1')
  return {
    inClient: (argv) => inside(CLIENT, argv),
    inServer: (argv) => inside(SERVER, argv),
    close: () => closeLink(delay),
  }
}

// The loopback device owns all of 127/8 in the local table; a host route of higher precedence sends the peer's address over the TUN.
function address(namespace: string, device: string, own: string, peer: string): void {
  ip('-n', namespace, 'addr', 'add', `${own}/32`, 'dev', device)
  ip('-n', namespace, 'link', 'set', device, 'up')
  ip('-n', namespace, 'route', 'replace', `${peer}/32`, 'dev', device, 'src', own)
  ip('-n', namespace, 'rule', 'add', 'to', peer, 'lookup', 'main', 'priority', '0')
  ip('-n', namespace, 'rule', 'add', 'from', 'all', 'lookup', 'local', 'priority', '10')
  ip('-n', namespace, 'rule', 'del', 'from', 'all', 'lookup', 'local', 'priority', '0')
}

function closeLink(delay: ChildProcess): void {
  delay.kill('SIGTERM')
  removeNamespaces()
}

function removeNamespaces(): void {
  for (const namespace of [CLIENT, SERVER]) {
    try {
      ip('netns', 'del', namespace)
    } catch {
      // It was not there, which is what we want.
    }
  }
}
