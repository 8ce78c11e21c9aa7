import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import ssh2, { type BaseAgent, type ParsedKey } from 'ssh2'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { fingerprintOf, keyType } from '../../core/fleet/known-hosts.ts'
import type { Credentials } from '../../core/ports/ports.ts'

const { createAgent, utils } = ssh2

type Agent = BaseAgent<ParsedKey>

/**
 * Content of the user's SSH agent: the keys that ssh2 can use, and the types of all keys, including certificates and
 * FIDO keys.
 */
interface HeldKeys {
  readonly agent: Agent
  readonly keys: readonly ParsedKey[]
  readonly types: readonly string[]
}

const isCertificateType = (type: string): boolean => type.includes('-cert-')

/** Address of the user's SSH agent: SSH_AUTH_SOCK, or the pipe of OpenSSH for Windows. */
const agentAddress = (): string | null =>
  process.env.SSH_AUTH_SOCK ?? (process.platform === 'win32' ? '\\\\.\\pipe\\openssh-ssh-agent' : null)

/** Lists the agent's keys; null when there is no agent, or it does not answer within two seconds. */
async function agentKeys(): Promise<HeldKeys | null> {
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

/** Login credentials: these keys (from a file, or in the agent), or what a person types. */
export interface Login {
  readonly keys: readonly ParsedKey[]
  readonly agent: Agent | null
  readonly ask: ((question: string) => Promise<string | null>) | null
}

/** Key files that a person unlocked, by path: many nodes share one, and its passphrase is requested once. */
export type Unlocked = Map<string, Promise<Outcome<ParsedKey>>>

/** More keys than this from an agent are not tried: sshd's MaxAuthTries is 6, and login guards count failures. */
const MOST_AGENT_KEYS = 4

/**
 * Reads keys before connecting, so that typing a passphrase never meets the server's LoginGraceTime. Fails with
 * `ssh.no-credential` or `ssh.passphrase-needed`; nothing was sent to the node then.
 */
export async function planLogin(credentials: Credentials, unlocked: Unlocked): Promise<Outcome<Login>> {
  const ask = credentials.ask ?? null
  if (credentials.identityFile !== undefined)
    return await fromFile(credentials.identityFile, credentials, ask, unlocked)
  if (credentials.agent) {
    const held = await agentKeys()
    const keys = (held?.keys ?? []).slice(0, MOST_AGENT_KEYS)
    if (held !== null && keys.length > 0) return ok({ keys, agent: held.agent, ask })
    if (ask === null) return fail('ssh.no-credential', whyAgentless(held))
  }
  return ask === null
    ? fail('ssh.no-credential', 'no identity file, no agent, and no terminal for a password')
    : ok({ keys: [], agent: null, ask })
}

async function fromFile(
  path: string,
  credentials: Credentials,
  ask: Login['ask'],
  unlocked: Unlocked,
): Promise<Outcome<Login>> {
  let data: Buffer
  try {
    data = await readFile(path)
  } catch {
    return fail('ssh.no-credential', `the identity file ${path} could not be read`)
  }
  const plainKey = parsePrivate(data)
  if (plainKey.ok) return ok({ keys: [plainKey.value], agent: null, ask })
  // An encrypted or public key file still identifies the agent's key.
  const held = await agentKeys()
  const wanted = await publicBlob(path, data)
  const inAgent = held?.keys.filter((key) => wanted !== null && key.getPublicSSH().equals(wanted)) ?? []
  if (held !== null && inAgent.length > 0) return ok({ keys: inAgent, agent: held.agent, ask })
  if (!isEncrypted(plainKey.error))
    return fail('ssh.no-credential', `${path} contains no readable private key (${plainKey.error})`)
  const known = unlocked.get(path) ?? unlock(path, data, credentials)
  unlocked.set(path, known)
  const opened = await known
  return opened.ok ? ok({ keys: [opened.value], agent: null, ask }) : opened
}

async function unlock(path: string, data: Buffer, credentials: Credentials): Promise<Outcome<ParsedKey>> {
  const passphrase = await credentials.ask?.(`Passphrase for ${path}`)
  if (passphrase === undefined || passphrase === null) return fail('ssh.passphrase-needed', path)
  const opened = parsePrivate(data, passphrase)
  return opened.ok ? ok(opened.value) : fail('ssh.passphrase-needed', `the passphrase does not open ${path}`)
}

function parsePrivate(
  data: Buffer,
  passphrase?: string,
): { ok: true; value: ParsedKey } | { ok: false; error: string } {
  const parsed = utils.parseKey(data, passphrase)
  const key = Array.isArray(parsed) ? parsed[0] : parsed
  if (key === undefined || key instanceof Error) return { ok: false, error: key?.message ?? 'empty' }
  return key.isPrivateKey() ? { ok: true, value: key } : { ok: false, error: 'it is a public key' }
}

const isEncrypted = (message: string): boolean => /encrypted|passphrase/i.test(message)

/** The public key next to a private key file, or the file itself when it is one. */
async function publicBlob(path: string, data: Buffer): Promise<Buffer | null> {
  const beside = existsSync(`${path}.pub`) ? await readFile(`${path}.pub`).catch(() => data) : data
  const parsed = utils.parseKey(beside)
  const key = Array.isArray(parsed) ? parsed[0] : parsed
  return key === undefined || key instanceof Error ? null : key.getPublicSSH()
}

const whyAgentless = (held: HeldKeys | null): string =>
  held === null
    ? 'no SSH agent found (SSH_AUTH_SOCK), and identityFile is not set'
    : held.types.length === 0
      ? 'the SSH agent has no keys'
      : 'the SSH agent has only certificates or hardware keys, which need “transport: openssh”'

/** Why only the system ssh program could log in with these credentials, or null. */
export async function needsSystemClient(credentials: Credentials): Promise<string | null> {
  const path = credentials.identityFile
  if (path !== undefined) {
    if (existsSync(`${path}-cert.pub`)) return `${path} has a certificate`
    const data = await readFile(path).catch(() => null)
    const parsed = data === null ? null : utils.parseKey(data)
    return parsed instanceof Error && /sk-(ssh|ecdsa)/.test(parsed.message) ? `${path} is a hardware key` : null
  }
  if (!credentials.agent) return null
  const held = await agentKeys()
  if (held?.types.some(isCertificateType) === true) return 'the SSH agent has a certificate'
  return held !== null && held.types.length > 0 && held.keys.length === 0
    ? 'the SSH agent has only hardware keys'
    : null
}

/** `publickey TYPE FINGERPRINT`: how a recording names a login by key. */
export const publickeyMethod = (key: ParsedKey): string => `publickey ${key.type} ${fingerprintOf(key.getPublicSSH())}`
