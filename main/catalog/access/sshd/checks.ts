import { quote } from '../../../core/base/plain-text.ts'
import { known, type Parsed } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { limitOf, limitText, type ThresholdId } from '../../base/thresholds.ts'
import { admitting, refuses } from '../pam/control.ts'
import { type AccessRules, expandStack, type PamEntry, type PamStack, pamAccessRules, pamStack } from '../pam/probes.ts'
import {
  conditionSteps,
  contextSteps,
  everyChainNeedsKey,
  methodChains,
  setting,
  settingNumber,
  settingWords,
} from './access.ts'
import {
  type MatchBlock,
  type MatchKeyword,
  type SshdConditions,
  type SshdSettings,
  sshdConditions,
  sshdContexts,
  sshdEffective,
} from './probes.ts'
import { keysOnly, letIn, passwordOffers, RUNNING_SSH, runningSsh } from './running.ts'
import { promptedFactors } from './second-factor.ts'

// The expected value of each setting. Keyboard-interactive authentication uses PAM, which usually requires the
// password.
const EXPECTED = {
  passwordauthentication: 'no',
  kbdinteractiveauthentication: 'no',
  permitemptypasswords: 'no',
  hostbasedauthentication: 'no',
} as const
const EXPECTED_KEYS = Object.keys(EXPECTED) as readonly (keyof typeof EXPECTED)[]

const PASSWORD_SETTINGS: ReadonlySet<string> = new Set([
  'passwordauthentication',
  'kbdinteractiveauthentication',
  'challengeresponseauthentication',
])
/** Logins for hosts that are trusted, which ask the person for nothing. */
const HOSTS = 'hostbasedauthentication'
const CONDITIONAL = [...EXPECTED_KEYS, 'challengeresponseauthentication', 'authenticationmethods'] as const

export const accessSshdPasswordAuth = defineCheck({
  id: 'access.sshd.password-auth',
  property: 'access',
  expected: 'A password alone does not open an SSH session: it is refused, or requested only after a public key.',
  limitations:
    'Match blocks are read from the customary files and evaluated for root and an unknown user from two addresses, not for each account and source. The running servers were tested from the node itself, for up to three names. A server that offers a password first counts as offering it, whatever it would require after it. Where login modules for a second factor are behind its prompts, what they ask for is not evaluated. Servers that listen in containers or on addresses of other programs’ networks are not found; consoles and web interfaces are not covered, nor is how well private keys are protected.',
  requires: {},
  optional: { sshd: sshdEffective, conditions: sshdConditions, contexts: sshdContexts, pam: pamStack, ...RUNNING_SSH },
  evaluate(_, { sshd, conditions, contexts, pam, ...evidence }) {
    const judge = judgeWith(pam)
    const running = runningSsh(sshd, evidence, { contexts, keywords: KEYWORDS, concludes: keysOnly })
    const isSettled = running.servers.length > 0 && running.servers.every((server) => keysOnly(server) !== null)
    const bySettings = (settings: SshdSettings): readonly DraftObservation[] => [
      ...judge(settings),
      ...contextSteps(contexts, settings, [...EXPECTED_KEYS, 'authenticationmethods'], judge),
      ...conditionSteps(
        conditions,
        CONDITIONAL,
        judgeCondition(asksKeyFirst(settings), promptedFactors(settings, pam).length > 0),
      ),
    ]
    return decide([
      ...letIn(running, ['root', 'declared', 'nobody']),
      // For a server with these settings, they show more than its response, which names only how a login begins.
      ...passwordOffers(running, ({ doubts }) => doubts.length > 0),
      ...(sshd.ok && running.isBearing ? bySettings(sshd.fact) : []),
      ...(isSettled ? [] : unclearAbout(sshdEffective, sshd)),
      ...running.steps,
    ])
  },
})

const KEYWORDS = [...CONDITIONAL, 'usepam']

const asksKeyFirst = (sshd: SshdSettings): boolean =>
  everyChainNeedsKey(methodChains(settingWords(sshd, 'authenticationmethods')))

const judgeWith =
  (pam: Parsed<PamStack>) =>
  (sshd: SshdSettings): readonly DraftObservation[] =>
    Object.entries(EXPECTED).map(([key, expected]) => judgeSetting(sshd, key, expected, pam))

