import { type Context, type DraftObservation, defineCheck } from '../../core/check.ts'
import { KEY_SOURCES, keySources } from '../account-doors.ts'
import { keyFileGaps } from '../key-files.ts'
import { accountsLocal } from '../probes/accounts-local.ts'
import { type AuthorizedKey, type AuthorizedKeys, authorizedKeys } from '../probes/authorized-keys.ts'
import { contradicts, count, decide, supports } from '../steps.ts'
import { limitOf, limitText } from '../thresholds.ts'

export const accessAuthorizedKeys = defineCheck({
  id: 'access.authorized-keys',
  property: 'access',
  expected: 'Every SSH public key that may log in is of a current type and length.',
  limitations:
    'Does not show who holds the private key, how it is protected, or since when the key is in place. Current means: not DSA, and RSA of at least the length that theprofile requires. Links are followed only to a key file in the same folder; a home folder that is a link leaves the result inconclusive.',
  requires: { keys: authorizedKeys, local: accountsLocal },
  optional: KEY_SOURCES,
  thresholds: ['ssh.rsa-bits'],
  evaluate({ keys, local }, evidence, context) {
    return decide([
      ...weakKeys(keys, context),
      ...options(keys.keys),
      ...keyFileGaps(keys, local),
      ...keySources(evidence),
    ])
  },
})

const isWeak = ({ type, bits }: AuthorizedKey, least: number): boolean =>
  type.startsWith('ssh-dss') || (type.startsWith('ssh-rsa') && (bits === null || bits < least))

function weakKeys({ keys }: AuthorizedKeys, context: Context): readonly DraftObservation[] {
  const limit = limitOf(context, 'ssh.rsa-bits')
  const weak = keys.filter((key) => isWeak(key, limit.value))
  if (keys.length === 0) return [supports('No authorized key was found.', authorizedKeys)]
  if (weak.length === 0)
    return [
      supports(`${count(keys.length, 'key')} found; none is DSA or RSA below ${limit.value} bits.`, authorizedKeys),
    ]
  return weak
    .slice(0, 20)
    .map((key) =>
      contradicts(
        `${key.fingerprint} is ${key.type} with ${key.bits ?? 'unknown'} bits${key.type.startsWith('ssh-rsa') ? ` (limit: ${limitText(limit)})` : ''}.`,
        authorizedKeys,
      ),
    )
}

/** What narrows the use of keys; reported, since no rule requires one or the other. */
function options(keys: readonly AuthorizedKey[]): readonly DraftObservation[] {
  const withOption = (...names: readonly string[]): number =>
    keys.filter(({ options }) => names.some((name) => options.includes(name))).length
  const tokens = keys.filter(({ type }) => type.startsWith('sk-'))
  const verified = tokens.filter(({ options }) => options.includes('verify-required')).length
  const told = (
    [
      [withOption('from'), 'opens from named addresses only', 'open from named addresses only'],
      [withOption('command'), 'runs one command only', 'run one command only'],
      [withOption('restrict', 'no-port-forwarding'), 'may forward no ports', 'may forward no ports'],
      [tokens.length, 'is stored on a hardware token', 'lie on hardware tokens'],
      [verified, 'requires the presence of a person at the token', 'require the presence of a person at the token'],
    ] as const
  ).flatMap(([number, one, many]) => (number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]))
  return told.length === 0 ? [] : [supports(`Of these, ${told.join(', ')}.`, authorizedKeys)]
}
