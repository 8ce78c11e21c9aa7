import { describe, expect, test } from 'vitest'
import { accountsLastLogin, accountsLastlog } from '../../main/catalog/access/accounts/last-login.ts'
import type { LoginTrace } from '../../main/catalog/access/accounts/login-traces.ts'
import { accountsLocal, accountsPasswordState } from '../../main/catalog/access/accounts/probes.ts'
import { type AuthorizedKeys, authorizedKeys } from '../../main/catalog/access/authorized-keys/probes.ts'
import { pamAccessRules } from '../../main/catalog/access/pam/probes.ts'
import { cloudInit, remoteAgents } from '../../main/catalog/access/provider-access/probes.ts'
import { ruleNames } from '../../main/catalog/access/sudo/rights.ts'
import { THRESHOLDS } from '../../main/catalog/base/thresholds.ts'
import { type CpuFeatures, cpuFeatures } from '../../main/catalog/hardware/processors/features.ts'
import { packagesDistribution } from '../../main/catalog/operations/packages/probes.ts'
import { unknown } from '../../main/core/recording/probe.ts'
import { thresholdValues } from '../../main/core/rules/profile.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, over, stepText, texts, verdict } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

/** One check over a fixture under another profile than the baseline. */
function under(profile: 'cis' | 'stig', fixture: string, id: string): readonly string[] {
  const thresholds = thresholdValues(THRESHOLDS, { name: profile, changes: [] })
  const { observations } = concludeOn(checkOf(id), fixture, [], { thresholds })
  return observations.map(({ direction, text }) => `${direction}: ${text}`)
}

describe('stale accounts', () => {
  test('a person unseen for long, one never seen; keys and services stay open', () => {
    const said = texts('fx-accounts-neglected', 'access.stale-accounts')
    expect(said).toContain('contradicts: “sam” last logged in on 2026-02-02, more than 90 days before this collection.')
    expect(said).toContain(
      'contradicts: No login of “kim” was recorded in the last 90 days, and the record reaches back further.',
    )
    expect(said.filter((text) => text.startsWith('unclear: ')).map((text) => /“(.*?)”/.exec(text)?.[1])).toEqual([
      'new',
      'ubuntu',
      'svc-etl',
    ])
  })

  test('the limit is the profile’s: what is recent enough for one is not for another', () => {
    const late = (profile: 'cis' | 'stig') =>
      under(profile, 'fx-accounts-declared', 'access.stale-accounts').filter((text) => !text.startsWith('supports: '))
    expect([late('cis'), late('stig')]).toEqual([[], []])
    expect(under('stig', 'fx-accounts-neglected', 'access.stale-accounts')).toContain(
      'contradicts: “sam” last logged in on 2026-02-02, more than 35 days before this collection.',
    )
  })

  test('where lastlog and wtmp are gone, their successors answer', () => {
    const said = texts('fx-accounts-declared', 'access.stale-accounts')
    expect(said).toContain('supports: “jlin” last logged in on 2026-11-18.')
    expect(said).toContain('supports: Declared for emergencies and so expected to be unused: “sealed”.')
  })

  // README.Debian of wtmpdb: from Debian 13 on logins are recorded there; an upgrade leaves /var/log/wtmp behind, and lslogins reads it.
  test('a record without any login within the limit may no longer be written to, where lastlog and its successors are gone', () => {
    const AGO = Date.parse('2026-03-01T08:00:00Z')
    const dated = (at: (name: string, moment: number) => number) => (found: LoginTrace) => ({
      ...found,
      last: new Map([...found.last].map(([name, moment]) => [name, moment === null ? null : at(name, moment)])),
    })
    const stale = changed(
      accountsLastLogin,
      dated(() => AGO),
    )
    const kept = changed(
      accountsLastLogin,
      dated((name, moment) => (name === 'mortiz' ? AGO : moment)),
    )
    const gone = [accountsLastlog, unknown('not collected: tool absent')] as const
    const of = (...facts: Parameters<typeof over>[1][]) => over('access.stale-accounts', ...facts).verdict
    expect(of()).toBe('satisfied')
    expect(of(stale, gone)).toBe('inconclusive')
    expect(of(kept, gone)).toBe('not-satisfied')
    expect(
      of(
        stale,
        changed(
          accountsLastlog,
          dated(() => AGO),
        ),
      ),
    ).toBe('not-satisfied')
  })

  test('a last day that has passed is the matter of another check', () => {
    const accounts = [{ account: 'jlin', kind: 'person' as const, until: '2026-11-19' }]
    expect(verdict('demo-gpu-01', 'access.stale-accounts', { accounts })).toBe('satisfied')
    expect(verdict('demo-gpu-01', 'access.roster-match', { accounts })).toBe('satisfied')
    expect(texts('demo-gpu-01', 'access.roster-match', { accounts }).filter((text) => /last day/.test(text))).toEqual(
      [],
    )
  })
})

