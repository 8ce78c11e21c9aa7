import type { Parsed } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { clusterKubernetes, type KubernetesCredentials } from '../../single-tenancy/tenancy/schedulers.ts'
import { accountsLocal, type LocalAccounts, membersOf } from '../accounts/probes.ts'
import { aboutSss, otherSources, SSS_EVIDENCE, type SssEvidence } from '../accounts/sssd.ts'
import data from './checks.json' with { type: 'json' }
import {
  type OtherSudoers,
  type SudoPolicy,
  type SudoRule,
  sudoersOther,
  sudoersRules,
  sudoLog,
  sudoProgram,
} from './probes.ts'
import { beyondLocal, hostRootRules, onCertainHosts, ROOT_EQUIVALENT_GROUPS, rootRules } from './rights.ts'

const accessSudoPolicy = defineCheck({
  id: 'access.sudo-policy',
  property: 'access',
  expected:
    'Running any command as root through sudo requires a password and is logged, and no group grants the same rights without sudo.',
  limitations:
    'Rules from a directory service are not in this file. Rules for certain hosts only leave the result inconclusive. A rule for one named command can still give root rights if that command can start others. Programs that run as root for any user (setuid files) are tested by another check. Whether each person needs the rights is not shown.',
  requires: { sudo: sudoersRules, local: accountsLocal },
  optional: { other: sudoersOther, kubernetes: clusterKubernetes, ...SSS_EVIDENCE },
  thresholds: ['sudo.remembers'],
  evaluate({ sudo, local }, { other, kubernetes, ...sss }, context) {
    return decide([
      ...unlimited(sudo),
      ...onCertainHosts([...new Set(hostRootRules(sudo).flatMap(others))]),
      ...everyone(sudo),
      ...unresolved(sudo),
      remembers(sudo, context),
      ...terminal(sudo),
      logging(sudo),
      ...inPart(sudo),
      ...credentials(kubernetes, local),
      ...beside(other),
      ...besideSudo(local),
      ...directories(local, sss),
    ])
  },
})

const others = (rule: SudoRule): readonly string[] =>
  rule.who.filter((name) => name !== 'root' && !name.startsWith('!'))

function unlimited(sudo: SudoPolicy): readonly DraftObservation[] {
  const all = rootRules(sudo).filter((rule) => others(rule).length > 0)
  const silent = all
    .filter((rule) => !rule.asksPassword || !sudo.asksPasswordByDefault)
    .flatMap(others)
    .concat(all.flatMap(others).filter((name) => sudo.neverAsked.includes(name)))
  const rest = sudo.neverAsked.filter((name) => !silent.includes(name))
  const asked = all.flatMap(others)
  const scoped =
    rest.length > 0 && asked.length > 0
      ? [
          unclear(
            `A setting removes the password prompt for ${named(rest)}; whether this affects a rule for any command was not determined.`,
            sudoersRules,
          ),
        ]
      : []
  if (silent.length > 0)
    return [
      contradicts(`May run any command as root without a password: ${named([...new Set(silent)])}.`, sudoersRules),
      ...scoped,
    ]
  return [
    asked.length > 0
      ? supports(`May run any command as root after a password: ${named([...new Set(asked)])}.`, sudoersRules)
      : supports('Only root may run any command as root through sudo.', sudoersRules),
    ...scoped,
  ]
}

/** SUSE requires root's password by default: then the rule gives no access to users without it. */
function everyone(sudo: SudoPolicy): readonly DraftObservation[] {
  if (!rootRules(sudo).some((rule) => rule.who.includes('ALL'))) return []
  return [
    sudo.asksOther
      ? unclear(
          'Every account may run any command as root with root’s own password (targetpw): who knows it is not shown, and it is shared by all who do.',
          sudoersRules,
        )
      : contradicts('Every account may run any command as root.', sudoersRules),
  ]
}

function unresolved(sudo: SudoPolicy): readonly DraftObservation[] {
  const names = beyondLocal(rootRules(sudo))
  return names.length === 0
    ? []
    : [unclear(`Who is meant by ${named(names)} is decided by a directory that was not read.`, sudoersRules)]
}

/** Built in: 15 minutes, and 5 in packages of the Red Hat family (sudoers(5), timestamp_timeout). */
const BUILT_IN = { least: 5, most: 15 }

