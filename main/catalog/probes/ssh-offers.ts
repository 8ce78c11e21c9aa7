import { defineProbe, known, unknown } from '../../core/probe.ts'
import { nameList, OFFER_LISTS, type SshOffer } from '../../core/ssh-offer.ts'
import { asList, asRecord, asText, readJson } from '../read-text.ts'

/** The server's own proposal in the key exchange of the collecting session (RFC 4253 §7.1): what it offers to everybody, before any login. */
export const sshOffers = defineProbe({
  id: 'ssh.offers',
  title: 'Algorithms offered by the SSH server',
  why: 'Records the algorithms that the running server offered to this connection. Observed by the collector; no command runs on the node, and there is no second login.',
  commands: { offers: { kind: 'measure', measure: 'ssh-offers' } },
  parse({ offers }) {
    const json = readJson(offers.text, 'the collector')
    if (!json.ok) return json
    const record = asRecord(json.fact)
    const lists = OFFER_LISTS.map((key) => {
      const names = asList(record[key]).map(asText)
      return names.includes(null) ? null : nameList(names.join(','))
    })
    if (lists.includes(null)) return unknown('the collector’s record of the key exchange has an unexpected format')
    const offer = Object.fromEntries(OFFER_LISTS.map((key, at) => [key, lists[at]])) as unknown as SshOffer
    return offer.kex.length === 0 || offer.cipherToNode.length === 0
      ? unknown('the server’s proposal names no key exchange or no cipher')
      : known(offer)
  },
})