describe('declared accounts', () => {
  test('joiners and movers both ways', () => {
    expect(
      texts('fx-accounts-neglected', 'access.roster-match').filter((text) => text.startsWith('contradicts: ')),
    ).toEqual([
      'contradicts: 2 accounts with a login shell not on the declared roster: “ubuntu”, “postgres”.',
      'contradicts: Have administrator rights that were not declared: “mortiz”, “kim”, “svc-etl”.',
      'contradicts: Declared as administrators and without such rights here: “jlin”.',
    ])
  })

  test('declared without sudo’s rules, rights stay open', () => {
    expect(verdict('demo-nosudo-06', 'access.roster-match')).toBe('satisfied')
    const accounts = ['root', 'bwaudit', 'mortiz', 'jlin'].map((account) => ({
      account,
      kind: 'person' as const,
      administrator: account === 'mortiz',
    }))
    expect(verdict('demo-nosudo-06', 'access.roster-match', { accounts })).toBe('inconclusive')
    expect(verdict('demo-gpu-01', 'access.roster-match', { accounts })).toBe('satisfied')
  })

  test('who a rule of sudo names: groups, ids, and the last word on an account', () => {
    const local = fact(
      accountsLocal.parse({
        passwd: answer('kim:x:1000:100::/home/kim:/bin/bash\nlee:x:1001:50::/home/lee:/bin/bash\n'),
        group: answer('users:x:100:\nops:x:27:lee\n'),
        sources: answer('passwd: files\n'),
      }),
    )
    const named = (...who: readonly string[]): readonly string[] =>
      ['kim', 'lee'].filter((name) =>
        ruleNames({ who, runAs: ['root'], commands: ['ALL'], asksPassword: true }, name, local),
      )
    expect(named('%ops')).toEqual(['lee'])
    expect(named('%#100')).toEqual(['kim'])
    expect(named('#1001')).toEqual(['lee'])
    expect(named('ALL', '!kim')).toEqual(['lee'])
    expect(named('+netgroup')).toEqual([])
  })
})

describe('service accounts', () => {
  test('a password, a key without a shell, docker and sudo', () => {
    expect(
      texts('fx-accounts-neglected', 'access.service-accounts').filter((text) => text.startsWith('contradicts: ')),
    ).toEqual([
      'contradicts: Accounts of services that a password or key opens, without being declared: “postgres”.',
      'contradicts: SSH keys are in place for accounts of services without a login shell: “ftp”.',
      'contradicts: Accounts of services in groups that give root rights: “svc-etl (docker)”.',
      'contradicts: Accounts of services that may run any command as root: “svc-etl”.',
    ])
  })

  test('a rule for all users with root’s own password makes no service root', () => {
    expect(
      texts('fx-accounts-rhel', 'access.service-accounts').filter((text) => text.startsWith('contradicts: ')),
    ).toEqual([])
    expect(verdict('fx-accounts-rhel', 'access.sudo-policy')).toBe('inconclusive')
  })
})

describe('passwords', () => {
  test('credits shorten what pam_cracklib asks for', () => {
    expect(texts('fx-accounts-neglected', 'access.pam.password-quality').slice(0, 3)).toEqual([
      'contradicts: A new password may have 9 characters (limit: 14 characters).',
      'contradicts: A new password is stored by the scheme “des”; yescrypt or SHA-512 is required.',
      'contradicts: Passwords are stored by an outdated scheme: “mortiz (md5)”.',
    ])
  })

  test('RHEL: system-auth by substack, settings in pwquality.conf.d', () => {
    expect(texts('fx-accounts-rhel', 'access.pam.password-quality')).toContain(
      'supports: A new password must have at least 15 characters (pam_pwquality).',
    )
  })

  test('kinds, history and age are asked for by the profiles that set them', () => {
    expect(under('cis', 'fx-accounts-rhel', 'access.pam.password-quality')).toEqual([
      'supports: A new password must have at least 15 characters (pam_pwquality).',
      'supports: A new password must hold 4 kinds of characters.',
      'supports: The last 24 passwords may not come back.',
      'supports: A new password is stored by the scheme “sha512”.',
      'supports: Every password here is stored by yescrypt or SHA-512.',
      'contradicts: A new account’s password may stay for ever (limit: 365 days).',
      'contradicts: Passwords that may stay longer than 365 days: “mortiz”, “jlin”.',
    ])
    const cis = under('cis', 'demo-gpu-01', 'access.pam.password-quality')
    expect(cis).toContain('contradicts: A new password must hold 0 kinds of characters (limit: 4 classes).')
    expect(cis).toContain('contradicts: No module keeps earlier passwords from coming back.')
  })
})

