import type { Hop } from '../../main/adapters/ssh/host-key.ts'
import type { Outcome } from '../../main/core/base/failure.ts'
import type { Connection, ConnectTarget, HostKeyTrust } from '../../main/core/ports/ports.ts'
import type { Sshd } from './sshd.ts'

/** A target for a server started by a test: its own host key pinned, its own client key. */
export function targetOf(
  sshd: Pick<Sshd, 'port' | 'hostKey' | 'clientKey'>,
  user: string,
  overrides: {
    trust?: HostKeyTrust
    credentials?: ConnectTarget['credentials']
    transport?: ConnectTarget['transport']
    jumps?: readonly Hop[]
    name?: string
  } = {},
): ConnectTarget {
  return {
    node: { name: overrides.name ?? 'node-1', address: '127.0.0.1', port: sshd.port, user, sudo: false },
    trust: overrides.trust ?? { fingerprint: sshd.hostKey.fingerprint, knownHostsFiles: [] },
    credentials: overrides.credentials ?? { identityFile: sshd.clientKey, agent: false },
    transport: overrides.transport ?? 'ssh2',
    jumps: overrides.jumps ?? [],
  }
}

export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number | null
  readonly lost: boolean
}

/** Runs `sh -s` with a script on an open connection and closes it. */
export async function runScript(connection: Connection, script: string): Promise<Outcome<Ran>> {
  const started = await connection.exec('sh -s')
  if (!started.ok) return started
  const [out, errors]: [Uint8Array[], Uint8Array[]] = [[], []]
  started.value.onStdout((chunk) => out.push(chunk))
  started.value.onStderr((chunk) => errors.push(chunk))
  started.value.write(Buffer.from(script))
  started.value.end()
  const end = await started.value.closed
  connection.close()
  return {
    ok: true,
    value: { stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(errors).toString(), ...end },
  }
}