// A block that turns passwords on may still be under method chains that require a key: those of the block itself, or of an earlier one that is
// matched as well, which are judged with it. By the general chains only a source address decides which apply.
const judgeCondition =
  (keyFirst: boolean, asksMore: boolean) =>
  (key: string, value: string, { settings }: MatchBlock): 'same' | 'weaker' | 'unclear' => {
    if (key === 'authenticationmethods') return needsKey(value) ? 'same' : 'unclear'
    if (value === 'no') return 'same'
    if (key === HOSTS) return 'unclear'
    if (!PASSWORD_SETTINGS.has(key)) return 'weaker'
    // The first value of a keyword counts (sshd_config(5)).
    const own = settings.find(([name]) => name === 'authenticationmethods')?.[1]
    if (own !== undefined && needsKey(own)) return 'same'
    return keyFirst || (asksMore && key !== 'passwordauthentication') ? 'unclear' : 'weaker'
  }

const needsKey = (methods: string): boolean => everyChainNeedsKey(methodChains(methods.split(/\s+/)))

function judgeSetting(sshd: SshdSettings, key: string, expected: string, pam: Parsed<PamStack>): DraftObservation {
  const keyFirst = asksKeyFirst(sshd)
  const value = setting(sshd, key)
  if (value === null) return unclear(`The SSH server did not print “${key}”.`, sshdEffective)
  if (value === expected) return supports(`The SSH server’s general setting is “${key} ${expected}”.`, sshdEffective)
  if (keyFirst && PASSWORD_SETTINGS.has(key)) {
    return supports(`“${key}” is on, and every accepted chain of methods requires a public key as well.`, sshdEffective)
  }
  const more = key === 'kbdinteractiveauthentication' ? promptedFactors(sshd, pam) : []
  if (more.length > 0)
    return unclear(
      `“${key}” is on, and its prompts include ${named(more)}; whether they always ask for more than a password was not evaluated.`,
      pamStack,
    )
  if (key !== HOSTS) return contradicts(`The SSH server’s general setting is “${key}” ${quote(value)}.`, sshdEffective)
  return keyFirst
    ? supports(`“${key}” is on, and no accepted chain of methods goes without a public key.`, sshdEffective)
    : unclear(
        `Logins from hosts that are trusted need neither a key of the person nor a password (“${key}” ${quote(value)}); how people log in at these hosts is not visible here.`,
        sshdEffective,
      )
}

/** A number that `sshd -T` prints, in the unit of its threshold. */
interface SshLimit {
  readonly id: ThresholdId
  readonly keyword: string
  readonly name: string
  /** What the number does, worded to follow the keyword and precede the value. */
  readonly does: string
  /** The meaning of 0 where it switches the limit off; null where 0 is the strictest value. */
  readonly off: string | null
  /** The keyword where a Match block can set it (sshd_config(5), Match); else null. */
  readonly inMatch: MatchKeyword | null
}

/** sshd_config(5): LoginGraceTime 0 means no limit; MaxSessions 0 allows forwarding only; MaxAuthTries 0 lets no one in. */
const LIMITS: readonly SshLimit[] = [
  {
    id: 'ssh.auth-tries',
    keyword: 'maxauthtries',
    name: 'MaxAuthTries',
    does: 'attempts per connection',
    off: null,
    inMatch: 'maxauthtries',
  },
  {
    id: 'ssh.sessions',
    keyword: 'maxsessions',
    name: 'MaxSessions',
    does: 'sessions per connection',
    off: null,
    inMatch: 'maxsessions',
  },
  {
    id: 'ssh.login-grace',
    keyword: 'logingracetime',
    name: 'LoginGraceTime',
    does: 'seconds for a login',
    off: 'there is no time limit for a login',
    inMatch: null,
  },
]

export const accessSshdConnectionLimits = defineCheck({
  id: 'access.sshd.connection-limits',
  property: 'access',
  expected:
    'The running SSH servers limit login attempts, login time and sessions per connection as the chosen profile requires.',
  limitations:
    'It is the state of the settings at the moment of collection. How many connections wait at the same time (MaxStartups, PerSourcePenalties), firewalls and programs that block addresses are not compared.',
  requires: { sshd: sshdEffective },
  optional: { conditions: sshdConditions, ...RUNNING_SSH },
  thresholds: ['ssh.auth-tries', 'ssh.sessions', 'ssh.login-grace'],
  evaluate({ sshd }, { conditions, ...evidence }, context) {
    const running = runningSsh(known(sshd), evidence, { keywords: LIMITS.map(({ keyword }) => keyword) })
    return decide([
      ...(running.isBearing
        ? [...LIMITS.map((one) => limitStep(sshd, context, one)), ...matchSteps(conditions, context)]
        : []),
      ...running.steps,
    ])
  },
})

