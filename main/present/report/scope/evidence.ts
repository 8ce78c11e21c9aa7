import type { Capture, NodeAssessment } from '../../../../schemas/types.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { alike } from '../../../core/base/grouping.ts'
import { names, of, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  type MarkName,
  monoCell,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import type { SudoReconciliation, SudoRow } from '../../../core/collector/sudoers.ts'
import { nodeFolder } from '../../../core/pack/pack-files.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import {
  byProbeAndCommand,
  compare,
  type RecordingOutline,
  recordingDigest,
  replacedByClass,
} from '../../../core/recording/recording.ts'
import type { Matter } from '../parts/input.ts'
import { syntheticText, titles } from '../parts/wording.ts'

/** One recording with the results of its node; null where the results are based on another recording or on none. */
interface Held {
  readonly loaded: RecordingOutline
  readonly digest: string
  readonly cited: ReadonlySet<string>
  /** The results are based on this recording. */
  readonly used: boolean
}

/** Captures that the observations of one node cite, as keyOf() formats them. */
function citedBy({ results, isolation, claims = [] }: NodeAssessment): ReadonlySet<string> {
  const reasons = [
    ...results.flatMap((finding) => finding.observations),
    ...claims.flatMap((claim) => claim.observations),
    ...(isolation?.observations ?? []),
    ...(isolation?.anomalies ?? []),
  ]
  return new Set(
    reasons.flatMap(({ probe, captures }) =>
      captures.map(({ command, sha256: digest }) => `${probe ?? ''}/${command} ${digest}`),
    ),
  )
}

const keyOf = ({ probe, command, stdout }: Capture): string => `${probe}/${command} ${stdout.sha256}`

/** Recordings by node and time, each with its cited captures. */
function heldOf(recordings: readonly RecordingOutline[], nodes: readonly NodeAssessment[]): readonly Held[] {
  const results = new Map(nodes.map((node) => [node.node, node]))
  return [...recordings]
    .sort(
      (a, b) =>
        compare(a.recording.node.name, b.recording.node.name) || compare(a.recording.startedAt, b.recording.startedAt),
    )
    .map((loaded) => {
      const node = results.get(loaded.recording.node.name)
      const digest = recordingDigest(loaded)
      const used = node?.recording?.digest === digest
      return { loaded, digest, used, cited: used && node !== undefined ? citedBy(node) : new Set() }
    })
}

const bytesOf = (captures: readonly Capture[]): number =>
  captures.reduce((sum, { stdout, stderr }) => sum + stdout.size + stderr.size, 0)

/** `1234567` as `1,234,567`. */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

const metasOf = ({ loaded }: Held): readonly Capture[] => loaded.captures.map(({ meta }) => meta)
const isCited = ({ cited }: Held, capture: Capture): boolean => cited.has(keyOf(capture))

/** One node: the location of its captures, then each cited capture on one line; the others are counted. */
function answerBlocks(held: Held): readonly Block[] {
  const { recording } = held.loaded
  const metas = [...metasOf(held)].sort(byProbeAndCommand)
  const cited = metas.filter((capture) => isCited(held, capture))
  const silent = cited.filter(({ stdout, stderr }) => stdout.size + stderr.size === 0)
  const answering = cited.filter(({ stdout, stderr }) => stdout.size + stderr.size > 0)
  return [
    heading(3, plain(recording.node.name, 80), true),
    ...(recording.synthetic === null ? [] : [quiet(syntheticText(recording.synthetic))]),
    ...(held.used ? [] : [text('This recording was supplied, but the results are based on another one.')]),
    {
      kind: 'facts',
      rows: [
        { label: 'Recording', value: monoCell(held.digest) },
        { label: 'In the pack', value: monoCell(`${nodeFolder(recording.node.name)}/`) },
        {
          label: 'Captures',
          value: plainCell(
            `${plural(metas.length, 'capture')}, ${grouped(bytesOf(metas))} bytes; ${cited.length} cited by an observation, ${metas.length - cited.length} not cited${endings(metas)}`,
          ),
        },
      ],
    },
    ...(answering.length === 0 ? [] : [answerTable(answering)]),
    ...(silent.length === 0
      ? []
      : [quiet(`Cited and empty (${silent.length}): ${silent.map(silentAnswer).join(', ')}.`)]),
  ]
}

const questionOf = ({ probe, command }: Capture): string => plain(`${probe}/${command}`, 120)
const silentAnswer = (capture: Capture): string =>
  capture.status === 'done' && capture.exitCode === 0
    ? questionOf(capture)
    : `${questionOf(capture)} (${ended(capture)})`
const ended = ({ status, exitCode }: Capture): string =>
  status === 'done' ? `exit ${exitCode ?? 'none'}` : status.replace('-', ' ')

