import { spawn } from 'node:child_process'
import { ok } from '../../main/core/base/failure.ts'
import type { Connection, RemoteProcess, Transport } from '../../main/core/ports/ports.ts'

/** A connection that runs the collector in a shell of this machine: everything but SSH. */
export const localTransport = (shell: readonly [string, ...string[]]): Transport => ({
  connect: async () => ok(localConnection(shell)),
})

export function localConnection([program, ...rest]: readonly [string, ...string[]]): Connection {
  return {
    hostKey: {
      type: 'ssh-ed25519',
      fingerprint: `SHA256:${'A'.repeat(43)}`,
      trust: { how: 'fingerprint', detail: 'test' },
    },
    session: { transport: 'replay', authMethod: 'none' },
    exec: async () => {
      const child = spawn(program, rest, { stdio: 'pipe' })
      child.stdin.on('error', () => undefined)
      const closed: RemoteProcess['closed'] = new Promise((resolve) =>
        child.once('close', (code) => resolve({ exitCode: code, lost: code === null })),
      )
      return ok({
        write: (data) => void child.stdin.write(data),
        end: () => void child.stdin.end(),
        onStdout: (listener) => void child.stdout.on('data', listener),
        onStderr: (listener) => void child.stderr.on('data', listener),
        closed,
        kill: () => void child.kill('SIGKILL'),
      })
    },
    close: () => undefined,
  }
}