describe('hands of others', () => {
  test('agents, images’ accounts and keys that are not declared', () => {
    const said = texts('fx-accounts-neglected', 'access.provider-access')
    expect(said).toContain('contradicts: amazon-ssm-agent (provider) runs or starts at boot and is not declared.')
    expect(said).toContain(
      'contradicts: Accounts of an image or a provider can be opened and are not declared: “ubuntu”.',
    )
  })

  test('a declared agent is expected, by account or by service', () => {
    const declared = { services: [{ port: 41_641, protocol: 'udp' as const, name: 'tailscale' }] }
    const open = texts('demo-shared-05', 'access.provider-access', declared).filter((text) => /tailscale/.test(text))
    expect(open).toEqual(['supports: Declared, and running or started at boot: “tailscale (remote access)”.'])
  })
})

/** The installer of Ubuntu leaves cloud-init on with its fallback (DataSourceNone), which instance-data.json names “none”. */
describe('cloud-init without a provider', () => {
  const atBoot = changed(remoteAgents, ({ units }) => ({
    units: new Map([...units, ['cloud-init', { active: true, atBoot: true }]]),
  }))
  const from = (cloudName: string | null) =>
    changed(cloudInit, () => ({ present: true, cloudName, region: null, availabilityZone: null }))
  const ofCloud = (cloudName: string | null): readonly string[] =>
    stepText(over('access.provider-access', atBoot, from(cloudName)))
      .split('\n')
      .filter((text) => /cloud-init|initialized/.test(text))
      .map((text) => text.slice(0, text.indexOf(':')))

  test.each([
    ['none', ['unclear', 'supports']],
    ['openstack', ['contradicts', 'unclear']],
    [null, ['contradicts', 'unclear']],
  ] as const)('%s', (cloudName, directions) => {
    expect(ofCloud(cloudName)).toEqual(directions)
  })

  // docs.cloud-init.io, “Disable cloud-init”: with /etc/cloud/cloud-init.disabled its units stay enabled, and none of them starts.
  test('switched off by its own file', () => {
    const units = (active: boolean) =>
      changed(remoteAgents, ({ units }) => ({ units: new Map([...units, ['cloud-init', { active, atBoot: true }]]) }))
    const none = { present: false, cloudName: null, region: null, availabilityZone: null }
    const found = (active: boolean) =>
      over(
        'access.provider-access',
        units(active),
        changed(cloudInit, () => none),
      )
    expect(found(false).verdict).toBe('inconclusive')
    expect(stepText(found(false))).toContain('did not start at this boot')
    expect(found(true).verdict).toBe('not-satisfied')
  })
})

describe('consoles', () => {
  test('each way in contradicts on its own', () => {
    const against = texts('fx-accounts-neglected', 'access.console-and-boot').filter((text) =>
      text.startsWith('contradicts: '),
    )
    expect(against).toHaveLength(6)
  })

  test('a password of the boot loader that is set up by half is none', () => {
    expect(texts('fx-accounts-neglected', 'access.console-and-boot')[0]).toMatch(/configured incompletely/)
    expect(texts('fx-accounts-rhel', 'access.console-and-boot')[0]).toMatch(/^supports: GRUB requires/)
  })

  // Ubuntu’s own change of sulogin (sulogin-lockedpwd.patch of its util-linux; sulogin(8) of 14.04: “no password prompt is displayed”).
  test.each([
    ['ubuntu', 'debian', 'L', 'inconclusive'],
    ['pop', 'debian', 'L', 'inconclusive'],
    ['ubuntu', 'debian', 'P', 'satisfied'],
    ['debian', 'debian', 'L', 'satisfied'],
    ['rhel', 'rhel', 'L', 'satisfied'],
    [null, 'debian', 'L', 'inconclusive'],
    [null, 'debian', 'P', 'satisfied'],
  ] as const)('single-user mode of %s (%s) with root %s: %s', (id, family, state, expected) => {
    const root = changed(accountsPasswordState, ({ states }) => ({
      states: new Map([...states, ['root', state === 'L' ? 'locked' : 'usable'] as const]),
    }))
    const system =
      id === null
        ? ([packagesDistribution, unknown('not collected')] as const)
        : changed(packagesDistribution, (one) => ({ ...one, id, family }))
    expect(over('access.console-and-boot', root, system).verdict).toBe(expected)
  })
})

