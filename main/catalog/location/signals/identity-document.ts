import { quote } from '../../../core/plain-text.ts'
import type { Parsed, Probe } from '../../../core/probe.ts'
import type { DmiTags } from '../../probes/dmi-tags.ts'
import { type IdentityDocument, identityDocument } from '../../probes/identity-document.ts'
import { asserted, type Found } from '../found.ts'
import { readIdentity } from '../identity.ts'
import { placeCountry } from '../regions.ts'

/** The signed identity document that cloud-init keeps, where it keeps one. */
export function identityDocumentSignals(reading: Parsed<IdentityDocument>, tags: Parsed<DmiTags>): readonly Found[] {
  const rsa2048 = reading.ok ? reading.fact.rsa2048 : null
  return rsa2048 === null ? [] : [signedIdentity('identity-document', rsa2048, tags, identityDocument)]
}

/** A signed document, wherever it was found. */
export const signedIdentity = (
  id: string,
  rsa2048: string,
  tags: Parsed<DmiTags>,
  probe: Probe<unknown>,
  ...commands: readonly string[]
): Found => {
  const { country, text, isBound } = identitySays(readIdentity(rsa2048), tags)
  return { ...asserted(id, country, text, probe, ...commands), ...(isBound ? { class: 'E2' } : {}) }
}

/**
 * What a document states. It counts as the provider’s word about this machine (E2) only where its signature stands and it names the machine
 * that the firmware names: otherwise it may be the document of another machine, and is no more than what an administrator can put here. It
 * must also name an ordinary zone of its region: one in a Local or Wavelength Zone names the parent region and stands elsewhere. A machine
 * in an Outpost cannot be distinguished from one in the parent zone (docs.aws.amazon.com, “How AWS Outposts works”: an Outpost extends one
 * zone); its document counts all the same, and the text states this. One whose signature does not stand is no evidence of a place.
 */
export function identitySays(
  read: ReturnType<typeof readIdentity>,
  tags: Parsed<DmiTags>,
): { readonly country: string | null; readonly text: string; readonly isBound: boolean } {
  const says = (country: string | null, text: string, isBound = false) => ({ country, text, isBound })
  if (!read.ok) return says(null, `There is a signed identity document, but ${read.reason}. It names no place here.`)
  const { instance, region, zone, signer } = read.identity
  const country = placeCountry('aws', region, zone)
  const said = `An identity document states that the machine ${quote(instance)} runs in the region ${quote(region)}${country === null ? '' : ` in ${country}`}`
  if (signer === null)
    return says(country, `${said}. This catalog has no certificate of that region to verify its signature.`)
  const signed = `${said}. Its signature verifies with the certificate that AWS publishes for that region (SHA-256 ${signer.sha256.slice(0, 16)}…)`
  const board = tags.ok ? tags.fact.board : null
  if (board !== instance) {
    const other = board === null ? 'the firmware names no machine' : `the firmware names ${quote(board)}`
    return says(country, `${signed}, but ${other}: it may be the document of another machine.`)
  }
  const bound = `${signed}, and the firmware names the same machine`
  if (isOrdinaryZone(region, zone)) return says(country, `${bound}. ${OUTPOSTS}`, true)
  const where = zone === null ? 'It names no zone' : `Its zone ${quote(zone)} is no ordinary one of that region`
  return says(
    country,
    `${bound}. ${where}, and such machines may be outside that region: it counts as a statement only.`,
  )
}

const OUTPOSTS =
  'A machine in an AWS Outpost, which may be in another country, has the same kind of document: the customer has to confirm that it is in no Outpost.'

/** Ordinary zones are called as their region with one letter behind it; Local and Wavelength Zones have a place between the two. */
const isOrdinaryZone = (region: string, zone: string | null): boolean =>
  zone?.length === region.length + 1 && zone.startsWith(region) && /[a-z]$/.test(zone)