/** Counts of commands that did not complete, by status. */
function endings(metas: readonly Capture[]): string {
  const short = alike(
    metas.filter(({ status }) => status !== 'done'),
    ({ status }) => status,
  )
  return short.map((some) => `; ${some.length} ${(some[0]?.status ?? '').replace('-', ' ')}`).join('')
}

const answerTable = (answers: readonly Capture[]): Block =>
  table({ 'Probe/command': 36.5, Exit: 5.5, Bytes: 9, UTC: 11, 'SHA-256': 38 }, answers.map(answerRow))

/** A capture with only error output is listed with the digest of that output. */
function answerRow(capture: Capture): readonly Cell[] {
  const { stdout, stderr, status, exitCode } = capture
  const onlyErrors = stdout.size === 0
  const shown = onlyErrors ? stderr : stdout
  return [
    monoCell(questionOf(capture)),
    monoCell(status === 'done' ? String(exitCode ?? '·') : status.replace('-', ' ')),
    monoCell(`${shown.size}${onlyErrors ? ' e' : ''}`),
    monoCell(plain(capture.startedAt.slice(11, 19), 20)),
    monoCell(shown.sha256),
  ]
}

/** Recordings listed one per line; further ones are counted. */
const MOST_LINES = 1000

/** Large fleets: one line per recording. */
function nodeLines(held: readonly Held[]): readonly Block[] {
  const left = held.length - MOST_LINES
  return [
    table(
      { Node: 24, Captures: 8, Cited: 6.5, Bytes: 12, 'SHA-256 of the recording': 51 },
      held.slice(0, MOST_LINES).map((one) => {
        const metas = metasOf(one)
        return [
          [
            { text: placeOf(one), style: 'mono' },
            ...(one.used ? [] : [{ text: 'not used for the results', style: 'quiet' } as const]),
          ],
          monoCell(String(metas.length)),
          monoCell(String(metas.filter((capture) => isCited(one, capture)).length)),
          monoCell(grouped(bytesOf(metas))),
          monoCell(one.digest),
        ]
      }),
    ),
    ...(left > 0
      ? [text(`And ${plural(left, 'recording')} more; statement.json in the pack lists the digest of each.`)]
      : []),
  ]
}

/** The node’s name, and its folder where it differs. */
function placeOf({ loaded }: Held): string {
  const { name } = loaded.recording.node
  const folder = nodeFolder(name)
  return folder === `data/nodes/${name}` ? name : `${plain(name, 80)} in ${folder}`
}

/** Values masked before hashing and storage, by command. */
function redactionBlocks(held: readonly Held[]): readonly Block[] {
  const redacted = held.flatMap(({ loaded }) =>
    loaded.captures
      .filter(({ meta }) => (meta.maskedCount ?? 0) > 0)
      .map(({ meta }) => ({ node: loaded.recording.node.name, question: questionOf(meta), meta })),
  )
  const groups = alike(redacted, ({ question }) => question)
  return [
    heading(3, 'Masking', true),
    ...(groups.length === 0
      ? [text('None. Masking replaced no values.')]
      : [
          text(
            'Values that resemble a secret, or are in a position where a secret can occur, were replaced before the capture was hashed and stored. A marker in the capture states the class. No result counts a masked value as support.',
          ),
          table(
            { 'Probe/command': 34, 'Masked values': 30, Nodes: 36 },
            groups.map((group) => [
              monoCell(group[0]?.question ?? ''),
              plainCell(plain(replacedByClass(group.map(({ meta }) => meta)), 400)),
              plainCell(
                `${of(new Set(group.map(({ node }) => node)).size, held.length)}: ${names([...new Set(group.map(({ node }) => node))])}`,
              ),
            ]),
          ),
        ]),
  ]
}

const STATES: Readonly<Record<SudoRow['state'], { readonly mark: MarkName; readonly text: string }>> = {
  'only-logged': { mark: 'square-cross', text: 'Logged by sudo, not in the recording' },
  'only-asked': { mark: 'diamond-question', text: 'In the recording, not in the log' },
  both: { mark: 'dot', text: 'In the recording and logged by sudo' },
}

/** Rows printed per node; matching commands are only counted. */
const MOST_ROWS = 60

/** Result of the comparison on one node, in a few sentences. */
function foundIn(read: Parsed<SudoReconciliation>): readonly string[] {
  if (!read.ok) return [`Not compared: ${read.reason}.`]
  const { rows, askedLater, earlier, ofOthers } = read.fact
  const agreeing = rows.filter(({ state }) => state === 'both')
  const refused = agreeing.filter((row) => row.refused !== null).length
  return [
    `${plural(agreeing.length, 'command', 'commands')} recorded and logged by sudo, one line each; ${rows.length - agreeing.length} without a counterpart.`,
    refused > 0 ? `sudo rejected ${plural(refused, 'of these commands', 'of these commands')}.` : '',
    askedLater > 0 ? `${plural(askedLater, 'command', 'commands')} ran after the log was read.` : '',
    earlier > 0 ? `${plural(earlier, 'line', 'lines')} from before this collection.` : '',
    ofOthers > 0 ? `${plural(ofOthers, 'line', 'lines')} from other accounts.` : '',
  ].filter((note) => note !== '')
}

