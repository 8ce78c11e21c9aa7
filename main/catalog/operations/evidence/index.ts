import { plain, quote } from '../../../core/base/plain-text.ts'
import { listedKey } from '../../../core/fleet/host-key-list.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { markText, type SomeNames } from '../../../core/recording/same-machine.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, decide, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { hostIdentity, hostSerials } from '../../hardware/machine/identity.ts'
import data from './checks.json' with { type: 'json' }
import { type HostKeyList, hostKeyList, nonceEcho, type SshSession, sshSession } from './probes.ts'

const evidenceHostKeyUnique = defineCheck({
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
function some({ first, count }: SomeNames): string {
  const shown = first.map((name) => `“${plain(name, 64)}”`)
  const rest = count - shown.length
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

const PINNED: Readonly<Record<string, string>> = {
  'known-hosts': 'a known_hosts file',
  fingerprint: 'a fingerprint in the fleet file',
  'host-ca': 'a host certificate authority',
}

export const evidenceHostIdentity = defineCheck({
  id: 'evidence.host-identity',
  property: 'evidence',
  expected:
    'The host key was verified against an independent source before login, and the captures name one boot of one server that no other node of this population reports.',
  limitations:
    'A holder of a copy of the host key can respond in its place. The key is not tied to hardware. The key it was compared with was recorded by a person and is only as reliable as the way it reached that person. Boot ID and serial numbers, by which nodes are compared, are self-reported.',
  requires: { session: sshSession, host: hostIdentity },
  optional: { serials: hostSerials, list: hostKeyList },
  evaluate({ session, host }, { serials, list }) {
    // Serial numbers only add to the record, so their absence is reported next to the verdict and does not change it.
    const { verdict, observations } = decide([
      ...keySteps(session, list),
      supports(`The server calls itself ${quote(host.hostname)}, boot ${host.bootId}.`, hostIdentity),
    ])
    const serial = serials.ok
      ? [supports(`Its firmware gives the serial number ${quote(serials.fact.product)}.`, hostSerials)]
      : unclearAbout(hostSerials, serials)
    return { verdict, observations: [...observations, ...serial] }
  },
  amongNodes(alone, { machine }) {
    if (machine === null) return { verdict: alone, observations: [] }
    const { others, by, container } = machine
    const text = `${some(others)} ${others.count === 1 ? 'is a name' : 'are names'} of the same machine: ${by.map(markText).join(', ')}. It counts once${container ? '; a container shares its boot with the server that it runs on' : ''}.`
    const isSameBoot = by.some(({ part }) => part === 'boot')
    const observations = [unclear(text, isSameBoot ? hostIdentity : hostSerials)]
    return { verdict: alone === 'not-satisfied' ? alone : 'inconclusive', observations }
  },
})

function keySteps(session: SshSession, list: Parsed<HostKeyList>): readonly DraftObservation[] {
  const { keyType, fingerprint, trust, trustDetail } = session
  const key = `${quote(keyType)} ${fingerprint}`
  const pinned = PINNED[trust]
  return [
    trust === 'list'
      ? listStep(key, session, list)
      : pinned === undefined
        ? unclear(
            `The host key ${key} was accepted by a decision and not compared with an independent record (${quote(trust)}).`,
            sshSession,
          )
        : supports(
            `The host key ${key} was checked against ${pinned} (${quote(trustDetail)}) before the login.`,
            sshSession,
          ),
    ...(keyType === 'ssh-dss'
      ? [contradicts('The host key is of type ssh-dss, whose signatures can be forged with current means.', sshSession)]
      : []),
  ]
}

/**
 * A list counts only if it is part of the evidence: it is read again here, and the named line has to contain the key.
 */
function listStep(
  key: string,
  { fingerprint, trustDetail, list: named }: SshSession,
  list: Parsed<HostKeyList>,
): DraftObservation {
  const open = `The host key ${key} is stated to come from a list`
  if (named === null) return unclear(`${open}, and the session does not name which.`, sshSession)
  if (!list.ok) return unclear(`${open}, which is not among the evidence: ${list.reason}.`, sshSession)
  if (list.fact.sha256 !== named.sha256)
    return unclear(`${open}, and the list among the evidence is another one.`, hostKeyList)
  const found = listedKey(list.fact.text, named.line)
  return found?.fingerprint === fingerprint
    ? supports(
        `The host key ${key} was compared before the login with line ${named.line} of a list that a person provided: ${quote(found.text.slice(0, 200))}. SHA-256 of the list: ${named.sha256}. How they verified it, in their words: ${quote(trustDetail)}.`,
        hostKeyList,
      )
    : unclear(`${open}, and line ${named.line} of that list does not hold it.`, hostKeyList)
}

const evidenceCollectorIdentity = defineCheck({
  id: 'evidence.collector-identity',
  property: 'evidence',
  expected: 'The account, login method and privileges of this collection are recorded.',
  ends: 'recorded',
  limitations: 'It names an account, not the person who started the collection.',
  requires: { session: sshSession },
  evaluate: ({ session }, _, { node }) => ({
    verdict: 'informational',
    observations: [
      supports(
        `Logged in as ${quote(node.user)} by ${quote(session.authMethod)}, over ${quote(session.transport)} to ${quote(session.serverVersion)}${session.keyExchange === '' ? '' : `, key exchange ${quote(session.keyExchange)}`}. Privileged probes ${node.sudo ? 'were allowed through sudo' : 'were not allowed by the fleet file'}.`,
        sshSession,
      ),
    ],
  }),
})

export const evidenceSubject = defineSubject({
  id: 'evidence',
  title: 'Session and host key',
  probes: [sshSession, hostKeyList, nonceEcho],
  checks: [evidenceHostIdentity, evidenceHostKeyUnique, evidenceCollectorIdentity],
  data,
})
