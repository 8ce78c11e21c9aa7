import { type LoggedCommand, reconcileSudo, type SudoReconciliation } from '../../../core/collector/sudoers.ts'
import { captureKey, known, type Parsed, unknown } from '../../../core/recording/probe.ts'
import { readOnce } from '../../../core/recording/readings.ts'
import type { CapturedAnswer, LoadedRecording } from '../../../core/recording/recording.ts'
import type { DraftObservation } from '../../../core/rules/check.ts'
import { named, unclear } from '../../base/steps.ts'
import { readCtime, readYearless, type ShownZone, secondsOf } from '../../operations/logs/journal.ts'
import { timeNow } from '../../operations/time/probes.ts'
import { type LocalAccounts, membersOf } from '../accounts/probes.ts'
import { type SudoPolicy, type SudoRule, sudoersRules, sudoLog } from './probes.ts'

/** Shells, and programs whose only purpose is to start another one. */
const STARTERS = /^(sh|bash|dash|ash|ksh|mksh|zsh|csh|tcsh|fish|rbash|busybox|su|sudo|runuser|env|chroot|nsenter)$/

/** A shell, su and their like are any command; so are a whole folder, its every program, and a pattern of sudo 1.9.10 that ends open. */
export const anyCommand = ({ commands }: SudoRule): boolean =>
  commands.some((command) => {
    const [program = ''] = command.split(' ', 1)
    const name = program.slice(program.lastIndexOf('/') + 1)
    return (
      command === 'ALL' ||
      (program.startsWith('/') && (name === '' || name === '*' || STARTERS.test(name))) ||
      (program.startsWith('^') && program.includes('.*'))
    )
  })

/** The last entry that fits counts (sudoers(5), Runas_List): “(ALL, !root)” is everyone else. A group that makes root does so here. */
const asRoot = ({ runAs }: SudoRule): boolean =>
  runAs.findLast((user) => /^!?(root|ALL|#0)$/.test(user))?.startsWith('!') === false ||
  runAs.some((name) => GROUPS_THAT_MAKE_ROOT.has(name))

const makesRoot = (rule: SudoRule): boolean => anyCommand(rule) && asRoot(rule)

/** Rules that make root of the party that they name. */
export const rootRules = ({ rules }: SudoPolicy): readonly SudoRule[] => rules.filter(makesRoot)

/** Rules for certain hosts that would make root: they show neither rights here nor their absence. */
export const hostRootRules = ({ hostRules }: SudoPolicy): readonly SudoRule[] => hostRules.filter(makesRoot)

export const onCertainHosts = (names: readonly string[]): readonly DraftObservation[] =>
  names.length === 0
    ? []
    : [
        unclear(
          `May run any command as root on certain hosts only: ${named(names)}; whether this server is one of them was not determined.`,
          sudoersRules,
        ),
      ]

/**
 * Those of them that need nothing but the caller: with targetpw and similar settings, a rule gains nothing for
 * someone without root’s password.
 */
export const ownRootRules = (policy: SudoPolicy): readonly SudoRule[] =>
  rootRules(policy).filter(
    (rule) => !policy.asksOther || !rule.asksPassword || !policy.asksPasswordByDefault || policy.neverAsked.length > 0,
  )

/** Whether a rule names an account: itself, by id, or by a local group. Its last word on the account counts (sudoers(5), User_List). */
export function ruleNames(rule: SudoRule, name: string, local: LocalAccounts): boolean {
  const uid = local.accounts.find((account) => account.name === name)?.uid
  const matches = (who: string): boolean => {
    if (who === 'ALL' || who === name) return true
    if (who.startsWith('%#')) {
      const gid = Number(who.slice(2))
      return local.groups.some((group) => group.gid === gid && membersOf(local, group.name).includes(name))
    }
    if (who.startsWith('%')) return membersOf(local, who.slice(1)).includes(name)
    return who.startsWith('#') && uid !== undefined && Number(who.slice(1)) === uid
  }
  const last = rule.who.findLast((who) => matches(who.replace(/^!/, '')))
  return last !== undefined && !last.startsWith('!')
}

/** Names in rules that only a directory can resolve: netgroups and groups of other systems (sudoers(5)). */
export const beyondLocal = (rules: readonly SudoRule[]): readonly string[] => [
  ...new Set(rules.flatMap(({ who }) => who.filter((name) => /^!?(\+|%:)/.test(name)))),
]

/**
 * Groups whose members can become root without asking sudo: docker, podman, lxd and incus start containers with the host's files, those of
 * MicroK8s administer a cluster that does, disk reads and writes raw devices, shadow reads password hashes, libvirt starts machines with
 * host devices. Not among them: kvm, which opens /dev/kvm and nothing of the host, adm and systemd-journal, which read logs.
 */
export const ROOT_EQUIVALENT_GROUPS = [
  'docker',
  'podman',
  'lxd',
  'incus',
  'incus-admin',
  'microk8s',
  'snap_microk8s',
  'disk',
  'shadow',
  'libvirt',
] as const

const GROUPS_THAT_MAKE_ROOT: ReadonlySet<string> = new Set(
  ['ALL', 'root', ...ROOT_EQUIVALENT_GROUPS].map((name) => `:%${name}`),
)

/** The same, plus the groups to which distributions grant sudo rights. */
export const ADMIN_GROUPS = ['sudo', 'wheel', 'admin', ...ROOT_EQUIVALENT_GROUPS] as const

/**
 * How far sudo's own log and the recording agree, or why that cannot be stated: not collected through sudo, no such log, no clock. The
 * node's response to date(1) ties its clock to ours, so that a clock that is wrong does not matter here.
 */
export function sudoReconciliation(loaded: LoadedRecording): Parsed<SudoReconciliation> {
  const { recording, captures } = loaded
  if (recording.session?.privilege !== 'sudo') return unknown('root’s rights did not come through sudo')
  const byKey = new Map(captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one]))
  const [log, now] = [readOnce(sudoLog, byKey), readOnce(timeNow, byKey)]
  if (!log.ok) return log
  if (!now.ok) return now
  if (log.fact.entries === null) return unknown('sudo keeps no log file of its own for this login')
  const [logAt, nowAt] = [
    startOf(byKey, captureKey(sudoLog.id, 'entries')),
    startOf(byKey, captureKey(timeNow.id, 'now')),
  ]
  const onNode = (ours: string): number => now.fact.seconds + (Date.parse(ours) - Date.parse(nowAt)) / 1000
  const entries = log.fact.entries.flatMap(({ when, user, refused, command }): readonly LoggedCommand[] => {
    const at = loggedAt(when, now.fact.seconds, now.fact.zone)
    return at === null ? [] : [{ at, user, refused, command }]
  })
  return known(reconcileSudo(loaded, entries, { from: onNode(recording.startedAt), to: onNode(logAt), readAt: logAt }))
}

const startOf = (byKey: ReadonlyMap<string, CapturedAnswer>, key: string): string =>
  byKey.get(key)?.meta.startedAt ?? ''

const loggedAt = (when: string, now: number, zone: ShownZone): number | null =>
  secondsOf(/ \d{4}$/.test(when) ? readCtime(`Mon ${when}`) : readYearless(when, now + zone.minutes * 60), zone)
