import { describe, expect, test } from 'vitest'
import { accountsSssd, sssAddsNone } from '../../main/catalog/access/accounts/sssd.ts'
import type { pamStack } from '../../main/catalog/access/pam/probes.ts'
import { parseProcesses } from '../../main/catalog/base/processes.ts'
import { known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

const listed = (text: string, ...absent: readonly string[]) =>
  answer(text, {
    exitCode: absent.length > 0 ? 2 : 0,
    errorText: absent.map((folder) => `ls: cannot access '${folder}': No such file or directory\n`).join(''),
  })

// ls -1 -A as root: Red Hat 8.10, 9.6 and 10 after installation (the folders of sssd-common), and a member of a domain.
const NO_CONFIGURATION = '/etc/sssd:\nconf.d\npki\n\n/etc/sssd/conf.d:\n\n/var/lib/sss/db:\n'
const RHEL_9 = listed(NO_CONFIGURATION, '/usr/etc/sssd')
const RHEL_8 = listed(
  `${NO_CONFIGURATION}cache_implicit_files.ldb\nconfig.ldb\nsssd.ldb\ntimestamps_implicit_files.ldb\n`,
  '/usr/etc/sssd',
)
const MEMBER = listed(
  '/etc/sssd:\nconf.d\npki\nsssd.conf\n\n/etc/sssd/conf.d:\n\n/var/lib/sss/db:\ncache_ad.example.org.ldb\nccache_AD.EXAMPLE.ORG\nconfig.ldb\ntimestamps_ad.example.org.ldb\n',
  '/usr/etc/sssd',
)
const FORMER_MEMBER = listed(`${NO_CONFIGURATION}cache_ad.example.org.ldb\nconfig.ldb\n`, '/usr/etc/sssd')
const SNIPPET = listed(NO_CONFIGURATION.replace('conf.d:\n', 'conf.d:\n10-ldap.conf\n'), '/usr/etc/sssd')
const VENDOR = answer(`${NO_CONFIGURATION}\n/usr/etc/sssd:\nsssd.conf\n`)
const NOT_INSTALLED = listed('', '/etc/sssd', '/etc/sssd/conf.d', '/usr/etc/sssd', '/var/lib/sss/db')

const processes = (...commands: readonly string[]) =>
  parseProcesses(
    [
      '    PID USER                             COMMAND         CGROUP',
      '      1 root                             systemd         0::/init.scope',
      '      2 root                             kthreadd        0::/',
      ...commands.map(
        (command, at) => ` ${900 + at} root            ${command}            0::/system.slice/${command}.service`,
      ),
    ].join('\n'),
  )
const STOPPED = processes('sshd', 'sssd_kcm')
const RUNNING = processes('sssd', 'sssd_be', 'sssd_nss')
const HIDDEN = known({ processes: [], isComplete: false })

describe('names of the files of SSSD', () => {
  test.each([
    ['Red Hat 9 and 10', RHEL_9, [], []],
    ['Red Hat 8', RHEL_8, [], ['implicit_files']],
    ['without SSSD', NOT_INSTALLED, [], []],
    ['a member of a domain', MEMBER, ['/etc/sssd/sssd.conf'], ['ad.example.org']],
    ['a snippet alone', SNIPPET, ['/etc/sssd/conf.d/10-ldap.conf'], []],
    ['settings of the distribution', VENDOR, ['/usr/etc/sssd/sssd.conf'], []],
  ])('%s', (_, names, settings, domains) => {
    expect(fact(accountsSssd.parse({ names }))).toEqual({ settings, domains })
  })

  test.each([
    [
      'a folder that is closed',
      answer('', { exitCode: 2, errorText: "ls: cannot open directory '/etc/sssd': Permission denied\n" }),
    ],
    ['a list that ends early', answer('/etc/sssd:\nconf.d\n\n/etc/sssd/conf.d:\n')],
    ['no list', answer('')],
  ])('%s is no answer', (_, names) => expect(reason(accountsSssd.parse({ names }))).toMatch(/could not all be listed/))
})

describe('whether SSSD adds accounts', () => {
  test.each([
    ['Red Hat 9 as installed', RHEL_9, STOPPED, true],
    ['Red Hat 8 as installed', RHEL_8, RUNNING, true],
    ['Red Hat 8, stopped', RHEL_8, STOPPED, true],
    ['without SSSD', NOT_INSTALLED, STOPPED, true],
    ['a member of a domain', MEMBER, RUNNING, false],
    ['a member of a domain, stopped', MEMBER, STOPPED, false],
    ['one that left its domain', FORMER_MEMBER, STOPPED, false],
    ['one that left its domain and still serves it', FORMER_MEMBER, RUNNING, false],
    ['a snippet alone', SNIPPET, STOPPED, false],
    ['settings of the distribution', VENDOR, STOPPED, false],
    ['running, with neither files nor a cache', RHEL_9, RUNNING, false],
    ['only its responder running', RHEL_9, processes('sssd_nss'), false],
    ['processes that are hidden', RHEL_9, HIDDEN, false],
    ['processes that were not read', RHEL_9, unknown('not read'), false],
  ])('%s', (_, names, programs, expected) => {
    expect(sssAddsNone({ sssd: accountsSssd.parse({ names }), processes: programs })).toBe(expected)
  })

  test('without the list of names it stays open', () => {
    expect(sssAddsNone({ sssd: unknown('this was not collected'), processes: STOPPED })).toBe(false)
  })
})

describe('checks of a node whose name services list sss', () => {
  const over = (node: string, id: string, sssd: Parsed<unknown>, running: Parsed<unknown> = STOPPED) => {
    const model = fixtureOf(node)
    const local = model.readings.get('accounts.local') as { readonly fact: object }
    const changed: [string, Parsed<unknown>][] = [
      ['accounts.local', known({ ...local.fact, otherSources: ['sss'] })],
      ['accounts.sssd', sssd],
      ['tenancy.processes', running],
    ]
    return concludeOn(checkOf(id), node, changed)
  }
  const READ = [
    ['fx-access-hardened', 'access.unique-accounts'],
    ['fx-access-hardened', 'access.roster-match'],
    ['fx-access-hardened', 'access.authorized-keys'],
    ['fx-access-hardened', 'access.sudo-policy'],
    ['fx-accounts-declared', 'access.leaver-accounts'],
    ['fx-accounts-declared', 'access.stale-accounts'],
    ['fx-accounts-declared', 'access.key-per-account'],
  ] as const

  test.each(READ)('on %s, %s is satisfied where SSSD has no configuration, and open else', (node, id) => {
    expect(over(node, id, accountsSssd.parse({ names: RHEL_9 })).verdict).toBe('satisfied')
    expect(over(node, id, accountsSssd.parse({ names: RHEL_8 }), RUNNING).verdict).toBe('satisfied')
    for (const [sssd, running] of [
      [accountsSssd.parse({ names: MEMBER }), RUNNING],
      [accountsSssd.parse({ names: RHEL_9 }), RUNNING],
      [accountsSssd.parse({ names: RHEL_9 }), HIDDEN],
      [unknown('this was not collected'), STOPPED],
    ] as const)
      expect(over(node, id, sssd, running).verdict).toBe('inconclusive')
  })
})

describe('passwords of a node whose login modules ask SSSD', () => {
  const over = (sssd: Parsed<unknown>, id = 'access.pam.password-quality', usable: readonly string[] = []) => {
    const node = 'fx-dist-rhel-9'
    const local = fixtureOf(node).readings.get('accounts.local') as {
      readonly fact: { readonly accounts: readonly { readonly name: string }[] }
    }
    const names = local.fact.accounts.map(({ name }) => name)
    const { services } = fact(fixtureOf(node).readings.get('pam.stack') as ReturnType<typeof pamStack.parse>)
    const withoutLock = known({
      services: new Map(
        [...services].map(([name, rows]) => [name, rows.filter(({ module }) => module !== 'pam_faillock')]),
      ),
    })
    return concludeOn(checkOf(id), node, [
      ['accounts.sssd', sssd],
      ['tenancy.processes', STOPPED],
      ['pam.stack', withoutLock],
      [
        'accounts.password-locks',
        known({ states: new Map(names.map((name) => [name, usable.includes(name) ? 'usable' : 'locked'])) }),
      ],
      [
        'accounts.password-methods',
        known({ accounts: new Map(names.map((name) => [name, { method: null, changed: null, maxDays: null }])) }),
      ],
    ]).verdict
  }

  test('every password is locked, and SSSD serves no directory: there is none to rate', () => {
    expect(over(accountsSssd.parse({ names: RHEL_9 }))).toBe('not-applicable')
  })

  // An IPA server counts failures itself (ipa pwpolicy), and authselect’s profile for its clients has no pam_faillock by default.
  test.each(['access.pam.password-quality', 'access.pam.lockout'])(
    '%s: a directory, or one that may be, has passwords of its own, under rules that were not read',
    (id) => {
      expect(over(accountsSssd.parse({ names: MEMBER }), id)).toBe('inconclusive')
      expect(over(unknown('this was not collected'), id)).toBe('inconclusive')
      expect(over(accountsSssd.parse({ names: MEMBER }), id, ['root'])).toBe('not-satisfied')
    },
  )
})