const apartIn = (read: Parsed<SudoReconciliation>): readonly SudoRow[] =>
  read.ok ? read.fact.rows.filter(({ state }) => state !== 'both') : []

const apartBlocks = (apart: readonly SudoRow[]): readonly Block[] => [
  ...(apart.length === 0 ? [] : [tableOf(apart.slice(0, MOST_ROWS))]),
  ...(apart.length > MOST_ROWS ? [quiet(`And ${apart.length - MOST_ROWS} more.`)] : []),
]

/** Agreement of the sudo logs with the recordings: nodes with the same outcome in one row, then, for small fleets, each command without a counterpart. */
export function sudoSection(sudo: ReadonlyMap<string, Parsed<SudoReconciliation>>, inFull: boolean): readonly Block[] {
  if (sudo.size === 0) return []
  const found = [...sudo].map(([node, read]) => ({ node, read, words: foundIn(read).join(' ') }))
  const groups = alike(found, ({ words }) => words)
  const left = groups.length - MOST_ROWS
  return [
    heading(3, 'Privileged commands compared with the sudo log', true),
    table(
      { Nodes: 34, 'Result of the comparison': 66 },
      groups
        .slice(0, MOST_ROWS)
        .map((group) => [
          plainCell(`${of(group.length, found.length)}: ${names(group.map(({ node }) => node))}`),
          plainCell(group[0]?.words ?? ''),
        ]),
    ),
    ...(left > 0 ? [quiet(`And ${left} more outcomes.`)] : []),
    ...(inFull
      ? found.flatMap(({ node, read }): readonly Block[] => {
          const apart = apartIn(read)
          return apart.length === 0 ? [] : [heading(4, plain(node, 80)), ...apartBlocks(apart)]
        })
      : []),
  ]
}

const tableOf = (rows: readonly SudoRow[]): Block =>
  table(
    { Status: 0.3, Command: 0.5, 'Probe/command': 0.2 },
    rows.map(({ state, command, asked }): readonly Cell[] => [
      [{ text: STATES[state].text, mark: STATES[state].mark }],
      monoCell(plain(command, 300)),
      plainCell(asked ?? 'Not in the recording'),
    ]),
  )

/** Up to this many recordings, each cited capture is listed; beyond, each recording has one line. */
const FEW = 20

/** Evidence index: the captures recorded, their size and digest, and their location in the pack. */
export function evidenceSection({ recordings, assessment, sudo }: Matter): Section {
  const held = heldOf(recordings, assessment.nodes)
  const total = recordings.reduce((sum, { captures }) => sum + captures.length, 0)
  const few = held.length <= FEW
  return {
    id: 'evidence',
    title: titles.evidence,
    blocks: [
      text(
        `${plural(total, 'capture')} in ${plural(held.length, 'recording')}. ${few ? FEW_TEXT : MANY_TEXT} Commands are constants of the catalog; no part of them comes from a node.`,
      ),
      text(WHERE),
      ...(few ? held.flatMap(answerBlocks) : nodeLines(held)),
      ...redactionBlocks(held),
      ...sudoSection(sudo ?? new Map(), few),
    ],
  }
}

const FEW_TEXT =
  'Captures cited by an observation in this report are listed; the others are counted. Exit is the exit status of the command. Bytes and SHA-256 refer to the output as stored; “e” marks captures with error output only. Times are on the date stated for the node.'
const MANY_TEXT =
  'Each recording has one line. The folder of a node in the pack is data/nodes/NODE unless another is stated.'
const WHERE = `A capture is stored as sha256/DIGEST in the folder of its node; empty output has the digest ${sha256('')}. Every capture, cited or not, is listed with its exact command, privilege, times, sizes and digests in captures.jsonl in that folder and in evidence.csv next to the pack. The digest of a recording is the SHA-256 over recording.json followed by captures.jsonl and therefore covers every line of both.`

const BARE = /^[A-Za-z0-9_@%+=:,./*?[\]{}-]+$/

/** The command as passed to the node’s shell: constants unquoted where possible, patterns unquoted, with sudo where it was used. */
export function commandLine({ argv, privilege, source }: Pick<Capture, 'argv' | 'privilege' | 'source'>): string {
  const words = argv.map((word) => (BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
  return plain(source === 'node' && privilege === 'sudo' ? `sudo -n ${words.join(' ')}` : words.join(' '), 2000)
}
