import type { TracedAccount, TracedKey, TracedNode } from '../../../schemas/types.ts'
import { plain } from '../../core/base/plain-text.ts'
import { type Parsed, type Probe, unknown } from '../../core/recording/probe.ts'
import type { Read } from '../../core/recording/readings.ts'
import { compare } from '../../core/recording/recording.ts'
import { accountsLocal, canLogIn, type LocalAccounts, membersOf } from '../access/accounts/probes.ts'
import { type AuthorizedKey, authorizedKeys } from '../access/authorized-keys/probes.ts'
import { ADMIN_GROUPS } from '../access/sudo/rights.ts'

/**
 * Who can log in to a node: its local accounts, and the public keys that open them. Accounts of a directory are not in it, and rights that
 * sudo's own rules give to a name are not examined: a population to draw from, no claim.
 */
export function listAccess(readings: ReadonlyMap<string, Parsed<unknown>>): Pick<TracedNode, 'accounts' | 'keys'> {
  const read: Read = <F, C extends string>({ id }: Probe<F, C>) =>
    (readings.get(id) ?? unknown('this was not collected')) as Parsed<F>
  const [local, keys] = [read(accountsLocal), read(authorizedKeys)]
  return {
    accounts: local.ok ? accountsOf(local.fact) : null,
    keys: keys.ok ? keysOf(keys.fact.keys, local.ok ? local.fact : null) : null,
  }
}

function accountsOf(local: LocalAccounts): TracedAccount[] {
  const administrators = new Set(ADMIN_GROUPS.flatMap((group) => membersOf(local, group)))
  return local.accounts
    .map((account) => ({
      name: plain(account.name, 64),
      uid: account.uid,
      login: canLogIn(account),
      administrator: account.uid === 0 || administrators.has(account.name),
    }))
    .sort((a, b) => compare(a.name, b.name) || a.uid - b.uid)
}

function keysOf(keys: readonly AuthorizedKey[], local: LocalAccounts | null): TracedKey[] {
  return keys
    .map(({ path, type, fingerprint }) => ({
      account: plain(ownerOf(path, local), 64),
      type: plain(type, 100),
      fingerprint,
    }))
    .sort((a, b) => compare(a.account, b.account) || compare(a.fingerprint, b.fingerprint) || compare(a.type, b.type))
}

/** The account whose home holds the file; the folder itself where no account has that home. */
function ownerOf(path: string, local: LocalAccounts | null): string {
  const home = path.replace(/\/\.ssh\/[^/]+$/, '')
  return local?.accounts.find((account) => account.home.replace(/\/$/, '') === home)?.name ?? home
}
