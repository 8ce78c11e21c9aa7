import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { decide, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import data from './checks.json' with { type: 'json' }

interface FipsMode {
  /** `not-offered`: the kernel was built without the switch. */
  readonly state: 'on' | 'off' | 'not-offered'
}

const fipsMode = defineProbe<FipsMode, 'enabled'>({
  id: 'crypto.fips-mode',
  title: 'FIPS mode of the kernel',
  why: 'In FIPS mode the kernel restricts itself to approved algorithms.',
  commands: { enabled: run(['cat', '/proc/sys/crypto/fips_enabled']) },
  parse: ({ enabled }) => {
    const flag = enabled.text.trim()
    if (enabled.exitCode === 0 && /^[01]$/.test(flag)) return known({ state: flag === '1' ? 'on' : 'off' })
    return enabled.exitCode !== 0 && /No such file or directory/.test(enabled.errorText)
      ? known({ state: 'not-offered' })
      : unknown('the FIPS switch could not be read')
  },
})

interface CryptoPolicy {
  /** For example DEFAULT, FIPS, FUTURE, LEGACY, with modules after a colon. Null when the distribution has none. */
  readonly policy: string | null
}

const cryptoPolicy = defineProbe<CryptoPolicy, 'policy'>({
  id: 'crypto.policy',
  title: 'System-wide cryptographic policy',
  why: 'On some distributions one setting chooses the algorithms of every program.',
  commands: { policy: run(['cat', '/etc/crypto-policies/state/current']) },
  parse: ({ policy }) => {
    const text = policy.text.trim()
    if (policy.exitCode === 0 && /^[A-Z0-9_:.-]{1,80}$/.test(text)) return known({ policy: text })
    return policy.exitCode !== 0 && /No such file or directory/.test(policy.errorText)
      ? known({ policy: null })
      : unknown('the policy could not be read')
  },
})

/**
 * FIPS mode that is off is recorded, not counted as a deviation: neither the Security Rule nor the criteria require
 * it, and a finding would report a gap where there is none. Switched on, it supports that approved algorithms are
 * enforced.
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

export const cryptoModuleSubject = defineSubject({
  id: 'crypto-module',
  title: 'Cryptographic module',
  probes: [fipsMode, cryptoPolicy],
  checks: [encryptionModuleFipsMode],
  data,
})
