import { defineCheck, type Step } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { fipsMode } from '../probes/fips-mode.ts'
import { cryptoPolicy } from '../probes/kernel-crypto-policy.ts'

/**
 * FIPS mode that is off is recorded, not held against the node: neither the Security Rule nor the criteria ask for the switch, and a
 * finding would call a gap where there is none. On, it supports that approved algorithms are enforced.
 */
export const encryptionModuleFipsMode = defineCheck({
  id: 'encryption.module.fips-mode',
  property: 'encryption-at-rest',
  claim: 'The kernel runs in FIPS mode.',
  ends: 'supported-or-recorded',
  limits:
    'A switch is not a validation: which module and version is validated, under which certificate, is a separate question. Programs with their own cryptography are not bound by it, and a volume that was made before the switch keeps the cipher and key derivation that it was made with.',
  needs: { fips: fipsMode },
  wants: { policy: cryptoPolicy },
  evaluate({ fips }, { policy }) {
    const named: readonly Step[] =
      policy.ok && policy.fact.policy !== null
        ? [
            {
              says: 'unclear',
              text: `The system-wide cryptographic policy is ${quote(policy.fact.policy)}.`,
              probe: cryptoPolicy.id,
            },
          ]
        : []
    if (fips.state === 'on') {
      return {
        verdict: 'met',
        because: [{ says: 'for', text: 'The kernel reports FIPS mode as on.', probe: fipsMode.id }, ...named],
      }
    }
    const text = fips.state === 'off' ? 'The kernel reports FIPS mode as off.' : 'The kernel has no FIPS switch.'
    return { verdict: 'informational', because: [{ says: 'unclear', text, probe: fipsMode.id }, ...named] }
  },
})