describe('sudo and SSH', () => {
  test('a scoped setting takes the question away; another’s password is another matter', () => {
    const said = texts('fx-accounts-neglected', 'access.sudo-policy')
    expect(said).toContain('contradicts: May run any command as root without a password: “kim”.')
    expect(said).toContain('contradicts: sudo requires the password again only after 60 minutes (limit: 15 minutes).')
    expect(said.filter((text) => text.startsWith('unclear: '))).toHaveLength(2)
  })

  test('sudo’s built-in memory is too long for a profile that always asks', () => {
    expect(under('stig', 'demo-gpu-01', 'access.sudo-policy').filter((text) => /built-in/.test(text))[0]).toBe(
      'contradicts: sudo does not require the password again for its built-in time (limit: required every time).',
    )
  })

  test('rules of pam_access that end with a refusal are an allow list', () => {
    expect(texts('fx-accounts-declared', 'access.sshd.allow-list')[0]).toBe(
      'supports: The rules of pam_access refuse all users except: “root (ops) bwaudit”, “svc-backup”.',
    )
    expect(verdict('fx-accounts-declared', 'access.sshd.allow-list', {}, { usepam: 'no' })).toBe('not-satisfied')
  })

  // access.conf(5): LOCAL, terminals and services match only where the login names no host, and sshd always names one.
  test.each([
    ['whom the console and cron let in', '+:ALL:LOCAL\n+:(sshusers):ALL\n-:ALL:ALL\n', 'supports', '“(sshusers)”.'],
    [
      'terminals and services by name',
      '+ : ALL : cron crond systemd-user :0 tty1 tty2\n+ : root : 198.51.100.0/24\n- : ALL : ALL\n',
      'supports',
      'except: “root”.',
    ],
    ['this server itself', '+:ALL:127.0.0.1 ::1 localhost\n+:kim:ALL\n-:ALL:ALL\n', 'supports', 'except: “kim”.'],
    ['a refusal with exceptions', '-:ALL EXCEPT root (sshusers):ALL\n', 'supports', 'except: “root (sshusers)”.'],
    ['a refusal of the network', '+:kim:ALL\n-:ALL:ALL EXCEPT LOCAL\n', 'supports', 'except: “kim”.'],
    ['a network and the console', '+:ALL:198.51.100.0/24 LOCAL\n-:ALL:ALL\n', 'contradicts', 'admit every name'],
    ['another case', '+:all:ALL\n-:ALL:ALL\n', 'contradicts', 'admit every name'],
    ['a list with commas', '+:root,ALL:ALL\n-:ALL:ALL\n', 'contradicts', 'admit every name'],
    ['all but one', '+:ALL EXCEPT kim:ALL\n-:ALL:ALL\n', 'contradicts', 'admit every name'],
    ['a refusal of the console alone', '-:ALL EXCEPT (wheel):LOCAL\n', 'unclear', 'no last line'],
    ['a refusal of some places', '-:ALL:ALL EXCEPT 198.51.100.0/24\n', 'unclear', 'no last line'],
  ])('rules of pam_access for %s', (_, text, direction, part) => {
    const rules = pamAccessRules.parse({ rules: answer(text.replace(/^(?=.)/gm, '/etc/security/access.conf:')) })
    const [first] = concludeOn(checkOf('access.sshd.allow-list'), 'fx-accounts-declared', [
      [pamAccessRules.id, rules],
    ]).observations
    expect([first?.direction, first?.text]).toEqual([direction, expect.stringContaining(part)])
  })

  test('a password and what modules ask may be one factor twice', () => {
    const methods = (authenticationmethods: string): string =>
      verdict('fx-access-hardened', 'access.sshd.mfa', {}, { authenticationmethods })
    expect(methods('password,keyboard-interactive:pam')).toBe('inconclusive')
    expect(methods('publickey,password keyboard-interactive')).toBe('inconclusive')
    expect(methods('password,password')).toBe('not-satisfied')
  })
})

