import { connect } from 'node:net'
import type { BaseAgent, ParsedKey } from 'ssh2'
import ssh2 from 'ssh2'
import { keyType } from '../../core/known-hosts.ts'

const { createAgent, utils } = ssh2

export type Agent = BaseAgent<ParsedKey>

/**
 * Content of the user's SSH agent: keys that ssh2 can use, and the types of everything, certificates and FIDO keys
 * included.
 */
export interface HeldKeys {
  readonly agent: Agent
  readonly keys: readonly ParsedKey[]
  readonly types: readonly string[]
}

export const isCertificateType = (type: string): boolean => type.includes('-cert-')

/** Address of the user's SSH agent: SSH_AUTH_SOCK, or the pipe of OpenSSH for Windows. */
export const agentAddress = (): string | null =>
  process.env.SSH_AUTH_SOCK ?? (process.platform === 'win32' ? '\\\\.\\pipe\\openssh-ssh-agent' : null)

/** Lists the agent's keys; null when there is no agent, or it does not answer within two seconds. */
export async function agentKeys(): Promise<HeldKeys | null> {
  const address = agentAddress()
  const blobs = address === null ? null : await listIdentities(address)
  if (address === null || blobs === null) return null
  const keys = blobs.map((blob) => utils.parseKey(blob)).filter((key): key is ParsedKey => !(key instanceof Error))
  return { agent: createAgent(address) as Agent, keys, types: blobs.map((blob) => keyType(blob) ?? 'unknown') }
}

/**
 * ssh2 omits what it cannot parse, so the agent is queried directly: SSH_AGENTC_REQUEST_IDENTITIES
 * (draft-ietf-sshm-ssh-agent, section 3.5).
 */
function listIdentities(address: string): Promise<readonly Buffer[] | null> {
  return new Promise((resolve) => {
    const socket = connect(address)
    let answer = Buffer.alloc(0)
    const done = (blobs: readonly Buffer[] | null): void => {
      socket.destroy()
      resolve(blobs)
    }
    socket.setTimeout(2000, () => done(null))
    socket.on('error', () => done(null)).on('close', () => done(null))
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk])
      if (answer.length > 1024 * 1024) return done(null)
      if (answer.length >= 4 && answer.length >= 4 + answer.readUInt32BE(0)) done(readIdentities(answer.subarray(4)))
    })
    socket.write(Buffer.from([0, 0, 0, 1, 11]))
  })
}

function readIdentities(message: Buffer): readonly Buffer[] | null {
  if (message[0] !== 12 || message.length < 5) return null
  const blobs: Buffer[] = []
  let at = 5
  const text = (): Buffer | null => {
    if (at + 4 > message.length) return null
    const start = at + 4
    at = start + message.readUInt32BE(at)
    return at <= message.length ? message.subarray(start, at) : null
  }
  for (let left = Math.min(message.readUInt32BE(1), 1000); left > 0; left--) {
    const [blob, comment] = [text(), text()]
    if (blob === null || comment === null) return null
    blobs.push(blob)
  }
  return blobs
}
