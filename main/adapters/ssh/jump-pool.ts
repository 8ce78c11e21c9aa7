import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'
import { err, type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { Hop } from './host-key.ts'
import { bare, CONNECT_MS } from './socket.ts'
import type { OpenClient } from './ssh2-client.ts'

/** A connection to a jump host, logged in and on loan. Return it when the connection that goes through it has ended. */
export interface Loan<Jump extends OpenClient> {
  readonly jump: Jump
  readonly giveBack: () => void
}

/** How long an unused jump connection is kept for the next node. */
const LINGER_MS = 5000

/**
 * One connection per jump host, shared by every node behind it: sshd's MaxStartups counts logins, not forwarded
 * connections (200 nodes through one default bastion connection lost none; 200 separate logins lost 98). A refused
 * login or host key is remembered, so that the bastion is tried once and not once per node.
 */
export function createJumpPool<Jump extends OpenClient>() {
  const open = new Map<
    string,
    { readonly opening: Promise<Outcome<Jump>>; loans: number; linger: NodeJS.Timeout | null }
  >()

  const borrow = async (key: string, openJump: () => Promise<Outcome<Jump>>): Promise<Outcome<Loan<Jump>>> => {
    let entry = open.get(key)
    if (entry === undefined) {
      entry = { opening: openJump(), loans: 0, linger: null }
      open.set(key, entry)
    }
    const mine = entry
    mine.loans++
    if (mine.linger !== null) clearTimeout(mine.linger)
    const jump = await mine.opening
    const forget = (): void => void (open.get(key) === mine && open.delete(key))
    if (!jump.ok) {
      if (!FINAL.includes(jump.error.code)) forget()
      return jump
    }
    jump.value.client.once('close', forget)
    const socket = (jump.value.client as unknown as { _sock?: { ref?: () => void; unref?: () => void } })._sock
    let returned = false
    const giveBack = (): void => {
      if (returned) return
      returned = true
      if (--mine.loans > 0) return
      mine.linger = setTimeout(() => {
        forget()
        jump.value.client.end()
      }, LINGER_MS)
      mine.linger.unref()
      // A waiting jump connection must not keep the process alive.
      socket?.unref?.()
    }
    socket?.ref?.()
    return ok({ jump: jump.value, giveBack })
  }
  return { borrow }
}

/** Failures that a retry would only repeat, at the risk of locking an account. */
const FINAL: readonly Failure['code'][] = [
  'ssh.auth-refused',
  'ssh.host-key-changed',
  'ssh.host-key-revoked',
  'ssh.host-key-unknown',
  'ssh.passphrase-needed',
  'ssh.answer-needed',
  'ssh.no-credential',
]

/** A TCP connection from a jump host to the next server (RFC 4254, section 7.2), as a stream. */
export function forward(jump: Client, through: string, next: Hop): Promise<Outcome<Duplex>> {
  const { address, port } = next.node
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve(fail('ssh.unreachable', `no reply from ${address} port ${port} through ${through}`)),
      CONNECT_MS,
    )
    const finish = (outcome: Outcome<Duplex>): void => {
      clearTimeout(timer)
      resolve(outcome)
    }
    try {
      jump.forwardOut('127.0.0.1', 0, bare(address), port, (problem, channel) => {
        if (problem === undefined) return finish(ok(channel))
        // SSH_OPEN_CONNECT_FAILED (RFC 4254, section 5.1): the jump host tried and failed. Anything else is its own
        // refusal.
        const refused = (problem as Error & { reason?: number }).reason !== 2
        const detail = `${through} to ${address} port ${port}: ${plain(problem.message)}`
        finish(fail(refused ? 'ssh.jump-failed' : 'ssh.unreachable', detail))
      })
    } catch {
      finish(fail('ssh.jump-failed', `the connection to ${through} had ended`))
    }
  })
}

/**
 * A failure at a jump host, as seen from the node behind it: host key failures keep their code, since a person must
 * check the key.
 */
export function atJump(hop: Hop, problem: Failure): Outcome<never> {
  const detail = `jump host ${hop.node.name}: ${problem.detail}`
  const keeps =
    problem.code.startsWith('ssh.host-key') ||
    problem.code === 'ssh.no-common-algorithm' ||
    problem.code === 'run.cancelled'
  return err({ code: keeps ? problem.code : 'ssh.jump-failed', detail })
}
