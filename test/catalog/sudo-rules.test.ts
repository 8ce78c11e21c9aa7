import { describe, expect, test } from 'vitest'
import { accountsLocal } from '../../main/catalog/access/accounts/probes.ts'
import { sudoersRules } from '../../main/catalog/access/sudo/probes.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, over, overDeclared, stepText, texts } from '../support/concluded.ts'
import { fixtureOf } from '../support/evaluated.ts'

describe('sudo', () => {
  test('the JSON of cvtsudoers: NOPASSWD, groups, defaults with and without a scope', () => {
    const read = fact(
      sudoersRules.parse({
        rules: answer(
          JSON.stringify({
            Defaults: [
              { Binding: [{ username: 'bwaudit' }], Options: [{ authenticate: false }] },
              { Options: [{ syslog: false }, { logfile: '/var/log/sudo.log' }] },
            ],
            User_Specs: [
              {
                User_List: [{ usergroup: 'ops' }, { userid: 1005 }, { username: 'kim', negated: true }],
                Host_List: [{ hostname: 'ALL' }],
                Cmnd_Specs: [
                  {
                    Options: [{ authenticate: false }],
                    Commands: [{ command: 'ALL' }, { command: '/bin/su', negated: true }],
                  },
                ],
              },
            ],
          }),
        ),
      }),
    )
    expect(read).toEqual({
      rules: [{ who: ['%ops', '#1005', '!kim'], runAs: ['root'], commands: ['ALL', '!/bin/su'], asksPassword: false }],
      asksPasswordByDefault: true,
      neverAsked: ['bwaudit'],
      asksOther: false,
      remembersMinutes: null,
      usesPty: null,
      logs: true,
      scoped: [],
      hostRules: [],
    })
  })

  // As cvtsudoers 1.9.13p3 of Debian 12 prints them for one sudoers file for many servers (sudoers(5), Host_List, Runas_List).
  const loaded = (...specs: readonly string[]) => {
    const own = fixtureOf('demo-gpu-01').captures.get('sudoers.rules/rules')
    const document = JSON.parse(new TextDecoder().decode(own?.stdout)) as { User_Specs: object[] }
    const more = specs.map((spec) => JSON.parse(spec) as object)
    const text = JSON.stringify({ ...document, User_Specs: [...document.User_Specs, ...more] })
    return [sudoersRules, sudoersRules.parse({ rules: answer(text) })] as const
  }
  const ANY = '"Options": [{"authenticate": false}, {"setenv": true}], "Commands": [{"command": "ALL"}]'
  const onWeb = (name: string) =>
    `{"User_List": [{"username": "${name}"}], "Host_List": [{"hostname": "web1"}, {"hostname": "web2"}], "Cmnd_Specs": [{"runasusers": [{"username": "ALL"}], ${ANY}}]}`
  const NOT_ROOT = `{"User_List": [{"username": "mortiz"}], "Host_List": [{"hostname": "ALL"}], "Cmnd_Specs": [{"runasusers": [{"username": "ALL"}, {"username": "root", "negated": true}], ${ANY}}]}`
  const BUT_ONE = `{"User_List": [{"username": "mortiz"}], "Host_List": [{"hostname": "ALL"}, {"hostname": "db1", "negated": true}], "Cmnd_Specs": [{"runasusers": [{"username": "root"}], ${ANY}}]}`
  const BY_NET = `{"User_List": [{"username": "mortiz"}], "Host_List": [{"networkaddr": "192.0.2.0/24"}], "Cmnd_Specs": [{${ANY}}]}`

  test.each([
    ['for other hosts, or this one', onWeb('mortiz')],
    ['for all hosts but one', BUT_ONE],
    ['for hosts of a network', BY_NET],
  ])('a rule %s: whether it holds here was not determined', (_, spec) => {
    const { verdict: found, observations } = over('access.sudo-policy', loaded(spec))
    expect([found, observations.filter(({ direction }) => direction === 'unclear').map(({ text }) => text)]).toEqual([
      'inconclusive',
      [expect.stringContaining('certain hosts only: “mortiz”')],
    ])
  })

  test('a rule for every user but root gives no rights of root', () => {
    expect(over('access.sudo-policy', loaded()).verdict).toBe('satisfied')
    expect(over('access.sudo-policy', loaded(NOT_ROOT)).verdict).toBe('satisfied')
  })

  // As cvtsudoers prints `mortiz ALL=(:video) NOPASSWD: ALL`, `(:docker)`, `(root:ALL)`, `()` and no list at all (sudoers(5), Runas_Spec).
  test.each([
    ['a group alone', '"runasgroups": [{"usergroup": "video"}],', 'satisfied'],
    ['a group that makes root', '"runasgroups": [{"usergroup": "docker"}],', 'not-satisfied'],
    ['any group', '"runasgroups": [{"usergroup": "ALL"}],', 'not-satisfied'],
    [
      'any group but one',
      '"runasgroups": [{"usergroup": "ALL"}, {"usergroup": "sudo", "negated": true}],',
      'not-satisfied',
    ],
    [
      'root with any group',
      '"runasusers": [{"username": "root"}], "runasgroups": [{"usergroup": "ALL"}],',
      'not-satisfied',
    ],
    [
      'another user with a group',
      '"runasusers": [{"username": "jlin"}], "runasgroups": [{"usergroup": "video"}],',
      'satisfied',
    ],
    ['the caller', '"runasusers": [{"username": ""}],', 'satisfied'],
    ['no one named, and so root', '', 'not-satisfied'],
  ])('a rule as %s', (_, lists, expected) => {
    const spec = `{"User_List": [{"username": "mortiz"}], "Host_List": [{"hostname": "ALL"}], "Cmnd_Specs": [{${lists} ${ANY}}]}`
    expect(over('access.sudo-policy', loaded(spec)).verdict).toBe(expected)
  })

  // As cvtsudoers 1.9.13p3 prints `Defaults exempt_group=sudo`, `+=` and `!exempt_group` (sudoers(5): exempt from password and PATH requirements).
  test.each([
    ['that of administrators', ['"sudo"'], 'not-satisfied'],
    ['another', ['"video"'], 'inconclusive'],
    ['taken back', ['"sudo"', 'false'], 'satisfied'],
  ])('a group that is asked for no password: %s', (_, groups, expected) => {
    const [probe] = loaded()
    const own = fixtureOf('demo-gpu-01').captures.get('sudoers.rules/rules')
    const document = JSON.parse(new TextDecoder().decode(own?.stdout)) as { Defaults: object[] }
    const more = groups.map((group) => JSON.parse(`{"Options": [{"exempt_group": ${group}}]}`) as object)
    const text = JSON.stringify({ ...document, Defaults: [...document.Defaults, ...more] })
    expect(over('access.sudo-policy', [probe, probe.parse({ rules: answer(text) })]).verdict).toBe(expected)
  })

  test('nor does a rule for certain hosts support or contradict what is declared', () => {
    expect(over('access.service-accounts', loaded()).verdict).toBe('satisfied')
    expect(over('access.service-accounts', loaded(onWeb('www-data'))).verdict).toBe('inconclusive')
    expect(over('access.service-accounts', loaded(onWeb('mortiz'))).verdict).toBe('satisfied')
    const roster = (administrator: boolean, ...specs: readonly string[]) =>
      overDeclared(
        {
          accounts: ['root', 'bwaudit', 'mortiz', 'jlin'].map((account) => ({
            account,
            kind: 'person' as const,
            ...(account === 'jlin' ? { administrator } : account === 'mortiz' ? { administrator: true } : {}),
          })),
        },
        'access.roster-match',
        loaded(...specs),
      ).verdict
    expect([roster(false), roster(true)]).toEqual(['satisfied', 'not-satisfied'])
    expect([roster(false, onWeb('jlin')), roster(true, onWeb('jlin'))]).toEqual(['inconclusive', 'inconclusive'])
  })

  test('cloud images’ rule and membership of docker contradict the policy', () => {
    const said = texts('demo-metal-04', 'access.sudo-policy')
    expect(said).toContain('contradicts: May run any command as root without a password: “debian”.')
    expect(said).toContain('contradicts: Group “docker” gives 1 account root rights without sudo: “debian”.')
  })

  // `usermod -aG docker $USER`, as Docker’s documentation has it, typed as root.
  test('root in a group that grants root rights gains none', () => {
    const joined = (...names: readonly string[]) =>
      over(
        'access.sudo-policy',
        changed(accountsLocal, (local) => ({
          ...local,
          groups: [
            ...local.groups.filter(({ name }) => name !== 'docker'),
            { name: 'docker', gid: 999, members: names },
          ],
        })),
      )
    expect(joined('root').verdict).toBe('satisfied')
    expect(joined('root', 'mortiz').verdict).toBe('not-satisfied')
    expect(stepText(joined('root', 'mortiz'))).toContain(
      'contradicts: Group “docker” gives 1 account root rights without sudo: “mortiz”.',
    )
  })

  // microk8s.io, “Join the group”; canonical/microk8s#3608 names the second, of the snap that is strictly confined.
  test.each(['microk8s', 'snap_microk8s'])('members of %s administer the cluster, and with it the server', (name) => {
    const found = over(
      'access.sudo-policy',
      changed(accountsLocal, (local) => ({
        ...local,
        groups: [...local.groups, { name, gid: 997, members: ['mortiz'] }],
      })),
    )
    expect(found.verdict).toBe('not-satisfied')
  })
})
