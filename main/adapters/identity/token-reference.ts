/** Location of a key on a token, and its certificates. Public; the PIN is requested each time. */
export interface TokenReference {
  readonly format: typeof TOKEN_FORMAT
  /** The PKCS #11 module of the token's maker. */
  readonly module: string
  readonly token: string
  readonly key: string
  /** The token's own serial number. */
  readonly serial: string
  /** SHA-256 of the certificates. */
  readonly leaf: string
  readonly root: string
}

export const TOKEN_FORMAT = 'barewitness-token/1'
const MEMBERS = ['module', 'token', 'key', 'serial', 'leaf', 'root'] as const

/** Reads a reference; null for any other text. */
export function parseTokenReference(text: string): TokenReference | null {
  try {
    const value = JSON.parse(text) as TokenReference | null
    if (value?.format !== TOKEN_FORMAT || MEMBERS.some((member) => typeof value[member] !== 'string')) return null
    return value
  } catch {
    return null
  }
}
