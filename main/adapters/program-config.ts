import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CollectorConfig, IntegrationsConfig, SealerConfig } from '../../schemas/types.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { isLoopbackUrl } from '../core/base/loopback.ts'
import { COLLECTOR_TOKEN } from '../core/team/jobs.ts'
import { type PlacedDocument, placeOf, readDocument } from './declarations/engagement-file.ts'
import type { PlacedProblem } from './schema-validator.ts'
import { ownersFile } from './secret-file.ts'

/** Reads the configuration of a collector, YAML or JSON, with absolute paths. Fails as readDocument(). */
export const readCollectorConfig = (file: string): Promise<Outcome<PlacedDocument<CollectorConfig>>> =>
  readPlaced('collector', file, (value: CollectorConfig, at) => ({
    ...value,
    tokenFile: at(value.tokenFile),
    fleet: at(value.fleet),
    spool: at(value.spool),
    ...(value.certificate === undefined ? {} : { certificate: at(value.certificate) }),
  }))

/**
 * Reads the configuration of a sealer, YAML or JSON, with absolute paths. Fails as readDocument(), and with input.refused for an
 * unencrypted connection.
 */
export async function readSealerConfig(file: string): Promise<Outcome<SealerConfig>> {
  const read = await readPlaced('sealer', file, (value: SealerConfig, at) => ({
    ...value,
    tokenFile: at(value.tokenFile),
    record: at(value.record),
    ...(value.certificate === undefined ? {} : { certificate: at(value.certificate) }),
  }))
  if (!read.ok) return read
  const { value, refuse } = read.value
  const problems = serverProblems(value)
  return problems.length === 0 ? ok(value) : refuse(problems)
}

/** The problem of a team server’s address to which connections would not be encrypted; none otherwise. */
export const serverProblems = ({ server }: { readonly server: string }): readonly PlacedProblem[] =>
  server.startsWith('http:') && !isLoopbackUrl(server)
    ? [{ path: ['server'], text: 'must begin with https, unless its host is a loopback address' }]
    : []

/** Reads the configuration of integrations, YAML or JSON, with absolute paths. Fails as readDocument(). */
export const readIntegrationsConfig = (file: string): Promise<Outcome<PlacedDocument<IntegrationsConfig>>> =>
  readPlaced('integrations', file, (value: IntegrationsConfig, at) => {
    const placed = (target: object): object =>
      Object.fromEntries(
        Object.entries(target).map(([name, text]) => [name, TARGET_FILES.has(name) ? at(String(text)) : text]),
      )
    const targets = Object.entries(value).flatMap(([kind, list]) =>
      Array.isArray(list) && kind !== 'trust' ? [[kind, list.map(placed)] as const] : [],
    )
    return {
      ...value,
      ...Object.fromEntries(targets),
      outbox: at(value.outbox),
      ...(value.trust === undefined ? {} : { trust: value.trust.map(at) }),
    }
  })

/** Fields of a target that name a file or a folder of this computer. */
const TARGET_FILES: ReadonlySet<string> = new Set(['tokenFile', 'keyFile', 'urlFile', 'folder'])

/** A document whose relative paths start at its own folder. */
async function readPlaced<T>(
  kind: 'collector' | 'sealer' | 'integrations',
  file: string,
  placed: (value: T, at: (named: string) => string) => T,
): Promise<Outcome<PlacedDocument<T>>> {
  const path = resolve(file)
  const read = await readDocument<T>(kind, path)
  if (!read.ok) return read
  return ok({ ...read.value, value: placed(read.value.value, (named) => resolve(placeOf(named, path))) })
}

interface ProgramSecrets {
  readonly token: string
  /** PEM, or null. */
  readonly certificate: string | null
}

/** Reads token and certificate. Fails with input.not-found, and with input.refused where others can read the token, or it is none. */
export function readProgramSecrets({
  tokenFile,
  certificate,
}: Pick<CollectorConfig | SealerConfig, 'tokenFile' | 'certificate'>): Outcome<ProgramSecrets> {
  const token = ownersFile(tokenFile, 'token')
  if (!token.ok) return token
  if (!COLLECTOR_TOKEN.test(token.value)) return fail('input.refused', `${tokenFile} does not contain a token`)
  if (certificate === undefined) return ok({ token: token.value, certificate: null })
  try {
    return ok({ token: token.value, certificate: readFileSync(certificate, 'utf8') })
  } catch {
    return fail('input.not-found', certificate)
  }
}
