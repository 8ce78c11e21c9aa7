import { describe, expect, test } from 'vitest'
import { sessionTimeout } from '../../main/catalog/access/session-timeout/index.ts'
import { packagesDistribution } from '../../main/catalog/operations/packages/probes.ts'
import { known } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { over } from '../support/concluded.ts'

const SH = '/etc/profile.d/tmout.sh'
const read = (text: string) => fact(sessionTimeout.parse({ shell: answer(text), logind: answer('', { exitCode: 1 }) }))
const lines = (...text: readonly string[]): string => text.map((line) => `${SH}:${line}\n`).join('')
const verdictOf = (text: string): string => over('access.session-timeout', [sessionTimeout, known(read(text))]).verdict

/** What grep prints of the lines that name TMOUT; the lines between them are not seen. */
describe('an idle limit in a condition', () => {
  test.each([
    ['as CIS and STIG write it', ['typeset -xr TMOUT=900'], 'satisfied'],
    ['in three lines', ['TMOUT=900', 'readonly TMOUT', 'export TMOUT'], 'satisfied'],
    ['with a comment behind', ['readonly TMOUT=900 # was TMOUT=0', 'export TMOUT # do not unset TMOUT'], 'satisfied'],
    ['flags apart', ['declare -x -r TMOUT=900'], 'satisfied'],
    ['for sessions at a prompt', ['[ -n "$PS1" ] && readonly TMOUT=900'], 'satisfied'],
    ['for interactive shells', ['case $- in *i*) readonly TMOUT=900;; esac'], 'satisfied'],
    ['for interactive shells, in lines of a case', ['  *i*) TMOUT=900; readonly TMOUT ;;'], 'satisfied'],
    ['for terminals', ['[[ -t 0 ]] && readonly TMOUT=900'], 'satisfied'],
    [
      'where it is not set yet',
      ['if [ -z "$TMOUT" ]; then', '    readonly TMOUT=900', '    export TMOUT'],
      'satisfied',
    ],
    ['for ordinary users alone', ['[ "$(id -u)" -ne 0 ] && readonly TMOUT=900'], 'inconclusive'],
    ['for one user', ['if [ "$USER" = kim ]; then readonly TMOUT=900; fi'], 'inconclusive'],
    ['in a block whose condition is on another line', ['    TMOUT=900', '    readonly TMOUT'], 'inconclusive'],
    ['otherwise', ['else TMOUT=900; readonly TMOUT'], 'inconclusive'],
    ['for one user, in lines of a case', ['kim) TMOUT=900; readonly TMOUT ;;'], 'inconclusive'],
    ['read-only for some', ['TMOUT=900', '[ "$UID" -ne 0 ] && readonly TMOUT'], 'inconclusive'],
    ['too long, whatever the condition', ['  TMOUT=90000', '  readonly TMOUT'], 'not-satisfied'],
  ])('%s', (_, text, expected) => expect(verdictOf(lines(...text))).toBe(expected))

  // bash: `export readonly TMOUT` exports a variable of the name readonly, and `readonly -p` only lists.
  test.each([
    ['export readonly TMOUT=900'],
    ['readonly -p | grep -q TMOUT || TMOUT=900'],
    ['TMOUT=900; echo "TMOUT is readonly"'],
  ])('%s does not mark it read-only', (line) => expect(read(lines(line)).readOnly).toBe(false))
})

test('a hundred thousand lines of one file are read in a moment', () => {
  const begin = performance.now()
  expect(read(`${SH}: TMOUT=1\n`.repeat(100_000)).shell).toHaveLength(100_000)
  expect(performance.now() - begin).toBeLessThan(5000)
})

describe('an idle limit that a later line takes back', () => {
  test.each([
    [
      'unset in a later file',
      `${lines('TMOUT=900', 'export TMOUT')}/etc/profile.d/zz.sh:unset TMOUT\n`,
      'not-satisfied',
    ],
    ['unset, then set', lines('unset TMOUT', 'TMOUT=900', 'readonly TMOUT'), 'satisfied'],
    // The shell refuses to unset it.
    [
      'unset after it was marked read-only',
      `${lines('readonly TMOUT=900')}/etc/profile.d/zz.sh:unset TMOUT\n`,
      'satisfied',
    ],
    ['set to 0 in a later file', `${lines('TMOUT=900')}/etc/profile.d/zz.sh:TMOUT=0\n`, 'not-satisfied'],
  ])('%s', (_, text, expected) => expect(verdictOf(text)).toBe(expected))
})

// SUSE’s own advice for TMOUT is profile.local (document 7007128), which its /etc/profile reads as its last file.
test.each([
  ['suse', '', 'inconclusive'],
  ['suse', lines('readonly TMOUT=900'), 'satisfied'],
  ['suse', lines('readonly TMOUT=90000'), 'not-satisfied'],
  ['debian', '', 'not-satisfied'],
  ['rhel', '', 'not-satisfied'],
] as const)('no other file than those that were read: %s %j', (family, text, expected) => {
  const distribution = { id: family, name: '', version: '15.7', supportEnd: null, family }
  expect(
    over('access.session-timeout', [sessionTimeout, known(read(text))], [packagesDistribution, known(distribution)])
      .verdict,
  ).toBe(expected)
})