function limitStep(sshd: SshdSettings, context: Context, { id, keyword, name, does, off }: SshLimit): DraftObservation {
  const value = settingNumber(sshd, keyword)
  if (value === null) return unclear(`The SSH server did not print ${name} as a plain number.`, sshdEffective)
  if (value === 0 && off !== null) return contradicts(`${name} is 0: ${off}.`, sshdEffective)
  const limit = limitOf(context, id)
  const words = `${name} allows ${value} ${does} (at most ${limitText(limit)}).`
  return value <= limit.value ? supports(words, sshdEffective) : contradicts(words, sshdEffective)
}

/** A Match block that sets a number within the limit changes nothing for the claim; one above it is weaker for those it matches. */
function matchSteps(conditions: Parsed<SshdConditions>, context: Context): readonly DraftObservation[] {
  const keys = LIMITS.flatMap(({ inMatch }) => inMatch ?? [])
  return conditionSteps(conditions, keys, (key, value) => {
    const limit = LIMITS.find(({ inMatch }) => inMatch === key)
    if (limit === undefined || !/^\d{1,9}$/.test(value)) return 'unclear'
    return Number(value) <= limitOf(context, limit.id).value ? 'same' : 'weaker'
  })
}

export const accessSshdAllowList = defineCheck({
  id: 'access.sshd.allow-list',
  property: 'access',
  expected:
    'Only named users or groups can log in over SSH: by the SSH server’s own list, or by the rules of its login modules.',
  limitations:
    'A list shows who may attempt to log in, not whether the access is still justified. Packet filters here and elsewhere decide from where SSH can be reached. Match blocks are evaluated for root and an unknown user from two addresses, not for each account and source.',
  requires: {},
  optional: {
    sshd: sshdEffective,
    conditions: sshdConditions,
    contexts: sshdContexts,
    pam: pamStack,
    rules: pamAccessRules,
    ...RUNNING_SSH,
  },
  evaluate(_, { sshd, conditions, contexts, pam, rules, ...evidence }) {
    const running = runningSsh(sshd, evidence, { contexts, keywords: [...LISTS, 'usepam'] })
    const judge = (settings: SshdSettings): readonly DraftObservation[] => listed(settings, pam, rules)
    const bySettings = (settings: SshdSettings): readonly DraftObservation[] => [
      ...judge(settings),
      ...contextSteps(contexts, settings, LISTS, judge),
      // A separate list of users in a Match block counts as a list too.
      ...conditionSteps(conditions, ['allowusers', 'allowgroups'], (_key, value) =>
        value.split(/\s+/).some(admitsAll) ? 'weaker' : 'same',
      ),
    ]
    return decide([
      ...letIn(running, ['nobody']),
      ...(sshd.ok ? (running.isBearing ? bySettings(sshd.fact) : []) : unclearAbout(sshdEffective, sshd)),
      ...running.steps,
    ])
  },
})

const LISTS = ['allowusers', 'allowgroups', 'denyusers', 'denygroups']

const admitsAll = (pattern: string): boolean => /^[*?]+(@|$)/.test(pattern)

function listed(sshd: SshdSettings, pam: Parsed<PamStack>, rules: Parsed<AccessRules>): readonly DraftObservation[] {
  const users = settingWords(sshd, 'allowusers')
  const groups = settingWords(sshd, 'allowgroups')
  const wild = [...users, ...groups].filter(admitsAll)
  if (users.length === 0 && groups.length === 0) return withoutList(sshd, pam, rules)
  if (wild.length > 0)
    return [contradicts(`The list of allowed users or groups admits every name: ${named(wild)}.`, sshdEffective)]
  return [
    ...(users.length > 0 ? [supports(`Allowed users: ${named(users)}.`, sshdEffective)] : []),
    ...(groups.length > 0 ? [supports(`Allowed groups: ${named(groups)}.`, sshdEffective)] : []),
  ]
}

// Modules that may limit who gets in by rules that are not read here: a directory's, a list of names in a file, or the jobs that a batch
// system runs here (Slurm).
const UNREAD: ReadonlySet<string> = new Set([
  'pam_sss',
  'pam_listfile',
  'pam_ldap',
  'pam_winbind',
  'pam_slurm',
  'pam_slurm_adopt',
])

// Modules whose arguments, which are not read, may refuse accounts, such as all outside a group.
const BY_ARGUMENTS: ReadonlySet<string> = new Set(['pam_succeed_if', 'pam_wheel', 'pam_exec', 'pam_script'])

