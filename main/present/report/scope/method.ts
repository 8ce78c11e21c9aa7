import type { Capture, Recording } from '../../../../schemas/types.ts'
import { type Property, profileWords, propertyWords } from '../../../../schemas/words.ts'
import { names, of, oneLine, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  list,
  plainCell,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { reached } from '../../../core/conclusion/tally.ts'
import type { Command, Probe } from '../../../core/recording/probe.ts'
import { compare } from '../../../core/recording/recording.ts'
import { type ThresholdValue, thresholdValues } from '../../../core/rules/profile.ts'
import type { Matter } from '../parts/input.ts'
import { showsList } from '../parts/location-analysis.ts'
import { hostKeyWords, see, titles } from '../parts/wording.ts'
import { factBlock } from './boundary.ts'
import { sampling } from './population.ts'

/** How the evidence was collected: privilege, probes, vantage points, and what was not collected. */
export function methodSection(matter: Matter): Section {
  return {
    id: 'method',
    title: titles.method,
    blocks: [
      text(
        'Procedures are limited to the methods test and examine of NIST SP 800-53A: fixed, read-only probes over SSH, evaluated by fixed rules. No interviews were performed; information from people is included only as documents.',
      ),
      heading(3, 'Collection', true),
      factBlock([
        { label: 'Sampling', value: plainCell(sampling(matter)) },
        { label: 'Access method', value: wayIn(matter) },
        { label: 'Host keys', value: hostKeys(matter) },
        { label: 'Privilege used', value: rights(matter) },
        { label: 'Vantage points', value: vantages(matter) },
      ]),
      heading(3, 'Probes', true),
      ...questions(matter),
      heading(3, 'Not collected', true),
      list(notAsked(matter).map((words) => ({ text: words }))),
      heading(3, 'Interpretation of location results', true),
      showsList(),
      heading(3, 'Traces of the collection on nodes', true),
      ...traces(matter),
    ],
  }
}

type Session = NonNullable<Recording['session']>

const WAYS: Readonly<Record<Session['transport'], string>> = {
  ssh2: 'over SSH with the built-in client',
  openssh: 'over SSH with the system’s ssh program',
  script: 'by a script that an administrator ran on the node; its output was transferred as a file',
  replay: 'by replaying an earlier recording',
}

/** Counts by label, most frequent first; the order of recordings carries no meaning. */
function counted<T>(
  all: readonly T[],
  wordOf: (one: T) => string,
): readonly (readonly [word: string, count: number])[] {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(wordOf(one), (counts.get(wordOf(one)) ?? 0) + 1)
  return [...counts].sort(([a, some], [b, others]) => others - some || compare(a, b))
}

const countLines = (counts: readonly (readonly [string, number])[], whole: number, none: string): Cell =>
  counts.length === 0 ? plainCell(none) : counts.map(([word, count]) => ({ text: `${of(count, whole)} ${word}` }))

const wayIn = ({ recordings }: Matter): Cell =>
  countLines(
    counted(recordings, ({ recording: { session } }) =>
      session === null ? 'without a login' : WAYS[session.transport],
    ),
    recordings.length,
    'No recordings.',
  )

const KEYS = { ...hostKeyWords, demo: 'demo keys' }

const hostKeys = ({ recordings }: Matter): Cell =>
  countLines(
    counted(recordings, ({ recording: { hostKey } }) => (hostKey === null ? 'not verified' : KEYS[hostKey.trust.how])),
    recordings.length,
    'No recordings.',
  )

const RIGHTS: Readonly<Record<Session['privilege'], string>> = {
  root: 'collected as root',
  sudo: 'collected with an unprivileged account, and through sudo where root is required',
  none: 'collected with an unprivileged account only: privileged probes did not run',
}

function rights({ assessment: { nodes } }: Matter): Cell {
  const counts = counted(nodes.filter(reached), ({ privilege }) =>
    privilege === null ? 'without a login' : RIGHTS[privilege],
  )
  const silent = nodes.filter((node) => !reached(node)).length
  return countLines(
    [...counts, ...(silent === 0 ? [] : [['not collected', silent] as const])],
    nodes.length,
    'No node was declared.',
  )
}

function vantages({ recordings }: Matter): Cell {
  const counts = counted(recordings, ({ recording: { node } }) =>
    node.vantage === undefined
      ? ''
      : `${plain(node.vantage.name)}, within ${node.vantage.radiusKm} km of ${node.vantage.latitude}, ${node.vantage.longitude}, declared by ${plain(node.vantage.declaredBy)}`,
  )
  const lines = counts.map(([where, count]) => ({
    text: `${of(count, recordings.length)} ${where === '' ? 'from an undeclared place' : `from ${where}`}`,
  }))
  return lines.length === 0 ? plainCell('No recordings.') : lines
}

const commandsOf = (probes: readonly Probe<unknown>[]): readonly Command[] =>
  probes.flatMap(({ commands }) => Object.values(commands))

function questions({ catalog, tally, recordings }: Matter): readonly Block[] {
  const commands = commandsOf(catalog.probes)
  const asRoot = commands.filter((one) => one.kind === 'run' && one.as === 'root').length
  const answers = recordings.reduce((sum, { captures }) => sum + captures.length, 0)
  return [
    text(
      `${plural(catalog.probes.length, 'probe')} with ${plural(commands.length, 'command or measurement', 'commands and measurements')}, of which ${asRoot} require root. ${plural(answers, 'capture')} ${answers === 1 ? 'was' : 'were'} recorded. The pack’s data/catalog.json lists each probe with its exact commands and purpose; ${see('evidence')} lists the captures. A probe may serve several properties.`,
    ),
    headedTable(
      { Property: 30, Checks: 15, Probes: 15, Subject: 40 },
      tally.properties.map((property) => questionRow(property, tally.checksOf(property))),
    ),
  ]
}

function questionRow(property: Property, checks: ReturnType<Matter['tally']['checksOf']>): readonly Cell[] {
  const asked = new Set(
    checks.flatMap(({ requires, optional }) =>
      [...Object.values(requires), ...Object.values(optional ?? {})].map(({ id }) => id),
    ),
  )
  return [
    [{ text: propertyWords[property].label, style: 'strong' }],
    plainCell(String(checks.length)),
    plainCell(String(asked.size)),
    plainCell(propertyWords[property].meaning),
  ]
}

const ENDS: Readonly<Record<Exclude<Capture['status'], 'done'>, string>> = {
  'not-run': 'did not run because the required privilege was missing',
  'not-asked': 'did not run because sudo had exceeded its time limit several times in a row',
  'no-path': 'did not run because the device or file they read does not exist on the node',
  'timed-out': 'exceeded the time limit and are not used as evidence',
  truncated: 'were truncated at the size limit and are not used as evidence',
  lost: 'were lost with the connection and are not used as evidence',
}

function notAsked({ catalog, recordings }: Matter): readonly string[] {
  const live = catalog.probes.filter((probe) => probe.live === true).length
  const asked = recordings.filter(({ recording }) => recording.liveTests === true).length
  const metadata = recordings.filter(({ recording }) => recording.metadata === true).length
  const ends = new Map(
    counted(
      recordings.flatMap(({ captures }) => captures),
      ({ meta }) => meta.status,
    ),
  )
  return [
    `Live tests load a processor for seconds. They were enabled in ${of(asked, recordings.length)} recordings; the catalog has ${plural(live, 'such probe')}.`,
    'Except for live tests, no load was placed on a processor, disk, link or GPU. No command writes a file or changes a setting on a node.',
    `The provider’s metadata service, a request that leaves the node, was queried in ${of(metadata, recordings.length)} recordings.${metadata === 0 ? '' : ' The identity document that it signs was also collected; some systems accept it as a login.'}`,
    'Keys, passwords and the contents of data files were not collected.',
    ...Object.entries(ENDS).flatMap(([status, words]) => {
      const count = ends.get(status) ?? 0
      return count === 0 ? [] : [`Of the commands to run, ${count} ${words}.`]
    }),
  ]
}

function traces({ recordings, sudo }: Matter): readonly Block[] {
  const users = [...new Set(recordings.map(({ recording }) => recording.node.user))].sort(compare)
  const read = [...(sudo?.values() ?? [])].flatMap((one) => (one.ok ? [one.fact] : []))
  const whole = read.filter(({ rows }) => rows.every(({ state }) => state === 'both')).length
  return [
    text(
      `A collection is a login. It creates entries in the SSH server log and the login records, one sudo log line for each privileged command, and audit daemon records where its rules cover them.${users.length === 0 ? '' : ` Login account: ${names(users)}.`}`,
    ),
    ...(sudo === undefined || sudo.size === 0
      ? []
      : [
          text(
            `The sudo log was compared with the recording on ${of(read.length, sudo.size)} nodes; on ${of(whole, read.length)} of these every log line matches a command and every command matches a log line.`,
          ),
        ]),
  ]
}

type LocationVerdict = Pick<Matter, 'assessment' | 'catalog'>

/** Thresholds in use, in catalog order: those that a check compares with, and all that the fleet file changed. */
function limitsUsed({ assessment, catalog }: LocationVerdict): readonly ThresholdValue[] {
  const used = new Set(catalog.checks.flatMap(({ thresholds = [] }) => thresholds))
  return [...thresholdValues(catalog.thresholds, assessment.scope.profile).values()].filter(
    ({ threshold, moved }) => used.has(threshold.id) || moved !== 'not',
  )
}

const profileOf = ({ assessment }: LocationVerdict): (typeof profileWords)[keyof typeof profileWords] =>
  profileWords[assessment.scope.profile?.name ?? 'baseline']

/** For the cover page: the threshold profile, and how many of its thresholds were changed. */
export function profileCell(judged: LocationVerdict): Cell {
  const moved = (way: ThresholdValue['moved']): number => limitsUsed(judged).filter((one) => one.moved === way).length
  const [looser, stricter] = [moved('looser'), moved('stricter')]
  const counts = [
    ...(looser === 0 ? [] : [`${plural(looser, 'threshold')} relaxed`]),
    ...(stricter === 0 ? [] : [`${plural(stricter, 'threshold')} tightened`]),
  ]
  return [
    { text: `Profile: ${profileOf(judged).label}` },
    ...(counts.length === 0 ? [] : [{ text: `${counts.join(', ')} in the fleet file` }]),
  ]
}

/** For the summary: every relaxed threshold with its reason. Empty where none was relaxed. */
export function relaxed(judged: LocationVerdict): readonly Block[] {
  const looser = limitsUsed(judged).filter(({ moved }) => moved === 'looser')
  if (looser.length === 0) return []
  return [
    {
      kind: 'banner',
      title: looser.length === 1 ? 'One threshold was relaxed' : `${looser.length} thresholds were relaxed`,
      text: 'The fleet file declares weaker values than the threshold profile. Satisfied verdicts in this report depend on these values.',
    },
    list(looser.map((limit) => ({ text: `${movedText(limit)} Reason: ${reasonOf(limit)}` }))),
  ]
}

const movedText = ({ threshold, shown, shownBefore, moved }: ThresholdValue): string =>
  `${threshold.title}: ${shown}, ${moved} than the profile’s ${shownBefore}.`
const reasonOf = ({ source }: ThresholdValue): string => oneLine(source, 600)

/** Thresholds that checks compare with, each with its source. */
export function profileSection(matter: Matter): Section {
  const { label, meaning } = profileOf(matter)
  const limits = limitsUsed(matter)
  return {
    id: 'compared',
    title: titles.compared,
    blocks: [
      text(`Profile: ${label}. ${meaning}`),
      text(
        'Verdicts depend on the thresholds below. Neither HIPAA nor the SOC 2 criteria define these values; management decides which are appropriate.',
      ),
      ...(limits.length === 0
        ? [text('No check of this catalog uses a threshold.')]
        : [heading(3, 'Thresholds used'), thresholdTable(limits)]),
    ],
  }
}

const thresholdTable = (limits: readonly ThresholdValue[]): Block =>
  table(
    { Threshold: 38, Value: 24, Source: 38 },
    limits.map((limit) => [
      [{ text: limit.threshold.title }, { text: limit.threshold.id, style: 'quiet' }],
      [{ text: limit.shown }, ...mark(limit)],
      limit.moved === 'not' ? plainCell(limit.source) : plainCell(`Fleet file. Reason: ${reasonOf(limit)}`),
    ]),
  )

const mark = ({ moved, shownBefore }: ThresholdValue): readonly Line[] =>
  moved === 'not' ? [] : [{ text: `${moved} than the profile’s ${shownBefore}`, style: 'strong' }]
