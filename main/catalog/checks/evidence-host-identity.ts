import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { listedKey } from '../../core/host-key-list.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { markText } from '../../core/same-machine.ts'
import { hostIdentity, hostSerials } from '../probes/host-identity.ts'
import { type HostKeyList, hostKeyList } from '../probes/host-key-list.ts'
import { type SshSession, sshSession } from '../probes/ssh-session.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'
import { some } from './evidence-host-key-unique.ts'

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

/** A list counts only as far as it is among the evidence: it is read again here, and the line that was named has to hold the key. */
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
