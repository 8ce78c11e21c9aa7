import { defineCheck } from '../../core/check.ts'
import { plain, quote } from '../../core/plain-text.ts'
import type { SomeNames } from '../../core/same-machine.ts'
import { hostIdentity } from '../probes/host-identity.ts'
import { sshSession } from '../probes/ssh-session.ts'
import { contradicts, supports, unclear } from '../steps.ts'

export const evidenceHostKeyUnique = defineCheck({
  id: 'evidence.host-key-unique',
  property: 'evidence',
  expected: 'No other machine of this population presented the same SSH host key.',
  limitations:
    'Only the key that each login used is compared, among the nodes that were reached. Machines are distinguished by boot ID, serial numbers and system UUID, which the operator of a machine can falsify. A copy of the key outside this population is not detected.',
  requires: { session: sshSession },
  optional: { host: hostIdentity },
  // One node decides nothing here: amongNodes does, once all are compared.
  evaluate: ({ session: { keyType, fingerprint } }, { host }) => ({
    verdict: 'inconclusive',
    observations: [
      supports(`The node showed the host key ${quote(keyType)} ${fingerprint}.`, sshSession),
      host.ok
        ? supports(`It reported boot ID ${host.fact.bootId}.`, hostIdentity)
        : unclear(`${hostIdentity.title}: ${host.reason}.`, hostIdentity),
    ],
  }),
  amongNodes(_, { compared, machine, sameKey, perhapsSameKey }) {
    if (compared < 1)
      return { verdict: 'inconclusive', observations: [unclear('It was not compared with other nodes.', null)] }
    const against =
      sameKey.count === 0
        ? []
        : [
            contradicts(
              `${some(sameKey)} presented the same host key and ${sameKey.count === 1 ? 'is another machine' : 'are other machines'}. Each of them can respond in place of the others.`,
              sshSession,
            ),
          ]
    const perhaps =
      perhapsSameKey.count === 0
        ? []
        : [
            unclear(
              `${some(perhapsSameKey)} presented the same host key. Whether that is this machine, restarted or under another name, cannot be determined from the evidence.`,
              sshSession,
            ),
          ]
    const observations = [...against, ...perhaps]
    if (observations.length > 0) return { verdict: against.length > 0 ? 'not-satisfied' : 'inconclusive', observations }
    const names = (machine?.others.count ?? 0) + 1
    return compared > names
      ? {
          verdict: 'satisfied',
          observations: [
            supports(`None of the ${compared - names} other nodes whose host key is known presented it.`, sshSession),
          ],
        }
      : {
          verdict: 'not-applicable',
          observations: [
            supports('No other machine of this population showed a host key, so there is none to compare.', sshSession),
          ],
        }
  },
})

/** "“a”, “b” and 8 more". */
export function some({ first, count }: SomeNames): string {
  const shown = first.map((name) => `“${plain(name, 64)}”`)
  const rest = count - shown.length
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