function withoutList(
  sshd: SshdSettings,
  pam: Parsed<PamStack>,
  rules: Parsed<AccessRules>,
): readonly DraftObservation[] {
  const denied = [...settingWords(sshd, 'denyusers'), ...settingWords(sshd, 'denygroups')]
  const without =
    denied.length > 0
      ? `The SSH server lists refused users (${named(denied)}) but no permitted ones`
      : 'The SSH server names neither allowed users nor allowed groups'
  // Modules are queried only where the server uses them (sshd_config(5), UsePAM).
  const isAsked = setting(sshd, 'usepam') !== 'no'
  const entries = pam.ok && isAsked ? expandStack(pam.fact, 'sshd', 'account') : []
  const place = entries.findIndex((entry) => entry.module === 'pam_access' && refuses(entry))
  if (place >= 0)
    return [
      ...(ownFile(without, entries[place]) ?? byAccessRules(without, rules)),
      ...notAsked(admitting(entries, place)),
    ]
  const filter = entries
    .filter((entry) => UNREAD.has(entry.module) || (BY_ARGUMENTS.has(entry.module) && refuses(entry)))
    .map(({ module }) => module)
  if (filter.length > 0)
    return [unclear(`${without}; ${named(filter)} may limit who gets in, by rules that were not read.`, pamStack)]
  return [contradicts(`${without}: every account with a shell may try.`, sshdEffective), ...unclearAbout(pamStack, pam)]
}

/** pam_access(8), accessfile=: then neither access.conf nor what is in access.d counts. Null where the module reads the usual files. */
function ownFile(without: string, entry: PamEntry | undefined): readonly DraftObservation[] | null {
  const file = entry?.args.findLast((word) => word.startsWith('accessfile='))?.slice('accessfile='.length)
  return file === undefined || file === '/etc/security/access.conf'
    ? null
    : [unclear(`${without}; pam_access limits who gets in, by rules in ${named([file])} that were not read.`, pamStack)]
}

const notAsked = (entries: readonly PamEntry[]): readonly DraftObservation[] =>
  entries.length === 0
    ? []
    : [
        unclear(
          `Whom ${named([...new Set(entries.map(({ module }) => module))])} lets in is not asked for by the rules of pam_access, which come later.`,
          pamStack,
        ),
      ]

/** access.conf(5): separators are spaces, tabs and commas; ALL, LOCAL and EXCEPT are read in either case (pam_access.c, strcasecmp). */
const wordsOf = (field: string): readonly string[] => field.split(/[\s,]+/).filter((word) => word !== '')
const isAll = (word: string): boolean => /^ALL$/i.test(word)

/** Origins by which no login over a network comes: LOCAL, terminals, displays and services match only where the login names no host. */
const isLocalOrigin = (word: string): boolean =>
  /^(LOCAL|localhost|127(\.\d{1,3}){3}|::1|:\d{1,3}(\.\d)?|console|(tty|vc\/|pts\/|hvc)\w{0,8}|crond?|atd|login|su(-l)?|sudo(-i)?|systemd-user|(gdm|sddm|lightdm|xdm)[\w-]{0,20})$/i.test(
    word,
  )

/** ALL, or ALL EXCEPT some. */
const namesAll = (who: string): boolean => {
  const [all = '', except] = wordsOf(who)
  return isAll(all) && (except === undefined || /^EXCEPT$/i.test(except))
}

/** ALL, or ALL EXCEPT origins that are not on the network. */
const coversNetwork = (from: string): boolean => namesAll(from) && wordsOf(from).slice(2).every(isLocalOrigin)

/** access.conf(5): the first line that matches decides, and without one access is granted; so the last line must refuse the rest. */
function byAccessRules(without: string, rules: Parsed<AccessRules>): readonly DraftObservation[] {
  if (!rules.ok)
    return [unclear(`${without}; pam_access limits who gets in.`, pamStack), ...unclearAbout(pamAccessRules, rules)]
  const first = rules.fact.rules.findIndex((rule) => namesAll(rule.who) && coversNetwork(rule.from))
  const last = rules.fact.rules[first]
  if (last === undefined)
    return [
      unclear(`${without}; the rules of pam_access have no last line that refuses all other accounts.`, pamAccessRules),
    ]
  const admits = [
    ...rules.fact.rules
      .slice(0, first)
      .filter(({ permits, from }) => permits && !wordsOf(from).every(isLocalOrigin))
      .map(({ who }) => who),
    // Whom a refusal excepts meets no later line, and is let in.
    ...(last.permits ? [] : [wordsOf(last.who).slice(2).join(' ')].filter((names) => names !== '')),
  ]
  const wide = admits.filter((who) => wordsOf(who).some(isAll))
  if (last.permits || wide.length > 0)
    return [contradicts(`${without}, and the rules of pam_access admit every name.`, pamAccessRules)]
  return [
    supports(
      `The rules of pam_access refuse all users except: ${admits.length > 0 ? named(admits) : 'none'}.`,
      pamAccessRules,
    ),
  ]
}
