import type { Capture, Recording } from '../../../schemas/types.ts'
import { type Property, propertyWords } from '../../../schemas/words.ts'
import { plain } from '../plain-text.ts'
import type { Command, Probe } from '../probe.ts'
import { compare } from '../recording.ts'
import { reached } from '../tally.ts'
import { factBlock } from './declared.ts'
import type { Matter } from './input.ts'
import { showsList } from './location-dossier.ts'
import { type Block, type Cell, heading, plainCell, type Section, text } from './model.ts'
import { machinesReached } from './population.ts'
import { see, titles } from './titles.ts'
import { names, of, plural } from './wording.ts'

/** How the evidence was collected: with which rights, by which questions, from where, and what was left unasked. */
export function methodSection(matter: Matter): Section {
  return {
    id: 'method',
    title: titles.method,
    blocks: [
      text(
        'Test and examine only, in the terms of NIST SP 800-53A: fixed read-only questions over SSH, evaluated by fixed rules. Interviews are outside; what people know reaches this report as records alone.',
      ),
      heading(3, 'Collection', true),
      factBlock([
        { label: 'Sampling', value: plainCell(sampling(matter)) },
        { label: 'Way in', value: wayIn(matter) },
        { label: 'Host keys', value: hostKeys(matter) },
        { label: 'Rights used', value: rights(matter) },
        { label: 'Vantage points', value: vantages(matter) },
      ]),
      heading(3, 'Questions', true),
      ...questions(matter),
      heading(3, 'What was not asked', true),
      { kind: 'list', items: notAsked(matter).map((words) => ({ text: words })) },
      heading(3, 'What a location result can and cannot show', true),
      showsList(),
      heading(3, 'What the collection itself leaves behind', true),
      ...traces(matter),
    ],
  }
}

const sampling = ({ assessment, assessment: { nodes } }: Matter): string =>
  nodes.length === 0
    ? 'No node was declared, so nothing was asked.'
    : `None drawn: all ${plural(nodes.length, 'declared node')} ${nodes.length === 1 ? 'was' : 'were'} to be asked. ${of(machinesReached(assessment), nodes.length)} answered.`

type Session = NonNullable<Recording['session']>

const WAYS: Readonly<Record<Session['transport'], string>> = {
  ssh2: 'over SSH with the built-in client',
  openssh: 'over SSH with the system’s ssh program',
  script: 'by a script that a person ran on the node and whose output was brought back',
  replay: 'by replaying an earlier recording',
}

/** Counts by a word, most first; the order of recordings carries no meaning. */
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
    'There is no recording.',
  )

const KEYS: Readonly<Record<NonNullable<Recording['hostKey']>['trust']['how'], string>> = {
  'known-hosts': 'found in a known_hosts file',
  fingerprint: 'equal to the fingerprint in the fleet file',
  'host-ca': 'signed by a host authority',
  list: 'found in a list that a person compared it with',
  decision: 'accepted by a recorded decision',
  demo: 'demo keys',
}

const hostKeys = ({ recordings }: Matter): Cell =>
  countLines(
    counted(recordings, ({ recording: { hostKey } }) => (hostKey === null ? 'not verified' : KEYS[hostKey.trust.how])),
    recordings.length,
    'There is no recording.',
  )

const RIGHTS: Readonly<Record<Session['privilege'], string>> = {
  root: 'read as root',
  sudo: 'read with an ordinary account, and through sudo where root is needed',
  none: 'read with an ordinary account alone: root-only questions were not put',
}

function rights({ assessment: { nodes } }: Matter): Cell {
  const counts = counted(nodes.filter(reached), ({ privilege }) =>
    privilege === null ? 'without a login' : RIGHTS[privilege],
  )
  const silent = nodes.filter((node) => !reached(node)).length
  return countLines(
    [...counts, ...(silent === 0 ? [] : [['gave no evidence', silent] as const])],
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
    text: `${of(count, recordings.length)} ${where === '' ? 'from a place that was not declared' : `from ${where}`}`,
  }))
  return lines.length === 0 ? plainCell('There is no recording.') : lines
}

