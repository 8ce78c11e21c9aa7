import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TeamConfig, TeamDatabase, TeamEngagement, TeamObjects } from '../../schemas/types.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { stated } from '../core/base/optional.ts'
import { type PlacedDocument, placeOf, readDocument } from './declarations/engagement-file.ts'
import { ownersFile } from './secret-file.ts'

/** A configuration with absolute paths, and a function that names the position of problems in its file. */
type ReadTeamConfig = PlacedDocument<TeamConfig>

/** Reads the configuration of a team server, YAML or JSON. Fails as readDocument(). */
export async function readTeamConfig(file: string): Promise<Outcome<ReadTeamConfig>> {
  const path = resolve(file)
  const read = await readDocument<TeamConfig>('team', path)
  if (!read.ok) return read
  const { value } = read.value
  const at: At = (named) => (named === undefined ? named : (resolve(placeOf(named, path)) as typeof named))
  const { tls } = value.listen
  const { clientSecretFile } = value.oidc
  const [first, ...others] = value.engagements
  const placed = ({ integrations, ...engagement }: TeamEngagement): TeamEngagement => ({
    ...engagement,
    folder: at(engagement.folder),
    ...stated({ integrations: at(integrations) }),
  })
  return ok({
    ...read.value,
    value: {
      ...value,
      listen: {
        ...value.listen,
        ...stated({ tls: tls && { certificate: at(tls.certificate), key: at(tls.key) } }),
      },
      oidc: { ...value.oidc, ...stated({ clientSecretFile: at(clientSecretFile) }) },
      engagements: [placed(first), ...others.map(placed)],
      auditLog: at(value.auditLog),
      ...stated({
        database: value.database && placedDatabase(value.database, at),
        objects: value.objects && placedObjects(value.objects, at),
      }),
    },
  })
}

/** The absolute path of a file that a configuration names. */
type At = <T extends string | undefined>(named: T) => T

function placedDatabase(database: TeamDatabase, at: At): TeamDatabase {
  const placed = <T extends { readonly passwordFile?: string }>(one: T): T => ({
    ...one,
    ...stated({ passwordFile: at(one.passwordFile) }),
  })
  const { tls, owner } = database
  return {
    ...placed(database),
    ...stated({ tls: tls?.ca === undefined ? undefined : { ca: at(tls.ca) }, owner: owner && placed(owner) }),
  }
}

const placedObjects = ({ s3, folder, ...others }: TeamObjects, at: At): TeamObjects => ({
  ...others,
  ...stated({
    folder: at(folder),
    s3: s3 && { ...s3, credentialsFile: at(s3.credentialsFile), ...stated({ ca: at(s3.ca) }) },
  }),
})

/** The content of the files that a configuration names. */
interface TeamSecrets {
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly clientSecret: string | null
  /** Null without a database. */
  readonly database: DatabaseSecrets | null
  /** Null without a bucket. */
  readonly objects: ObjectSecrets | null
}

/** Credentials of a bucket, and the certificates that its store must be issued by. */
export interface ObjectSecrets {
  readonly accessKey: string
  readonly secretKey: string
  readonly ca: string | null
}

/** Passwords of the roles, where there are any, and the certificates that the database must be issued by. */
export interface DatabaseSecrets {
  readonly password: string | null
  readonly ownerPassword: string | null
  readonly ca: string | null
}

/** Reads certificates, key, client secret and passwords. Fails with input.not-found, or input.refused where others can read a secret. */
export function readTeamSecrets({ listen, oidc, database, objects }: TeamConfig): Outcome<TeamSecrets> {
  const secret = secretIn(oidc.clientSecretFile, 'client secret')
  if (!secret.ok) return secret
  const passwords = database === undefined ? ok(null) : readDatabaseSecrets(database)
  if (!passwords.ok) return passwords
  const bucket = readObjectSecrets(objects)
  if (!bucket.ok) return bucket
  const tls = readTls({ listen })
  return tls.ok
    ? ok({ tls: tls.value, clientSecret: secret.value, database: passwords.value, objects: bucket.value })
    : tls
}

/** Reads certificate and key; null without TLS. Fails as readTeamSecrets(). */
export function readTls({ listen }: Pick<TeamConfig, 'listen'>): Outcome<TeamSecrets['tls']> {
  if (listen.tls === undefined) return ok(null)
  const { certificate, key } = listen.tls
  // Its first line is the label of the key: this checks who can read the file.
  const checked = ownersFile(key, 'private key')
  if (!checked.ok) return checked
  try {
    return ok({ cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') })
  } catch {
    return fail('input.not-found', certificate)
  }
}

/** Reads the passwords and certificates of a database. Fails as readTeamSecrets(). */
function readDatabaseSecrets({ passwordFile, tls, owner }: TeamDatabase): Outcome<DatabaseSecrets> {
  const password = secretIn(passwordFile, 'password of the database')
  if (!password.ok) return password
  const ownerPassword = secretIn(owner?.passwordFile, 'password of the owner of the tables')
  if (!ownerPassword.ok) return ownerPassword
  try {
    const ca = tls?.ca === undefined ? null : readFileSync(tls.ca, 'utf8')
    return ok({ password: password.value, ownerPassword: ownerPassword.value, ca })
  } catch {
    return fail('input.not-found', tls?.ca ?? '')
  }
}

/** Reads the credentials and certificates of a bucket; null without one. Fails as readTeamSecrets(). */
export function readObjectSecrets(objects: TeamObjects | undefined): Outcome<ObjectSecrets | null> {
  const s3 = objects?.s3
  if (s3 === undefined) return ok(null)
  const line = ownersFile(s3.credentialsFile, 'credentials of the bucket')
  if (!line.ok) return line
  const [, accessKey, secretKey] = /^([!-9;-~]{1,200}):([!-~]{1,200})$/.exec(line.value) ?? []
  if (accessKey === undefined || secretKey === undefined)
    return fail('input.refused', `${s3.credentialsFile} does not begin with a line ACCESS-KEY:SECRET-KEY`)
  try {
    return ok({ accessKey, secretKey, ca: s3.ca === undefined ? null : readFileSync(s3.ca, 'utf8') })
  } catch {
    return fail('input.not-found', s3.ca ?? '')
  }
}

/** The first line of a file that only its owner can read; null without a file. Fails as ownersFile(), and with input.refused for an empty line. */
function secretIn(file: string | undefined, holds: string): Outcome<string | null> {
  if (file === undefined) return ok(null)
  const line = ownersFile(file, holds)
  return line.ok && line.value === '' ? fail('input.refused', `${file} does not begin with the ${holds}`) : line
}
