import type { Certificate } from 'pkijs'
import { OID } from './oids.ts'

const SHORT: Readonly<Record<string, string>> = {
  [OID.commonName]: 'CN',
  [OID.organization]: 'O',
  [OID.organizationalUnit]: 'OU',
  [OID.country]: 'C',
}

/** A name for people: the common name where it is the only part, otherwise every part with its short name. */
export function nameText(name: Certificate['subject']): string {
  const parts = name.typesAndValues.map(({ type, value }) => ({ type, text: String(value.valueBlock.value) }))
  const [only] = parts
  if (only !== undefined && parts.length === 1 && only.type === OID.commonName) return only.text
  return parts.map(({ type, text }) => `${SHORT[type] ?? type}=${text}`).join(', ')
}
