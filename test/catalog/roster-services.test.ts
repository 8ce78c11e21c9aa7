import { expect, test } from 'vitest'
import { accountsLocal, accountsPasswordState } from '../../main/catalog/access/accounts/probes.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, over, stepText } from '../support/concluded.ts'

/** A line of /etc/passwd in addition to those of the node, and the letter of `passwd -S` for the account. */
function withAccount(line: string, letter: 'L' | 'P') {
  const { accounts } = fact(
    accountsLocal.parse({ passwd: answer(`${line}\n`), group: answer('root:x:0:\n'), sources: answer('') }),
  )
  const state = letter === 'L' ? ('locked' as const) : ('usable' as const)
  return over(
    'access.roster-match',
    changed(accountsLocal, (local) => ({ ...local, accounts: [...local.accounts, ...accounts] })),
    changed(accountsPasswordState, ({ states }) => ({
      states: new Map([...states, ...accounts.map(({ name }) => [name, state] as const)]),
    })),
  )
}

// As SLES 15 and Leap 16 (nobody), Debian (postgres) and guides to Slurm (slurm) have them.
test.each([
  ['nobody:x:65534:65534:nobody:/var/lib/nobody:/bin/bash', 'L', 'inconclusive', '“nobody”'],
  ['nobody:x:65534:65534:nobody:/var/lib/nobody:/bin/bash', 'P', 'not-satisfied', '“nobody”'],
  ['postgres:x:114:122::/var/lib/postgresql:/bin/bash', 'L', 'inconclusive', '“postgres”'],
  ['slurm:x:992:992::/home/slurm:/bin/bash', 'L', 'satisfied', 'neither a password nor a key opens: “slurm”'],
  ['slurm:x:992:992::/home/slurm:/bin/bash', 'P', 'not-satisfied', '“slurm”'],
  ['eve:x:1001:1001::/home/eve:/bin/bash', 'L', 'not-satisfied', '“eve”'],
  ['toor:x:0:0::/home/toor:/bin/bash', 'L', 'not-satisfied', '“toor”'],
] as const)('an account that is not on the roster: %s, password %s: %s', (line, letter, verdict, part) => {
  const found = withAccount(line, letter)
  expect([found.verdict, stepText(found)]).toEqual([verdict, expect.stringContaining(part)])
})
