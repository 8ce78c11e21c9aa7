import type { Client } from 'ssh2'
import ssh2 from 'ssh2'
import { fingerprintOf, keyType } from '../../core/known-hosts.ts'
import { plain } from '../../core/plain-text.ts'
import type { MethodsHeard } from '../../core/ssh-methods.ts'
import { openChannel } from './dial.ts'
import { HOST_KEY_KINDS, softwareVersion } from './ssh2-client.ts'
import { offerInExchange, silenceAfterEnd } from './ssh2-internals.ts'

const NOTHING: Omit<MethodsHeard, 'outcome'> = { version: null, hostKey: null, offer: null, methods: [] }
/** More names than any server has; each is short by RFC 4251, section 6. */
const MOST_METHODS = 16

/**
 * Queries a server of the node, through the open connection, for the methods it offers a user: key exchange, one `none`
 * request (RFC 4252, section 5.2), and the end of the connection. Nothing else is sent, and where the request succeeds,
 * the connection is ended before any session.
 * The server's host key is recorded and not verified, which the rule against logging in to unverified hosts allows: a
 * `none` request contains no password, key, signature or token, so that an impostor learns a user name from the fleet
 * file, and nothing to log in with. `late` ends the wait.
 */
export async function askMethods(
  through: Client,
  target: { readonly host: string; readonly port: number; readonly user: string },
  late: Promise<unknown>,
): Promise<MethodsHeard> {
  const opened = await openChannel(through, target.host, target.port)
  if (!opened.ok) return { outcome: opened.why, ...NOTHING }
  const { channel } = opened
  return await new Promise((resolve) => {
    const client = new ssh2.Client()
    let hostKey: MethodsHeard['hostKey'] = null
    let offer: MethodsHeard['offer'] = null
    let isOver = false
    let isHeard = false
    const finish = (outcome: MethodsHeard['outcome'], methods: readonly string[] = []): void => {
      if (isOver) return
      isOver = true
      const version = softwareVersion(client)
      client.end()
      client.destroy()
      channel.destroy()
      resolve({ outcome, version, hostKey, offer, methods })
    }
    client.on('ready', () => finish('accepted'))
    client.on('error', (problem) =>
      finish(isHeard && softwareVersion(client) === null ? 'not-ssh' : outcomeOf(problem)),
    )
    client.on('close', () => finish(isHeard && softwareVersion(client) === null ? 'not-ssh' : 'closed'))
    through.once('close', () => finish('lost'))
    void late.then(() => finish('silent'))
    try {
      client.connect({
        sock: channel,
        username: target.user,
        ident: 'barewitness',
        readyTimeout: 0,
        keepaliveInterval: 0,
        agentForward: false,
        algorithms: { serverHostKey: HOST_KEY_KINDS.flat(), compress: ['none'] },
        hostVerifier: (key: Buffer): boolean => {
          hostKey ??= { type: keyType(key) ?? 'unknown', fingerprint: fingerprintOf(key) }
          offer ??= offerInExchange(client)
          return true
        },
        authHandler: (left) => {
          // The first call comes before anything was sent; what is left after our one request is the reply.
          if (left === null) return { type: 'none', username: target.user }
          finish(
            'methods',
            (left as readonly string[]).slice(0, MOST_METHODS).map((name) => plain(name, 64)),
          )
          return false
        },
      })
      // Lines before its name are a greeting to SSH (RFC 4253, section 4.2), and all that other protocols send.
      channel.once('data', () => {
        isHeard = true
      })
      silenceAfterEnd(client)
    } catch {
      finish('closed')
    }
  })
}

const outcomeOf = ({ message }: Error): MethodsHeard['outcome'] =>
  /no matching /i.test(message) ? 'no-common' : 'closed'
