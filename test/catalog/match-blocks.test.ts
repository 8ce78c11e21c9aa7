import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type MatchBlock, sshdConditions } from '../../main/catalog/access/sshd/probes.ts'
import { answer, fact } from '../support/answers.ts'
import { over, stepText } from '../support/concluded.ts'

const MAIN = '/etc/ssh/sshd_config'
const DROP_INS = '/etc/ssh/sshd_config.d'

/** The lines of a file that the probe's own grep prints. */
function printed(text: string): string {
  const { settings } = sshdConditions.commands
  if (settings.kind !== 'run') throw new Error('no command')
  const words = settings.argv.map(String).filter((word) => word !== '-r' && !word.startsWith('/'))
  return execFileSync(words[0] ?? '', [...words.slice(1), '--label', MAIN], { input: text, encoding: 'utf8' })
}

const blocks = (text: string): readonly MatchBlock[] => fact(sshdConditions.parse({ settings: answer(text) })).blocks

const inFile = (path: string, text: string): string => `${text.replace(/^/gm, `${path}:`)}\n`

describe('the settings of Match blocks', () => {
  test.each([
    ['MaxSessions 64', 'access.sshd.connection-limits', 'maxsessions'],
    ['MaxAuthTries 20', 'access.sshd.connection-limits', 'maxauthtries'],
    ['PubkeyAuthentication yes', 'access.key-per-account', 'pubkeyauthentication'],
    ['PermitRootLogin yes', 'access.sshd.root-login', 'permitrootlogin'],
    ['AllowUsers *', 'access.sshd.allow-list', 'allowusers'],
  ])('%s is collected for %s', (line, _, key) => {
    const found = blocks(printed(`# Match User x\nPort 22\nMatch User backup\n  ${line}\n`))
    expect(found.map(({ condition, settings }) => [condition, settings.map(([name]) => name)])).toEqual([
      ['User backup', [key]],
    ])
  })

  // sshd -T -C prints “passwordauthentication no” and “allowusers legacy” for these lines (tried with OpenSSH 9.2).
  test('comments at the end of lines are no part of them', () => {
    const text = `Match User legacy # the scanner
  PasswordAuthentication no # keys only
  AllowUsers legacy # not *
Match all # everyone again
  PasswordAuthentication yes
Match User "a #b"
  MaxSessions 4
`
    expect(blocks(inFile(MAIN, text))).toEqual([
      {
        condition: 'User legacy',
        settings: [
          ['passwordauthentication', 'no'],
          ['allowusers', 'legacy'],
        ],
      },
      { condition: 'User "a #b"', settings: [['maxsessions', '4']] },
    ])
  })

  const LEGACY = 'Match User legacy\n  PasswordAuthentication yes'
  test.each([
    ['50-legacy.conf', 1],
    ['50-legacy.conf.bak', 0],
    ['50-legacy.conf~', 0],
    ['50-legacy.conf.dpkg-old', 0],
    ['50-legacy.disabled', 0],
    ['.50-legacy.conf', 0],
    ['old/50-legacy.conf', 0],
  ])('of the drop-in folder only files that sshd reads count: %s', (name, expected) => {
    const include = inFile(MAIN, 'Include /etc/ssh/sshd_config.d/*.conf')
    expect(blocks(include + inFile(`${DROP_INS}/${name}`, LEGACY))).toHaveLength(expected)
  })

  test.each(['/etc/ssh/sshd_config.d/*', 'sshd_config.d/50-legacy'])('and others where %s is included', (pattern) => {
    const include = inFile(MAIN, `Include ${pattern}`)
    expect(blocks(include + inFile(`${DROP_INS}/50-legacy`, LEGACY))).toHaveLength(1)
  })

  // sshd -T -C prints “kbdinteractiveauthentication yes” and the chain for a login that this block matches (tried with OpenSSH 9.2).
  const second = (methods: string) => `Match Group admins
  KbdInteractiveAuthentication yes
  AuthenticationMethods ${methods}
`
  test.each([
    ['a key and then prompts', second('publickey,keyboard-interactive:pam'), 'satisfied'],
    [
      'prompts that follow a key in one chain alone',
      second('publickey,keyboard-interactive password'),
      'not-satisfied',
    ],
    ['prompts alone', second('keyboard-interactive'), 'not-satisfied'],
    ['a later, ignored chain', `${second('keyboard-interactive')}  AuthenticationMethods publickey\n`, 'not-satisfied'],
    ['a chain of another block', `Match User a\n  PasswordAuthentication yes\n${second('publickey')}`, 'not-satisfied'],
    [
      'the older name of the setting',
      second('publickey,password').replace('KbdInteractive', 'ChallengeResponse'),
      'satisfied',
    ],
  ])('a block that requires %s', (_, block, verdict) =>
    expect(
      over('access.sshd.password-auth', [
        sshdConditions,
        sshdConditions.parse({ settings: answer(printed(`Port 22\n${block}`)) }),
      ]).verdict,
    ).toBe(verdict),
  )

  test('more sessions for one user are a deviation', () => {
    const text = printed('Port 22\nMatch User ansible\n  MaxSessions 100\n')
    const conclusion = over('access.sshd.connection-limits', [
      sshdConditions,
      sshdConditions.parse({ settings: answer(text) }),
    ])
    expect(conclusion.verdict).toBe('not-satisfied')
    expect(stepText(conclusion)).toContain('maxsessions is set to “100”')
  })
})
