import { plain } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import type { Context, DraftObservation } from '../../../core/rules/check.ts'
import { supports, unclear } from '../../base/steps.ts'
import { admitting } from '../pam/control.ts'
import { expandStack, type PamStack } from '../pam/probes.ts'
import { DAY, dayOf, declaredAs } from './login-traces.ts'
import { type Account, accountsPasswordMethods, type PasswordMethods } from './probes.ts'

/** Whether the modules of SSH refuse an account that has expired, also where a key opens it: pam_unix(8), with none before it that lets one in. */
export function looksAtExpiry(pam: Parsed<PamStack>): boolean {
  const entries = pam.ok ? expandStack(pam.fact, 'sshd', 'account') : []
  const place = entries.findIndex(({ module, control }) => module === 'pam_unix' && control !== 'optional')
  return place >= 0 && admitting(entries, place).length === 0
}

/** The day on which an account expired; null where it has not, or this was not reported. sshd and pam_unix differ by a day in what they count. */
export function expiredOn({ name }: Account, methods: Parsed<PasswordMethods>, { observedAt }: Context): string | null {
  const expires = methods.ok ? methods.fact.accounts.get(name)?.expires : undefined
  return expires !== undefined && expires + DAY < Date.parse(observedAt) ? dayOf(expires) : null
}

/** The step about a leaver whose account has expired; null where it has not. */
export function expired(
  account: Account,
  { methods, pam }: { readonly methods: Parsed<PasswordMethods>; readonly pam: Parsed<PamStack> },
  context: Context,
): DraftObservation | null {
  const day = expiredOn(account, methods, context)
  if (day === null) return null
  const until = declaredAs(context.node, account.name)?.until?.slice(0, 10)
  const text = `The last day declared for “${plain(account.name, 64)}” was ${until}; the account expired on ${day}`
  return looksAtExpiry(pam)
    ? supports(`${text}, so that neither a password nor a key opens it over SSH.`, accountsPasswordMethods)
    : unclear(`${text}, and whether the login modules of SSH look at that was not shown.`, accountsPasswordMethods)
}
