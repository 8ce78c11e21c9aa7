import { connect as connectTcp, type Socket } from 'node:net'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { causeOf } from '../http.ts'

/** Time for the TCP connection and key exchange together, and again for the login (not counting a person who types). */
export const CONNECT_MS = 20_000

/** An open TCP connection, and how long opening it took, name resolution excluded. */
interface OpenSocket {
  readonly socket: Socket
  readonly tcpMs: number
}

/** A TCP connection without Nagle's delay (performance: two stalls of an RTT each otherwise). */
export function openSocket(host: string, port: number, signal: AbortSignal): Promise<Outcome<OpenSocket>> {
  return new Promise((resolve) => {
    let tried = performance.now()
    const socket = connectTcp({ host: bare(host), port, noDelay: true })
    const trying = (): void => {
      tried = performance.now()
    }
    // Of several addresses, the last one tried accepted the connection.
    socket.on('lookup', trying).on('connectionAttempt', trying)
    const finish = (outcome: Outcome<OpenSocket>): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      if (!outcome.ok) socket.destroy()
      resolve(outcome)
    }
    const cancel = (): void => finish(fail('run.cancelled', 'while connecting'))
    const timer = setTimeout(
      () => finish(fail('ssh.unreachable', `no reply from ${host} port ${port} within ${CONNECT_MS / 1000} s`)),
      CONNECT_MS,
    )
    socket.once('connect', () => finish(ok({ socket, tcpMs: microseconds(performance.now() - tried) })))
    socket.on('error', (problem: Error) => finish(fail('ssh.unreachable', `${host} port ${port}: ${causeOf(problem)}`)))
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) cancel()
  })
}

/** Resolves after so many milliseconds, or when the signal is aborted. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done, { once: true })
  })

/** An address without the brackets of an IPv6 one. */
export const bare = (address: string): string => address.replace(/^\[(.*)\]$/, '$1')

/** Milliseconds with three decimals. */
export const microseconds = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000