// The account that an image of Ubuntu makes, as /etc/passwd has it, and the letter of `passwd -S` for it.
describe('an account with a shared name is in use where something opens it', () => {
  const ubuntu = fact(
    accountsLocal.parse({
      passwd: answer('ubuntu:x:1099:1099::/home/ubuntu:/bin/bash\n'),
      group: answer('root:x:0:\n'),
      sources: answer('passwd: files\n'),
    }),
  ).accounts
  const withUbuntu = changed(accountsLocal, (local) => ({ ...local, accounts: [...local.accounts, ...ubuntu] }))
  const withState = (letter: 'L' | 'P' | null) =>
    changed(accountsPasswordState, ({ states }) => ({
      states:
        letter === null
          ? states
          : new Map([...states, ['ubuntu', letter === 'L' ? ('locked' as const) : ('usable' as const)]]),
    }))
  const withKey = changed(authorizedKeys, (found: AuthorizedKeys) => ({
    ...found,
    keys: [
      ...found.keys,
      ...found.keys.slice(0, 1).map((key) => ({ ...key, path: '/home/ubuntu/.ssh/authorized_keys' })),
    ],
  }))
  const unread = changed(authorizedKeys, (found: AuthorizedKeys) => ({ ...found, doubtful: null }))

  test.each([
    ['a password', [withState('P')], 'not-satisfied'],
    ['a key', [withState('L'), withKey], 'not-satisfied'],
    ['neither', [withState('L')], 'satisfied'],
    ['a locked password and key files that were not read in full', [withState('L'), unread], 'inconclusive'],
    ['a state that was not reported', [withState(null)], 'inconclusive'],
  ] as const)('%s', (_, facts, expected) => {
    expect(over('access.unique-accounts', withUbuntu, ...facts).verdict).toBe(expected)
  })

  test('what is kept and not in use is named', () =>
    expect(stepText(over('access.unique-accounts', withUbuntu, withState('L')))).toContain(
      'supports: Accounts with a shared name that neither a password nor a key opens: “ubuntu”.',
    ))
})

/**
 * Ubuntu’s server installation brings open-vm-tools, whose unit has ConditionVirtualization=vmware and is enabled; upstream’s unit of the
 * QEMU guest agent is wanted by a device that QEMU alone provides. On other machines both are enabled and never start.
 */
describe('agents of virtual machines on other machines', () => {
  const waiting = (unit: string, active = false) =>
    changed(remoteAgents, ({ units }) => ({ units: new Map([...units, [unit, { active, atBoot: true }]]) }))
  const processor = (change: Partial<CpuFeatures>) => changed(cpuFeatures, (cpu) => ({ ...cpu, ...change }))
  const about = (...facts: Parameters<typeof over> extends [string, ...infer R] ? R : never): readonly string[] =>
    stepText(over('access.provider-access', ...facts))
      .split('\n')
      .filter((text) => /vmtoolsd|qemu-guest-agent/.test(text))

  test.each([
    ['open-vm-tools', 'vmtoolsd', 'VMware'],
    ['qemu-guest-agent', 'qemu-guest-agent', 'QEMU'],
  ])('%s: enabled and not running on hardware', (unit, name, product) => {
    const metal = processor({ architecture: 'x86', hypervisorBit: false })
    expect(over('access.provider-access', waiting(unit), metal).verdict).toBe('satisfied')
    expect(about(waiting(unit), metal)).toEqual([
      `supports: Enabled for virtual machines of ${product} alone, not running, and the processor shows no hypervisor: “${name} (provider)”.`,
    ])
  })

  test.each([
    ['on a virtual machine', [processor({ hypervisorBit: true })]],
    ['on another processor', [processor({ architecture: 'arm64' })]],
    ['without the processor', [[cpuFeatures, unknown('not collected')] as const]],
  ])('%s it stays open', (_, facts) => {
    expect(about(waiting('open-vm-tools'), ...facts)).toEqual([
      'unclear: vmtoolsd (provider) is enabled for virtual machines of VMware, does not run now, and is not declared.',
    ])
  })

  test('one that runs is a deviation', () =>
    expect(about(waiting('open-vm-tools', true))).toEqual([
      'contradicts: vmtoolsd (provider) runs or starts at boot and is not declared.',
    ]))
})
