import { defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { sshSession } from '../probes/ssh-session.ts'
import { supports } from '../steps.ts'

export const evidenceCollectorIdentity = defineCheck({
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
