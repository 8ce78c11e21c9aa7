import { type DerValue, derValue, inOrder, membersOf, oidText, TAG } from './der-read.ts'

/** One extension of a certificate (RFC 5280 §4.1.2.9). */
export interface ExtensionFacts {
  readonly id: string
  readonly critical: boolean
  /** The content of the extension, when it is one value in DER. */
  readonly value: DerValue | null
}

const EXTENSIONS = 0xa3

/** The extensions of a certificate, in order; none when it has none or is not a certificate. */
export function extensionsOf(certificate: DerValue): readonly ExtensionFacts[] {
  const [tbs] = membersOf(certificate)
  const explicit = tbs === undefined ? undefined : membersOf(tbs).find(({ tag }) => tag === EXTENSIONS)
  const [list] = explicit === undefined ? [] : membersOf(explicit)
  return (list === undefined ? [] : membersOf(list)).map((one) => {
    const parts = inOrder(one)
    const id = oidText(parts.take(TAG.oid))
    const critical = parts.take(TAG.boolean) !== undefined
    const octets = parts.take(TAG.octets)
    return { id, critical, value: octets === undefined ? null : derValue(octets.content) }
  })
}
