import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { hostIdentity, hostSerials } from '../probes/host-identity.ts'
import { type SshSession, sshSession } from '../probes/ssh-session.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

const PINNED: Readonly<Record<string, string>> = {
  'known-hosts': 'a known_hosts file',
  fingerprint: 'a fingerprint in the fleet file',
  'host-ca': 'a host certificate authority',
}

export const evidenceHostIdentity = defineCheck({
  id: 'evidence.host-identity',
  property: 'evidence',
  claim:
    'The answers came from the holder of a host key that was on record before the login, and name one boot of one server.',
  limits:
    'Whoever has a copy of the host key can answer in its place. The key is not tied to hardware, and the record it was compared with was made by a person.',
  needs: { session: sshSession, host: hostIdentity },
  wants: { serials: hostSerials },
  evaluate({ session, host }, { serials }) {
    // Serial numbers only add to the record, so their absence is told beside the verdict and does not change it.
    const { verdict, because } = weigh([
      ...keySteps(session),
      speaksFor(`The server calls itself ${quote(host.hostname)}, boot ${host.bootId}.`, hostIdentity),
    ])
    const serial = serials.ok
      ? [speaksFor(`Its firmware gives the serial number ${quote(serials.fact.product)}.`, hostSerials)]
      : unclearAbout(hostSerials, serials)
    return { verdict, because: [...because, ...serial] }
  },
})

function keySteps({ keyType, fingerprint, trust, trustDetail }: SshSession): readonly Step[] {
  const key = `${quote(keyType)} ${fingerprint}`
  const pinned = PINNED[trust]
  return [
    pinned === undefined
      ? leavesUnclear(
          `The host key ${key} was accepted by a decision and not compared with an independent record (${quote(trust)}).`,
          sshSession,
        )
      : speaksFor(
          `The host key ${key} was checked against ${pinned} (${quote(trustDetail)}) before the login.`,
          sshSession,
        ),
    ...(keyType === 'ssh-dss'
      ? [
          speaksAgainst(
            'The host key is of type ssh-dss, whose signatures can be forged with means of today.',
            sshSession,
          ),
        ]
      : []),
  ]
}
