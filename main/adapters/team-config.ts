import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TeamConfig, TeamEngagement } from '../../schemas/types.ts'
import { fail, type Outcome, ok } from '../core/failure.ts'
import { type PlacedDocument, placeOf, readDocument } from './declarations/engagement-file.ts'
import { ownersFile } from './stored-file.ts'

/** A configuration with absolute paths, and a function that names the position of problems in its file. */
export type ReadTeamConfig = PlacedDocument<TeamConfig>

/** Reads the configuration of a team server, YAML or JSON. Fails as readDocument(). */
export async function readTeamConfig(file: string): Promise<Outcome<ReadTeamConfig>> {
  const path = resolve(file)
  const read = await readDocument<TeamConfig>('team', path)
  if (!read.ok) return read
  const { value } = read.value
  const at = (named: string): string => resolve(placeOf(named, path))
  const { tls } = value.listen
  const { clientSecretFile } = value.oidc
  const [first, ...others] = value.engagements
  const placed = (engagement: TeamEngagement): TeamEngagement => ({ ...engagement, folder: at(engagement.folder) })
  return ok({
    ...read.value,
    value: {
      ...value,
      listen: {
        ...value.listen,
        ...(tls === undefined ? {} : { tls: { certificate: at(tls.certificate), key: at(tls.key) } }),
      },
      oidc: {
        ...value.oidc,
        ...(clientSecretFile === undefined ? {} : { clientSecretFile: at(clientSecretFile) }),
      },
      engagements: [placed(first), ...others.map(placed)],
      auditLog: at(value.auditLog),
    },
  })
}

/** What the files of a configuration hold. */
export interface TeamSecrets {
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly clientSecret: string | null
}

/** Reads certificate, key and client secret. Fails with input.not-found, or input.refused where others can read a secret. */
export function readTeamSecrets({ listen, oidc }: TeamConfig): Outcome<TeamSecrets> {
  const secret = oidc.clientSecretFile === undefined ? ok(null) : ownersFile(oidc.clientSecretFile, 'client secret')
  if (!secret.ok) return secret
  if (listen.tls === undefined) return ok({ tls: null, clientSecret: secret.value })
  const { certificate, key } = listen.tls
  // Its first line is the label of the key: this checks who can read the file.
  const checked = ownersFile(key, 'private key')
  if (!checked.ok) return checked
  try {
    const tls = { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') }
    return ok({ tls, clientSecret: secret.value })
  } catch {
    return fail('input.not-found', certificate)
  }
}
