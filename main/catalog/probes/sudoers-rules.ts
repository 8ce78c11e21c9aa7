import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { asList, asRecord, asText, type JsonValue, readJson } from '../read-text.ts'

/** One grant of sudoers(5) after aliases were expanded. Groups carry a leading percent sign, as in the file. */
export interface SudoRule {
  readonly who: readonly string[]
  readonly runAs: readonly string[]
  readonly commands: readonly string[]
  /** False for NOPASSWD. */
  readonly asksPassword: boolean
}
export interface SudoPolicy {
  readonly rules: readonly SudoRule[]
  /** Set by `Defaults !authenticate` without a scope. */
  readonly asksPasswordByDefault: boolean
  /** Whom, or what, a scoped `Defaults !authenticate` takes the question from; entries that name no user are marked as such. */
  readonly neverAsked: readonly string[]
  /** It is root's password, or the other user's, that is requested and not the caller's own (sudoers(5): targetpw, rootpw, runaspw). */
  readonly asksOther: boolean
  /** timestamp_timeout in minutes; below zero for ever, null where it is not set and the built-in value holds. */
  readonly remembersMinutes: number | null
  /** use_pty as set without a scope; null where it is not set (on by default from sudo 1.9.14). */
  readonly usesPty: boolean | null
  /** Whether sudo writes to syslog or a log file; syslog is on unless switched off (sudoers(5), syslog). */
  readonly logs: boolean
  /** Names of settings that hold for some users, hosts or commands only and take away what is reported above (sudoers(5), Defaults). */
  readonly scoped: readonly string[]
}

/**
 * cvtsudoers(1) expands aliases and includes, so that no own parser of sudoers is needed. sudo-rs has no such tool, and where both are
 * installed it may read rules of its own: that is queried next to (`sudoers.other`).
 */
export const sudoersRules = defineProbe({
  id: 'sudoers.rules',
  title: 'Rules for running commands as another user (sudo)',
  why: 'Shows which accounts and groups may become administrator, with which commands, and whether a password is required.',
  commands: { rules: runAsRoot(['cvtsudoers', '-e', '-f', 'json', '/etc/sudoers']) },
  parse({ rules }) {
    if (rules.exitCode !== 0) return unknown('the sudo rules could not be read')
    const json = readJson(rules.text, 'cvtsudoers')
    if (!json.ok) return json
    const document = asRecord(json.fact)
    if (document.User_Specs === undefined && document.Defaults === undefined)
      return unknown('the sudo rules have an unexpected format')
    const defaults = asList(document.Defaults).map(asRecord)
    const global = defaults.filter((entry) => entry.Binding === undefined).flatMap(optionsOf)
    const scoped = defaults.filter((entry) => entry.Binding !== undefined)
    const isOff = (name: string): boolean => lastOption(global, name) === false
    return known<SudoPolicy>({
      rules: asList(document.User_Specs).flatMap((spec) => readSpec(asRecord(spec))),
      asksPasswordByDefault: !isOff('authenticate'),
      neverAsked: scoped
        .filter((entry) => lastOption(optionsOf(entry), 'authenticate') === false)
        .flatMap((entry) => asList(entry.Binding).flatMap(readUser)),
      asksOther: ['targetpw', 'rootpw', 'runaspw'].some((name) => lastOption(global, name) === true),
      remembersMinutes: asMinutes(lastOption(global, 'timestamp_timeout')),
      usesPty: asSwitch(lastOption(global, 'use_pty')),
      logs: !isOff('log_allowed') && (!isOff('syslog') || asText(lastOption(global, 'logfile')) !== null),
      scoped: WEAKENING.filter((name) => scoped.some((entry) => weakens(name, lastOption(optionsOf(entry), name)))),
    })
  },
})

const WEAKENING = ['syslog', 'log_allowed', 'use_pty', 'timestamp_timeout'] as const

/** Switched off; a time is one at all, since shorter ones are seldom set for a part. */
const weakens = (name: (typeof WEAKENING)[number], value: JsonValue | undefined): boolean =>
  name === 'timestamp_timeout' ? value !== undefined && value !== false && asMinutes(value) !== 0 : value === false

type Option = { readonly [key: string]: JsonValue }

const optionsOf = (entry: { readonly [key: string]: JsonValue }): readonly Option[] =>
  asList(entry.Options).map(asRecord)

const lastOption = (options: readonly Option[], name: string): JsonValue | undefined =>
  options.filter((option) => option[name] !== undefined).at(-1)?.[name]

/** Printed as a number or as its text; false is written `!timestamp_timeout` and means 0. */
function asMinutes(value: JsonValue | undefined): number | null {
  if (value === false) return 0
  const minutes = typeof value === 'string' && /^-?\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : value
  return typeof minutes === 'number' && Number.isFinite(minutes) ? minutes : null
}

const asSwitch = (value: JsonValue | undefined): boolean | null => (typeof value === 'boolean' ? value : null)

function readSpec(spec: { readonly [key: string]: JsonValue }): readonly SudoRule[] {
  const who = asList(spec.User_List).flatMap(readUser)
  return asList(spec.Cmnd_Specs)
    .map(asRecord)
    .map((entry) => ({
      who,
      runAs: entry.runasusers === undefined ? ['root'] : asList(entry.runasusers).flatMap(readUser),
      commands: asList(entry.Commands).flatMap(readCommand),
      asksPassword: lastOption(optionsOf(entry), 'authenticate') !== false,
    }))
}

function readUser(value: JsonValue): readonly string[] {
  const entry = asRecord(value)
  const mark = entry.negated === true ? '!' : ''
  const [kind, raw] = Object.entries(entry).find(([key]) => key !== 'negated') ?? ['', null]
  if (typeof raw !== 'string' && typeof raw !== 'number') return [`${mark}(unreadable entry)`]
  return [`${mark}${PREFIX[kind] ?? ''}${raw}`]
}

const PREFIX: Readonly<Record<string, string>> = {
  usergroup: '%',
  usergid: '%#',
  userid: '#',
  netgroup: '+',
  nonunixgroup: '%:',
  nonunixgid: '%:#',
  useralias: '',
  username: '',
}

function readCommand(value: JsonValue): readonly string[] {
  const entry = asRecord(value)
  const command = asText(entry.command) ?? asText(entry.cmndalias) ?? '(unreadable entry)'
  return [`${entry.negated === true ? '!' : ''}${command}`]
}
