import type { DraftObservation } from '../core/check.ts'
import { accountsLocal, canLogIn, type LocalAccounts } from './probes/accounts-local.ts'
import {
  type AuthorizedKey,
  type AuthorizedKeys,
  authorizedKeys,
  type DoubtfulFile,
  type Unsearched,
  whyUnsearched,
} from './probes/authorized-keys.ts'
import { count, named, unclear } from './steps.ts'

/**
 * Why the keys that were read from home folders may not be all that open an account: lines that are no key, files that are links, keys
 * of certificate authorities, home folders that were not searched, and accounts that are not in the local list. Empty where none applies.
 */
export const keyFileGaps = (keys: AuthorizedKeys, local: LocalAccounts): readonly DraftObservation[] => [
  ...unreadLines(keys),
  ...unreadFiles(keys),
  ...issuers(keys.keys),
  ...unsearched(local, keys),
]

const unreadLines = ({ unreadable }: AuthorizedKeys): readonly DraftObservation[] =>
  unreadable === 0
    ? []
    : [unclear(`${count(unreadable, 'line')} in the key files could not be read as a key.`, authorizedKeys)]

const WHY: Readonly<Record<DoubtfulFile['why'], string>> = {
  link: 'is a link, and the keys that it leads to were not read',
  'hard-link': 'is a file with a second name, through which others may add keys',
  'no-file': 'is not a plain file, and was not read',
}

/** Key files that are links, have several names, or are no files: sshd may take keys from them that were not evaluated. */
function unreadFiles({ doubtful }: AuthorizedKeys): readonly DraftObservation[] {
  if (doubtful === null)
    return [
      unclear('Whether key files are links could not be read, and links are not followed.', authorizedKeys, 'files'),
    ]
  return doubtful.slice(0, 20).map(({ path, why }) => unclear(`${named([path])} ${WHY[why]}.`, authorizedKeys, 'files'))
}

// sshd(8), AUTHORIZED_KEYS FILE FORMAT, cert-authority: every certificate that this key signed opens the account.
function issuers(keys: readonly AuthorizedKey[]): readonly DraftObservation[] {
  return keys
    .filter(({ options }) => options.includes('cert-authority'))
    .slice(0, 20)
    .map(({ fingerprint, path }) =>
      unclear(
        `${fingerprint} admits every certificate that it signed (${named([path])}); which those are is not shown.`,
        authorizedKeys,
      ),
    )
}

const PLACES: Readonly<Record<Unsearched, string>> = {
  elsewhere: 'outside /home and /root',
  link: 'that are links, or lie behind one',
  deep: 'more than two levels below /home',
  'not-in-inventory': 'that may be links, which could not be listed,',
}

/**
 * Home folders whose keys were not among those that were read. A link is reported of every account: sshd follows it, whatever the shell.
 */
function unsearched({ accounts, otherSources }: LocalAccounts, keys: AuthorizedKeys): readonly DraftObservation[] {
  const found = accounts.map((account) => ({ account, why: whyUnsearched(account.home, keys) }))
  return [
    ...(Object.entries(PLACES) as [Unsearched, string][]).flatMap(([place, words]) => {
      const names = found
        .filter(({ account, why }) => why === place && (place === 'link' || canLogIn(account)))
        .map(({ account }) => account.name)
      return names.length === 0
        ? []
        : [
            unclear(
              `Accounts with home folders ${words} were not searched for keys: ${named(names)}.`,
              place === 'elsewhere' ? accountsLocal : authorizedKeys,
              place === 'elsewhere' ? 'passwd' : 'links',
            ),
          ]
    }),
    ...(otherSources.length === 0
      ? []
      : [
          unclear(
            `More accounts may come from ${named(otherSources)}; where their home folders lie was not read.`,
            accountsLocal,
            'sources',
          ),
        ]),
  ]
}
