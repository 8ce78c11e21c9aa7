import { err, ok, type Result } from './failure.ts'

/** The address of a database, as the URL in a configuration states it. */
export interface DatabaseAddress {
  readonly user: string
  /** Host name, IP address, or the absolute path of the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
}

const FORM =
  /^postgres(?:ql)?:\/\/([^/?#@]+)@(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.%_-]+)(?::([0-9]{1,5}))?\/([A-Za-z0-9_-]+)$/
const ROLE = /^[a-z_][a-z0-9_]{0,62}$/
const DEFAULT_PORT = 5432
const LARGEST_PORT = 65_535

/**
 * Parses the URL of a database. The error is worded to follow the name of the member and quotes nothing of the URL,
 * which may contain a password.
 */
export function databaseAddress(url: string): Result<DatabaseAddress, string> {
  if (/^[a-z]+:\/\/[^/?#@]*:[^/?#]*@/.test(url)) return err('holds a password; name a file in passwordFile instead')
  if (/[?#]/.test(url)) return err('has options after ? or #, which are not read')
  const [, user = '', host = '', port, database = ''] = FORM.exec(url) ?? []
  if (database === '') return err('is not in the form postgres://USER@HOST:PORT/DATABASE')
  if (!ROLE.test(user)) return err('names a user that is not in lower case letters, digits and underscores')
  const number = port === undefined ? DEFAULT_PORT : Number(port)
  if (number < 1 || number > LARGEST_PORT) return err('names a port that does not exist')
  const place = placeOf(host)
  return place === null ? err('names a host that cannot be read') : ok({ user, host: place, port: number, database })
}

/** A Unix socket is reachable from this computer only. */
export const isSocket = ({ host }: DatabaseAddress): boolean => host.startsWith('/')

function placeOf(host: string): string | null {
  if (host.startsWith('[')) return host.slice(1, -1)
  if (!host.includes('%')) return host
  try {
    const path = decodeURIComponent(host)
    return path.startsWith('/') && !path.includes('\0') ? path : null
  } catch {
    return null
  }
}