function remembers({ remembersMinutes }: SudoPolicy, context: Context): DraftObservation {
  const limit = limitOf(context, 'sudo.remembers')
  const asked = `limit: ${limitText(limit)}`
  if (remembersMinutes === null) {
    if (BUILT_IN.most <= limit.value)
      return supports(
        `After its built-in time, at most ${BUILT_IN.most} minutes, sudo requires the password again.`,
        sudoersRules,
      )
    return BUILT_IN.least > limit.value
      ? contradicts(`sudo does not require the password again for its built-in time (${asked}).`, sudoersRules)
      : unclear(
          `sudo does not require the password again for its built-in time, which differs by package (${asked}).`,
          sudoersRules,
        )
  }
  if (remembersMinutes < 0)
    return contradicts('sudo requires the password once and not again until the next start.', sudoersRules)
  return remembersMinutes <= limit.value
    ? supports(`sudo requires the password again after ${remembersMinutes} minutes.`, sudoersRules)
    : contradicts(`sudo requires the password again only after ${remembersMinutes} minutes (${asked}).`, sudoersRules)
}

const terminal = ({ usesPty }: SudoPolicy): readonly DraftObservation[] =>
  usesPty === null
    ? []
    : [
        usesPty
          ? supports('A command runs in a terminal of its own (use_pty).', sudoersRules)
          : contradicts(
              'A command runs in the caller’s own terminal (use_pty is off), where a program left behind can type into it.',
              sudoersRules,
            ),
      ]

const logging = (sudo: SudoPolicy): DraftObservation =>
  sudo.logs
    ? supports('sudo’s own log is not switched off.', sudoersRules)
    : contradicts('sudo’s log to the system log is switched off, and no log file is set.', sudoersRules)

const inPart = ({ scoped }: SudoPolicy): readonly DraftObservation[] =>
  scoped.length === 0
    ? []
    : [
        unclear(
          `For some users, hosts or commands other settings apply (${named(scoped)}); their effect was not evaluated.`,
          sudoersRules,
        ),
      ]

/** Members of a group that are not root by their user id. */
const othersIn = (group: string, local: LocalAccounts): readonly string[] =>
  membersOf(local, group).filter((name) => local.accounts.find((account) => account.name === name)?.uid !== 0)

/** Whether a group is that of root, or a local one with no one else in it. */
const isOfRoot = (group: string, local: LocalAccounts): boolean =>
  group === 'root' || (local.groups.some(({ name }) => name === group) && othersIn(group, local).length === 0)

const OTHERS_READ = 0o004
const GROUP_READS = 0o040

/**
 * A cluster administrator can start a container on this node with access to the host’s files. Where the credential
 * file is in root’s own folder, its mode alone is no evidence; without root’s rights, it is unknown whether there is
 * one. A group that has no member, as MicroK8s makes it, opens the file to no one.
 */
function credentials(kubernetes: Parsed<KubernetesCredentials>, local: LocalAccounts): readonly DraftObservation[] {
  if (!kubernetes.ok) return unclearAbout(clusterKubernetes, kubernetes)
  const open = kubernetes.fact.files.filter(
    ({ path, owner, group, mode }) =>
      !path.startsWith('/root/') &&
      (owner !== 'root' || (mode & OTHERS_READ) !== 0 || ((mode & GROUP_READS) !== 0 && !isOfRoot(group, local))),
  )
  return open.length === 0
    ? []
    : [
        contradicts(
          `Others than root can read a Kubernetes administrator’s credential, which opens this server to them: ${named(open.map(({ path }) => path))}.`,
          clusterKubernetes,
        ),
      ]
}

function directories(local: LocalAccounts, evidence: SssEvidence): readonly DraftObservation[] {
  const others = otherSources(local, evidence)
  return [
    ...(others.length === 0
      ? []
      : [
          unclear(
            `Accounts and groups may also come from ${named(others)}, and with them members of groups and rules for sudo.`,
            accountsLocal,
            'sources',
          ),
        ]),
    ...aboutSss(local, evidence),
  ]
}

function beside(other: Parsed<OtherSudoers>): readonly DraftObservation[] {
  if (!other.ok) return unclearAbout(sudoersOther, other)
  const { files } = other.fact
  return files.length === 0
    ? []
    : [unclear(`Other rules about who may act as root are in ${named(files)} and were not read.`, sudoersOther)]
}

/** Root itself gains nothing from such a group. */
function besideSudo(local: LocalAccounts): readonly DraftObservation[] {
  const members = ROOT_EQUIVALENT_GROUPS.map((group) => [group, othersIn(group, local)] as const).filter(
    ([, names]) => names.length > 0,
  )
  if (members.length === 0)
    return [
      supports(
        'No account but root is in a group that grants root rights without sudo.',
        accountsLocal,
        'group',
        'passwd',
      ),
    ]
  return members.map(([group, names]) =>
    contradicts(
      `Group “${group}” gives ${count(names.length, 'account')} root rights without sudo: ${named(names)}.`,
      accountsLocal,
      'group',
      'passwd',
    ),
  )
}

export const sudoSubject = defineSubject({
  id: 'sudo',
  title: 'Administrator rights through sudo',
  probes: [sudoersRules, sudoProgram, sudoersOther, sudoLog],
  checks: [accessSudoPolicy],
  data,
})
