import type { TeamConfig, TeamDatabase, TeamEngagement, TeamObjects } from '../../schemas/types.ts'
import { isSameJson } from '../core/base/canonical-json.ts'
import { databaseAddress, isSocket } from '../core/base/database-address.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { isLoopback, isLoopbackUrl } from '../core/base/loopback.ts'

/** A configuration with its defaults filled in, and with absolute paths. */
export interface TeamSettings {
  readonly config: TeamConfig
  /** Scheme, host and port as browsers use them. */
  readonly origin: string
  readonly idleMs: number
  readonly absoluteMs: number
  readonly uploadBytes: number
  readonly requestMs: number
  /** Time to answer a call. */
  readonly callMs: number
  readonly callsPerSession: number
  readonly calls: number
  /** Maximum number of concurrent verifications for auditors. */
  readonly verifications: number
  readonly verificationsWaiting: number
  readonly signInsPerMinute: number
}

const MINUTE_MS = 60_000
const MIB = 1024 * 1024

/** The configured public origin, or the origin of the listening address and port. */
export function originOf({ listen, publicUrl }: TeamConfig, port: number): string {
  if (publicUrl !== undefined) return publicUrl
  const host = listen.address.includes(':') ? `[${listen.address}]` : listen.address
  return `${listen.tls === undefined ? 'http' : 'https'}://${host}:${port}`
}

/** The settings of a valid configuration, for the port that the server listens on. */
export const settingsOf = (config: TeamConfig, port: number): TeamSettings => ({
  config,
  origin: originOf(config, port),
  idleMs: (config.sessions?.idleMinutes ?? 30) * MINUTE_MS,
  absoluteMs: (config.sessions?.absoluteMinutes ?? 480) * MINUTE_MS,
  uploadBytes: (config.limits?.uploadMiB ?? 64) * MIB,
  requestMs: (config.limits?.requestSeconds ?? 60) * 1000,
  callMs: (config.limits?.callSeconds ?? 240) * 1000,
  callsPerSession: config.limits?.callsPerSession ?? 32,
  calls: config.limits?.calls ?? 256,
  verifications: config.limits?.verifications ?? 2,
  verificationsWaiting: config.limits?.verificationsWaiting ?? 16,
  signInsPerMinute: config.limits?.signInsPerMinute ?? 20,
})

/** A problem of one part of the configuration; `text` follows the name of the part. */
interface ConfigProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** Problems that the schema cannot express; empty where the configuration can be served. Expects absolute, normalized paths. */
export function problemsOf({
  listen,
  publicUrl,
  oidc,
  monitoring,
  engagements,
  collectors = [],
  sealers = [],
  database,
  objects,
  serves,
}: TeamConfig): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const wrong = (path: ConfigProblem['path'], text: string): void => void problems.push({ path, text })
  if (listen.tls === undefined && !isLoopback(listen.address))
    wrong(['listen', 'address'], 'is not a loopback address; without tls the server listens on loopback only')
  if (publicUrl?.startsWith('http:') === true && !isLoopbackUrl(publicUrl))
    wrong(['publicUrl'], 'must begin with https, unless its host is a loopback address')
  if (publicUrl !== undefined && publicUrl.startsWith('https:') !== (listen.tls !== undefined))
    wrong(['publicUrl'], 'must have the scheme that the server listens with')
  if (oidc.issuer.startsWith('http:') && !isLoopbackUrl(oidc.issuer))
    wrong(['oidc', 'issuer'], 'must begin with https, unless its host is a loopback address')
  if (monitoring !== undefined && !isLoopback(monitoring.address))
    wrong(['monitoring', 'address'], 'is not a loopback address')
  for (const [at, engagement] of engagements.entries()) {
    const others = engagements.slice(0, at)
    if (others.some(({ name }) => name === engagement.name))
      wrong(['engagements', at, 'name'], 'is the name of another engagement')
    const inside = others.find(({ folder }) => overlap(folder, engagement.folder))
    if (inside !== undefined)
      wrong(['engagements', at, 'folder'], `is within the folder of ${inside.name}, or contains it`)
    const { integrations } = engagement
    if (integrations !== undefined && others.some((other) => other.integrations === integrations))
      wrong(['engagements', at, 'integrations'], 'is that of another engagement; each has an outbox of its own')
    if (engagement.enter.groups !== undefined && oidc.groupsClaim === undefined)
      wrong(['engagements', at, 'enter'], 'names groups, but oidc has no groupsClaim')
  }
  for (const [list, what, programs] of [
    ['collectors', 'collector', collectors],
    ['sealers', 'sealer', sealers],
  ] as const)
    for (const [at, { name, engagement, tokenDigest }] of programs.entries()) {
      const others = programs.slice(0, at)
      if (others.some((other) => other.name === name)) wrong([list, at, 'name'], `is the name of another ${what}`)
      if (others.some((other) => other.tokenDigest === tokenDigest))
        wrong([list, at, 'tokenDigest'], `is that of another ${what}; each has a token of its own`)
      if (!engagements.some((one) => one.name === engagement))
        wrong([list, at, 'engagement'], 'is not an engagement of this file')
    }
  for (const [at, { tokenDigest }] of sealers.entries())
    if (collectors.some((other) => other.tokenDigest === tokenDigest))
      wrong(['sealers', at, 'tokenDigest'], 'is that of a collector; each has a token of its own')
  if (serves === 'collectors' && database === undefined)
    wrong(['serves'], 'needs database: without it, only one process can have the jobs of an engagement')
  return [
    ...problems,
    ...(database === undefined ? [] : databaseProblems(database)),
    ...(objects === undefined ? [] : objectProblems(objects, engagements)),
  ]
}

