import { defineProbe, known, run, unknown } from '../../core/probe.ts'

export interface CryptoPolicy {
  /** For example DEFAULT, FIPS, FUTURE, LEGACY, with modules after a colon. Null when the distribution has none. */
  readonly policy: string | null
}

export const cryptoPolicy = defineProbe<CryptoPolicy, 'policy'>({
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