const commandsOf = (probes: readonly Probe<unknown>[]): readonly Command[] =>
  probes.flatMap(({ commands }) => Object.values(commands))

function questions({ catalog, tally, recordings }: Matter): readonly Block[] {
  const commands = commandsOf(catalog.probes)
  const asRoot = commands.filter((one) => one.kind === 'run' && one.as === 'root').length
  const answers = recordings.reduce((sum, { captures }) => sum + captures.length, 0)
  return [
    text(
      `${plural(catalog.probes.length, 'question')}, put by ${plural(commands.length, 'command or measurement', 'commands and measurements')}; ${asRoot} of them need root. ${plural(answers, 'answer')} ${answers === 1 ? 'was' : 'were'} recorded. The pack’s data/catalog.json has each question with its exact command and reason, and ${see('evidence')} each answer. A question may serve several properties.`,
    ),
    {
      kind: 'table',
      rowHeaders: true,
      columns: [
        { title: 'Property', width: 30 },
        { title: 'Checks', width: 15 },
        { title: 'Questions', width: 15 },
        { title: 'What it is about', width: 40 },
      ],
      rows: tally.properties.map((property) => questionRow(property, tally.checksOf(property))),
    },
  ]
}

function questionRow(property: Property, checks: ReturnType<Matter['tally']['checksOf']>): readonly Cell[] {
  const asked = new Set(
    checks.flatMap(({ needs, wants }) => [...Object.values(needs), ...Object.values(wants ?? {})].map(({ id }) => id)),
  )
  return [
    [{ text: propertyWords[property].label, style: 'strong' }],
    plainCell(String(checks.length)),
    plainCell(String(asked.size)),
    plainCell(propertyWords[property].meaning),
  ]
}

const ENDS: Readonly<Record<Exclude<Capture['status'], 'done'>, string>> = {
  'not-run': 'were not put, since the rights for them were missing',
  'not-asked': 'were not put, since sudo had passed its time limit several times in a row',
  'no-path': 'were not put, since the device or file they ask of does not exist there',
  'timed-out': 'took longer than allowed and support nothing',
  truncated: 'were cut at their limit and support nothing',
  lost: 'were lost with the connection and support nothing',
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
    `Live tests keep a processor busy for seconds. They were asked for in ${of(asked, recordings.length)} recordings; the catalog has ${plural(live, 'such question')}.`,
    'Apart from live tests, no load was put on a processor, disk, link or GPU. No command writes a file or changes a setting of a node.',
    `The provider’s metadata service, a request that leaves the node, was asked in ${of(metadata, recordings.length)} recordings.${metadata === 0 ? '' : ' The identity document that it signs was read there, too; some systems accept it as a login.'}`,
    'Keys, passwords and the content of data files were not read.',
    ...Object.entries(ENDS).flatMap(([status, words]) => {
      const count = ends.get(status) ?? 0
      return count === 0 ? [] : [`Of what was to be answered, ${count} ${words}.`]
    }),
  ]
}

function traces({ recordings, sudo }: Matter): readonly Block[] {
  const users = [...new Set(recordings.map(({ recording }) => recording.node.user))].sort(compare)
  const read = [...(sudo?.values() ?? [])].flatMap((one) => (one.ok ? [one.fact] : []))
  const whole = read.filter(({ rows }) => rows.every(({ state }) => state === 'both')).length
  return [
    text(
      `A collection is a login. It leaves lines in the log of the SSH server and in the login records, one line of sudo for each root-only command, and records of the audit daemon where its rules cover that.${users.length === 0 ? '' : ` It logged in as ${names(users)}.`}`,
    ),
    ...(sudo === undefined || sudo.size === 0
      ? []
      : [
          text(
            `sudo’s own log could be laid beside the recording on ${of(read.length, sudo.size)} nodes; on ${of(whole, read.length)} of these every line has its question and every question its line.`,
          ),
        ]),
  ]
}
