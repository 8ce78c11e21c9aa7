import type { Client, ClientChannel } from 'ssh2'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import type { RemoteProcess } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { CONNECT_MS } from './socket.ts'

/**
 * Starts one command on a logged-in ssh2 client. A server that refuses it gives `ssh.channel-refused`; one that does
 * not reply, `ssh.timed-out`.
 */
export function startCommand(client: Client, command: string): Promise<Outcome<RemoteProcess>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(fail('ssh.timed-out', 'the node did not start the command')), CONNECT_MS)
    const finish = (outcome: Outcome<RemoteProcess>): void => {
      clearTimeout(timer)
      resolve(outcome)
    }
    client.once('close', () => finish(fail('ssh.lost', 'the connection ended before the command started')))
    try {
      client.exec(command, (problem, channel) =>
        finish(
          problem === undefined
            ? ok(remoteProcess(client, channel))
            : fail('ssh.channel-refused', plain(problem.message)),
        ),
      )
    } catch {
      finish(fail('ssh.lost', 'the connection had ended'))
    }
  })
}

/**
 * A channel as a remote process. Both streams must have listeners; `lost` means that no exit status arrived, as after a
 * signal.
 */
function remoteProcess(client: Client, channel: ClientChannel): RemoteProcess {
  const closed = new Promise<{ exitCode: number | null; lost: boolean }>((resolve) => {
    let exit: { exitCode: number | null; lost: boolean } = { exitCode: null, lost: true }
    channel.on('exit', (code: number | null) => {
      exit = { exitCode: code, lost: code === null }
    })
    channel.on('close', () => resolve(exit))
    channel.on('error', () => resolve(exit))
    // Data that arrived with the end of the connection is delivered first.
    client.once('close', () => setImmediate(() => resolve(exit)))
  })
  return {
    write: (data) => void (channel.writable && channel.write(data)),
    end: () => void channel.end(),
    onStdout: (listener) => void channel.on('data', listener),
    onStderr: (listener) => void channel.stderr.on('data', listener),
    closed,
    // Closing a channel does not stop the program on the node (the collector's own watchdog does); requesting it first
    // gives it a chance to end.
    kill: () => {
      try {
        channel.signal('TERM')
        channel.close()
      } catch {
        // The connection is already closed, which is the goal.
      }
      client.end()
      setTimeout(() => client.destroy(), 500).unref()
    },
  }
}
