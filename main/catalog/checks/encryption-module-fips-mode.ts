import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { fipsMode } from '../probes/fips-mode.ts'
import { type CryptoPolicy, cryptoPolicy } from '../probes/kernel-crypto-policy.ts'
import { decide, supports, unclear } from '../steps.ts'

/**
 * FIPS mode that is off is recorded, not counted as a deviation: neither the Security Rule nor the criteria require the switch, and a
 * finding would call a gap where there is none. On, it supports that approved algorithms are enforced.
 */
export const encryptionModuleFipsMode = defineCheck({
  id: 'encryption.module.fips-mode',
  property: 'encryption-at-rest',
  expected: 'The kernel runs in FIPS mode.',
  ends: 'supported-or-recorded',
  limitations:
    'FIPS mode is not a validation: which module and version is validated, under which certificate, is not tested. It does not apply to programs with their own cryptography, and a volume created earlier keeps its cipher and key derivation.',
  requires: { fips: fipsMode },
  optional: { policy: cryptoPolicy },
  evaluate({ fips }, { policy }) {
    if (fips.state === 'on') return decide([ON, ...argued(policy)])
    const named: readonly DraftObservation[] =
      policy.ok && policy.fact.policy !== null
        ? [
            {
              direction: 'unclear',
              text: `The system-wide cryptographic policy is ${quote(policy.fact.policy)}.`,
              probe: cryptoPolicy.id,
            },
          ]
        : []
    const text = fips.state === 'off' ? 'The kernel reports FIPS mode as off.' : 'The kernel has no FIPS switch.'
    return { verdict: 'informational', observations: [{ direction: 'unclear', text, probe: fipsMode.id }, ...named] }
  },
})

const ON = supports('The kernel reports FIPS mode as on.', fipsMode)

/**
 * crypto-policies(7), FIPS: the mode is the kernel's switch and the policy FIPS together, with or without modules (FIPS:OSPP). Under any
 * other policy the libraries are free to use what the mode forbids. Distributions without such policies have the switch alone.
 */
function argued(policy: Parsed<CryptoPolicy>): readonly DraftObservation[] {
  if (!policy.ok) return unclearAbout(cryptoPolicy, policy)
  const { policy: name } = policy.fact
  if (name === null) return []
  return [
    /^FIPS(:|$)/.test(name)
      ? supports(`The system-wide cryptographic policy is ${quote(name)}.`, cryptoPolicy)
      : unclear(
          `The system-wide cryptographic policy is ${quote(name)} and not FIPS: libraries and services may use algorithms that FIPS mode does not allow.`,
          cryptoPolicy,
        ),
  ]
}
