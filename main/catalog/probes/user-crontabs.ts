import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete } from '../isolation/listing.ts'
import { inOrder } from '../steady.ts'

export interface UserCrontabs {
  /** Accounts with a table of their own; what is in it is not read. */
  readonly accounts: readonly string[]
}

/** Debian and Ubuntu keep users' tables in crontabs, RHEL in cron itself, SUSE in tabs. The names of files are those of accounts. */
export const userCrontabs = defineProbe({
  id: 'change.user-crontabs',
  title: 'Accounts with their own scheduled jobs',
  why: 'Shows which accounts run scheduled jobs. Only the names of accounts are read.',
  ignoredInDrift: {
    why: 'Accounts are listed in no fixed order.',
    normalize: ({ accounts }: UserCrontabs) => ({ accounts: inOrder(accounts) }),
  },
  commands: { tables: runAsRoot(['ls', '-1', '/var/spool/cron', '/var/spool/cron/crontabs', '/var/spool/cron/tabs']) },
  parse({ tables }) {
    if (!listingIsComplete(tables)) return unknown('the folder of users’ tables could not be listed')
    const ignored = new Set(['crontabs', 'tabs', 'atjobs', 'atspool', 'lastrun'])
    const accounts = [...listedFolders(tables.text).values()].flat().filter((name) => !ignored.has(name))
    return known<UserCrontabs>({ accounts: [...new Set(accounts)] })
  },
})