function objectProblems({ s3, folder }: TeamObjects, engagements: readonly TeamEngagement[]): readonly ConfigProblem[] {
  if ((s3 === undefined) === (folder === undefined))
    return [{ path: ['objects'], text: 'must name either s3 or folder' }]
  if (s3 !== undefined)
    return s3.endpoint.startsWith('http:') && !isLoopbackUrl(s3.endpoint)
      ? [{ path: ['objects', 's3', 'endpoint'], text: 'must begin with https, unless its host is a loopback address' }]
      : []
  const inside = engagements.find((one) => overlap(one.folder, folder ?? ''))
  return inside === undefined
    ? []
    : [{ path: ['objects', 'folder'], text: `is within the folder of ${inside.name}, or contains it` }]
}

function databaseProblems({ url, tls, owner }: TeamDatabase): readonly ConfigProblem[] {
  const address = databaseAddress(url)
  if (!address.ok) return [{ path: ['database', 'url'], text: address.error }]
  const { host, user } = address.value
  const isHere = isSocket(address.value) || isLoopback(host)
  return [
    ...(tls === undefined && !isHere
      ? [{ path: ['database', 'url'], text: 'is not on a loopback address or a Unix socket; this needs tls' }]
      : []),
    ...(tls !== undefined && isSocket(address.value)
      ? [{ path: ['database', 'tls'], text: 'cannot be used over a Unix socket' }]
      : []),
    ...(owner?.user === user
      ? [{ path: ['database', 'owner', 'user'], text: 'is the user of the server; it must own no tables' }]
      : []),
  ]
}

/** Whether one of two folders is the other or within it. */
const overlap = (a: string, b: string): boolean => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`)

/**
 * The running configuration with the collectors, the sealers and the access to engagements of another valid one. Fails with input.refused where
 * anything else differs, and where an engagement would have its first collector or sealer, which needs a start.
 */
export function reloadedConfig(running: TeamConfig, wanted: TeamConfig): Outcome<TeamConfig> {
  if (!isSameJson(fixedOf(running), fixedOf(wanted)))
    return fail(
      'input.refused',
      'more than collectors, sealers and who may enter engagements differs; start the server again',
    )
  for (const list of ['collectors', 'sealers'] as const) {
    const known = new Set((running[list] ?? []).map(({ engagement }) => engagement))
    const added = wanted[list]?.find(({ engagement }) => !known.has(engagement))
    if (added !== undefined)
      return fail('input.refused', `${added.engagement} has no ${list} yet; start the server again`)
  }
  const { collectors = [], sealers = [], engagements } = wanted
  return ok({ ...running, collectors, sealers, engagements })
}

/** Engagements that other people may enter than before. */
export const enteredByOthers = (before: TeamConfig, after: TeamConfig): readonly TeamEngagement[] =>
  after.engagements.filter(({ enter }, at) => !isSameJson(enter, before.engagements[at]?.enter))

/** The part of a configuration that only a start can change. */
const fixedOf = ({ collectors: _, sealers: __, engagements, ...rest }: TeamConfig) => ({
  ...rest,
  engagements: engagements.map(({ enter: ___, ...one }) => one),
})
