import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type Agent, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ipcProblems } from '../../main/adapters/ipc-validator.ts'
import { openFileQueue } from '../../main/adapters/jobs/file-queue.ts'
import { openIncoming } from '../../main/adapters/jobs/incoming.ts'
import { placedProblems } from '../../main/adapters/schema-validator.ts'
import { remoteSigning } from '../../main/adapters/seal/remote-signing.ts'
import { digestOf } from '../../main/app/collect/collect-node.ts'
import type { ServerStarts } from '../../main/app/engine/context/context.ts'
import { createEngine } from '../../main/app/engine.ts'
import { zipFolder } from '../../main/app/export/output-files.ts'
import { type RunningServer, type ServeOptions, serve } from '../../main/server/edge/serve.ts'
import type { OpenEngine } from '../../main/server/edge/services/engagements.ts'
import type { Reply } from '../../schemas/ipc.ts'
import { TEAM_HEADERS, type TeamRole, type TeamSession } from '../../schemas/ipc-team.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { validator } from './deps.ts'
import { fakeCatalog } from './fake-catalog.ts'
import { createFakePorts } from './fake-ports.ts'
import { type Lie, startTestProvider, type TestProvider } from './oidc-test-provider.ts'

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: Buffer
}

/** A browser without pages: it keeps cookies, and sends what it is told. */
export interface Visitor {
  readonly cookies: Map<string, string>
  readonly send: (
    verb: string,
    target: string,
    headers?: OutgoingHttpHeaders,
    body?: string | Uint8Array,
  ) => Promise<Answered>
  /** Signs in with these claims; gives the answer to the callback. */
  readonly signIn: (claims: Readonly<Record<string, unknown>>, lie?: Lie) => Promise<Answered>
  readonly session: (engagement: string) => Promise<TeamSession>
  /** Calls a method as the page does. */
  readonly call: (
    engagement: string,
    method: string,
    input: unknown,
    headers?: OutgoingHttpHeaders,
  ) => Promise<Answered>
}

export interface TeamKit {
  readonly folder: string
  readonly server: RunningServer
  readonly provider: TestProvider
  readonly logged: readonly Readonly<Record<string, unknown>>[]
  /** Milliseconds that are added to the time of the server. */
  readonly pass: (milliseconds: number) => void
  readonly visitor: () => Visitor
  /** A visitor who is signed in with a role. */
  readonly as: (role: TeamRole, subject?: string) => Promise<Visitor>
  readonly auditText: () => string
  readonly close: () => Promise<void>
}

export interface TeamKitOptions {
  readonly config?: (config: TeamConfig) => TeamConfig
  readonly tls?: ServeOptions['tls']
  readonly openEngine?: OpenEngine
  readonly pages?: ServeOptions['pages']
  readonly problems?: ServeOptions['problems']
  /** How long an export waits for its signer. */
  readonly patienceMs?: number
  readonly database?: ServeOptions['database']
  readonly copying?: ServeOptions['copying']
  readonly sending?: ServeOptions['sending']
  /** Between two looks at schedules. */
  readonly startEveryMs?: number
}

const sleepFor: ServerStarts['wait'] = (milliseconds, signal) =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)

/** The engine over made-up nodes. */
export const fakeEngine =
  (ports = createFakePorts(), wait: ServerStarts['wait'] = sleepFor): OpenEngine =>
  (folder, desktop, { collection, identities, requests, integrations }) =>
    createEngine({ ...ports, identities: { ...ports.identities, ...identities } }, fakeCatalog, {
      folder,
      desktop,
      signing: identities === null ? 'no-sealer' : 'sealers',
      keepsSealed: true,
      requestsOfAuditors: requests,
      integrations,
      scheduling: { file: `${folder}/schedules/schedules.json`, server: { wait } },
      ...(collection === null ? {} : { remote: collection }),
    })

const PAGES: ServeOptions['pages'] = new Map([
  ['/index.html', { type: 'text/html; charset=utf-8', bytes: new TextEncoder().encode('<p>the page</p>') }],
])

/** The configuration of a kit, for a folder and an identity provider. */
export const kitConfig = (folder: string, issuer: string): TeamConfig => ({
  schema: 'barewitness.team/1',
  listen: { address: '127.0.0.1', port: 0 },
  oidc: { issuer, clientId: 'barewitness-test', rolesClaim: 'roles', groupsClaim: 'groups' },
  roles: { officer: 'officer', auditor: 'auditor', operator: 'operator', administrator: 'administrator' },
  engagements: [
    { name: 'alpha', folder: join(folder, 'alpha'), demo: true, enter: { groups: ['team'] } },
    { name: 'beta', folder: join(folder, 'beta'), enter: { people: ['beta-only'] } },
  ],
  auditLog: join(folder, 'audit.jsonl'),
  limits: { signInsPerMinute: 1000 },
})

const NOTHING_SENT: ServeOptions['sending'] = {
  send: async () => ({ report: null, failures: [] }),
  ...{ everyMs: 600_000, soonMs: 1, endMs: 600_000 },
}

