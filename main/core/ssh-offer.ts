import { wireReader } from './tls/wire.ts'

/** What an SSH server offers in its SSH_MSG_KEXINIT, before anybody logged in, in its own order (RFC 4253 §7.1). `ToNode`: client to server. */
export interface SshOffer {
  readonly kex: readonly string[]
  readonly hostKey: readonly string[]
  readonly cipherToNode: readonly string[]
  readonly cipherFromNode: readonly string[]
  readonly macToNode: readonly string[]
  readonly macFromNode: readonly string[]
  readonly compressionToNode: readonly string[]
  readonly compressionFromNode: readonly string[]
}

/** In the order of the message. */
export const OFFER_LISTS = [
  'kex',
  'hostKey',
  'cipherToNode',
  'cipherFromNode',
  'macToNode',
  'macFromNode',
  'compressionToNode',
  'compressionFromNode',
] as const satisfies readonly (keyof SshOffer)[]

const MOST_NAMES = 200

/** Names of RFC 4251 §6: printable, without comma, at most 64 characters. null where a list holds anything else, or has no end. */
export function nameList(text: string): readonly string[] | null {
  if (text === '') return []
  const names = text.split(',', MOST_NAMES + 1)
  return names.length <= MOST_NAMES && names.every((name) => /^[!-+\--~]{1,64}$/.test(name)) ? names : null
}

/** An offer from its eight lists as text, or null where one of them is none. */
export function offerOf(lists: readonly (string | undefined)[]): SshOffer | null {
  const read = OFFER_LISTS.map((_, index) => nameList(lists[index] ?? ','))
  return read.includes(null)
    ? null
    : (Object.fromEntries(OFFER_LISTS.map((key, at) => [key, read[at]])) as unknown as SshOffer)
}

/** Reads the payload of SSH_MSG_KEXINIT: its number, 16 bytes of cookie, then name-lists with lengths of four bytes. */
export function readKexInit(payload: Uint8Array): SshOffer | null {
  const reader = wireReader(payload)
  if (reader.number(1) !== 20 || reader.take(16) === null) return null
  const lists = OFFER_LISTS.map(() => {
    // A list of 16 MiB and more is none.
    const bytes = reader.number(1) === 0 ? reader.vector(3) : null
    return bytes === null ? undefined : String.fromCharCode(...bytes.subarray(0, 65_536))
  })
  return offerOf(lists)
}
