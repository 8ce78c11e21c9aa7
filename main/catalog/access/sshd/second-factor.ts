import type { Parsed } from '../../../core/recording/probe.ts'
import { expandStack, type PamEntry, type PamStack } from '../pam/probes.ts'
import { setting } from './access.ts'
import type { SshdSettings } from './probes.ts'

/** Login modules that ask for something other than the password of the account. */
export const SECOND_FACTOR_MODULES: ReadonlySet<string> = new Set([
  'pam_google_authenticator',
  'pam_oath',
  'pam_duo',
  'pam_u2f',
  'pam_yubico',
  'pam_radius_auth',
  'pam_radius',
  'pam_securid',
  'pam_privacyidea',
  'pam_sss',
])

/** A module for a second factor that passes over people without a registered device; the modules behind it decide about them. */
export const isPassedOver = ({ module, args }: PamEntry): boolean =>
  (module === 'pam_google_authenticator' && args.includes('nullok')) ||
  (module === 'pam_u2f' && args.includes('nouserok'))

/**
 * Modules behind the prompts of the SSH server that ask for more than a password, or in its place: SSSD asks for the password of a directory.
 * Empty where there are none, where they were not read, and where the server does not use them (sshd_config(5), UsePAM).
 */
export function promptedFactors(sshd: SshdSettings, pam: Parsed<PamStack>): readonly string[] {
  if (!pam.ok || setting(sshd, 'usepam') === 'no') return []
  const asking = expandStack(pam.fact, 'sshd', 'auth').filter(
    (entry) =>
      SECOND_FACTOR_MODULES.has(entry.module) &&
      entry.module !== 'pam_sss' &&
      entry.control !== 'optional' &&
      !isPassedOver(entry),
  )
  return [...new Set(asking.map(({ module }) => module))]
}
