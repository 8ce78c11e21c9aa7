import type { Context } from '../../../core/check.ts'
import type { Account, LocalAccounts } from '../../probes/accounts-local.ts'

/** The declared roster, or null where none was declared. */
export const rosterOf = ({ node }: Context): ReadonlySet<string> | null =>
  node.roster === undefined ? null : new Set(node.roster)

// Ids below 1000 belong to services on current distributions (login.defs(5), UID_MIN).
export const FIRST_PERSON = 1000
export const NOBODY = 65534

/** Accounts of people, as far as their numbers show. */
export const peopleOf = ({ accounts }: LocalAccounts): readonly Account[] =>
  accounts.filter(({ name, uid }) => uid >= FIRST_PERSON && uid !== NOBODY && name !== 'nobody')