/** Starts a team server over the engine of made-up nodes. */
export const serveFake = (
  config: TeamConfig,
  {
    tls = null,
    openEngine = fakeEngine(),
    pages = PAGES,
    problems = ipcProblems,
    patienceMs = 600_000,
    database = null,
    copying = null,
    sending = NOTHING_SENT,
    startEveryMs = 600_000,
    now = () => Date.now(),
    log = () => undefined,
  }: Omit<TeamKitOptions, 'config'> & Partial<Pick<ServeOptions, 'now' | 'log'>> = {},
): ReturnType<typeof serve> =>
  serve({
    config,
    tls,
    clientSecret: null,
    database,
    openEngine,
    pages,
    problems,
    collecting: {
      catalogDigest: digestOf(fakeCatalog),
      problems: (input, value) => placedProblems(input, value).map(({ text }) => text),
      openQueue: (own) => openFileQueue(own, { now, newId: () => randomBytes(16).toString('hex') }),
      openIncoming: (own, evidence) => openIncoming(own, evidence, validator),
      patienceMs: 600_000,
    },
    sealing: {
      signing: remoteSigning,
      now: () => Date.now(),
      newId: () => randomBytes(16).toString('hex'),
      patienceMs,
    },
    zipFolder: (files) => zipFolder(createFakePorts(), files),
    newFolder: async () => mkdtempSync(join(tmpdir(), 'barewitness-team-')),
    copying,
    sending,
    starting: { everyMs: startEveryMs },
    now,
    log,
  })

/** A team server on loopback with two engagements, `alpha` for everyone of the group team, and `beta` for the subject `beta-only`. */
export async function teamKit({ config = (one) => one, ...options }: TeamKitOptions = {}): Promise<TeamKit> {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-team-test-'))
  const provider = await startTestProvider()
  const logged: Readonly<Record<string, unknown>>[] = []
  let ahead = 0
  const made = await serveFake(config(kitConfig(folder, provider.issuer)), {
    ...options,
    now: () => Date.now() + ahead,
    log: (line) => logged.push(line),
  })
  if (!made.ok) {
    await provider.close()
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`${made.error.code}: ${made.error.detail}`)
  }
  const server = made.value
  const visitor = (): Visitor => visitorOf(server.origin, provider)
  return {
    folder,
    server,
    provider,
    logged,
    pass: (milliseconds) => {
      ahead += milliseconds
    },
    visitor,
    as: async (role, subject = role) => {
      const one = visitor()
      const answered = await one.signIn({ sub: subject, name: subject, roles: [role], groups: ['team'] })
      if (answered.status !== 200) throw new Error(`sign-in as ${role}: ${answered.status}`)
      return one
    },
    auditText: () => readFileSync(join(folder, 'audit.jsonl'), 'utf8'),
    close: async () => {
      await server.close()
      await provider.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A visitor of the server at this address. With `agent`, over connections that are kept, as a browser has them. */
export function visitorOf(origin: string, provider: TestProvider, agent: Agent | false = false): Visitor {
  const cookies = new Map<string, string>()
  const { hostname, port, protocol, host } = new URL(origin)
  const send: Visitor['send'] = (verb, target, headers = {}, body = '') =>
    new Promise((resolve, reject) => {
      const ask = protocol === 'https:' ? httpsRequest : httpRequest
      const sent = ask(
        {
          host: hostname.replace(/^\[|\]$/g, ''),
          port,
          method: verb,
          path: target,
          rejectUnauthorized: false,
          agent,
          headers: {
            host,
            ...(cookies.size === 0
              ? {}
              : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            for (const line of response.headers['set-cookie'] ?? []) {
              const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
              if (value === '') cookies.delete(name)
              else cookies.set(name, value)
            }
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
              bytes: Buffer.concat(chunks),
            })
          })
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const session = async (engagement: string): Promise<TeamSession> => {
    const answered = await send('GET', `/e/${engagement}/api/session`)
    const reply = JSON.parse(answered.text) as Reply<TeamSession>
    if (!reply.ok) throw new Error(`${answered.status} ${reply.error.code}`)
    return reply.value
  }
  let token: string | null = null
  return {
    cookies,
    send,
    signIn: async (claims, lie) => {
      token = null
      const begun = await send('GET', '/auth/sign-in')
      return await send('GET', provider.approve(begun.headers.location ?? '', claims, lie))
    },
    session,
    call: async (engagement, method, input, headers = {}) => {
      token ??= await session(engagement).then(
        ({ csrf }) => csrf,
        () => null,
      )
      return await send(
        'POST',
        `/e/${engagement}/api/call/${method}`,
        { 'content-type': 'application/json', [TEAM_HEADERS.csrf]: token ?? '', ...headers },
        typeof input === 'string' ? input : JSON.stringify(input),
      )
    },
  }
}

export const replyIn = <T>({ text }: Answered): Reply<T> => JSON.parse(text) as Reply<T>

/** The value of an answer, or an error that names the failure. */
export function answerValue<T>(answered: Answered): T {
  const reply = replyIn<T>(answered)
  if (!reply.ok) throw new Error(`${answered.status} ${reply.error.code}: ${reply.error.detail}`)
  return reply.value
}

/** The code of a failure, or `answered`. */
export function codeOf(answered: Answered): string {
  const reply = replyIn(answered)
  return reply.ok ? 'answered' : reply.error.code
}
