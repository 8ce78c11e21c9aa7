import type { Capture, NodeAssessment } from '../../../schemas/types.ts'
import { nodeFolder } from '../pack-files.ts'
import { plain } from '../plain-text.ts'
import { byProbeAndCommand, compare, type RecordingOutline, recordingDigest, replacedByClass } from '../recording.ts'
import { alike } from './grouping.ts'
import { type Block, type Cell, heading, monoCell, plainCell, quiet, text } from './model.ts'
import { names, of, plural } from './wording.ts'

/** One recording with what the results say about its node; null where they rest on another recording, or on none. */
export interface Held {
  readonly loaded: RecordingOutline
  readonly digest: string
  readonly cited: ReadonlySet<string>
  /** The results rest on this recording. */
  readonly used: boolean
}

/** What the reasons of one node cite: question and digest, as keyOf() writes them. */
function citedBy({ findings, isolation, claims = [] }: NodeAssessment): ReadonlySet<string> {
  const reasons = [
    ...findings.flatMap((finding) => finding.reasons),
    ...claims.flatMap((claim) => claim.reasons),
    ...(isolation?.reasons ?? []),
    ...(isolation?.contradictions ?? []),
  ]
  return new Set(
    reasons.flatMap(({ probe, captures }) =>
      captures.map(({ command, sha256: digest }) => `${probe ?? ''}/${command} ${digest}`),
    ),
  )
}
const keyOf = ({ probe, command, stdout }: Capture): string => `${probe}/${command} ${stdout.sha256}`

/** Recordings by node and time, each with what is cited of it. */
export function heldOf(recordings: readonly RecordingOutline[], nodes: readonly NodeAssessment[]): readonly Held[] {
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

/** One node: where its answers lie, then each answer that a reason cites, one line each; the others are counted. */
export function answerBlocks(held: Held): readonly Block[] {
  const { recording } = held.loaded
  const metas = [...metasOf(held)].sort(byProbeAndCommand)
  const cited = metas.filter((capture) => isCited(held, capture))
  const silent = cited.filter(({ stdout, stderr }) => stdout.size + stderr.size === 0)
  const spoken = cited.filter(({ stdout, stderr }) => stdout.size + stderr.size > 0)
  return [
    heading(3, plain(recording.node.name, 80), true),
    ...(recording.synthetic === null ? [] : [quiet(`Made up or edited recording: ${plain(recording.synthetic, 300)}`)]),
    ...(held.used ? [] : [text('This recording was given but is not the one the results rest on.')]),
    {
      kind: 'facts',
      rows: [
        { label: 'Recording', value: monoCell(held.digest) },
        { label: 'In the pack', value: monoCell(`${nodeFolder(recording.node.name)}/`) },
        {
          label: 'Answers',
          value: plainCell(
            `${plural(metas.length, 'answer')}, ${grouped(bytesOf(metas))} bytes; ${cited.length} cited by a reason, ${metas.length - cited.length} by none${endings(metas)}`,
          ),
        },
      ],
    },
    ...(spoken.length === 0 ? [] : [answerTable(spoken)]),
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

/** How many did not run to their end, by kind. */
function endings(metas: readonly Capture[]): string {
  const short = alike(
    metas.filter(({ status }) => status !== 'done'),
    ({ status }) => status,
  )
  return short.map((some) => `; ${some.length} ${(some[0]?.status ?? '').replace('-', ' ')}`).join('')
}

const answerTable = (answers: readonly Capture[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'Question', width: 27.6 },
    { title: 'Exit', width: 5.4 },
    { title: 'Bytes', width: 8 },
    { title: 'UTC', width: 8 },
    { title: 'SHA-256', width: 51 },
  ],
  rows: answers.map(answerRow),
})

/** An answer that is nothing but error output is shown by the digest of that. */
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

/** So many recordings have a line of their own; more than these are only counted. */
const MOST_LINES = 1000

/** Many nodes: one line each. */
export function nodeLines(held: readonly Held[]): readonly Block[] {
  const left = held.length - MOST_LINES
  return [
    {
      kind: 'table',
      columns: [
        { title: 'Node', width: 24 },
        { title: 'Answers', width: 8 },
        { title: 'Cited', width: 6.5 },
        { title: 'Bytes', width: 12 },
        { title: 'SHA-256 of the recording', width: 51 },
      ],
      rows: held.slice(0, MOST_LINES).map((one) => {
        const metas = metasOf(one)
        return [
          [
            { text: placeOf(one), style: 'mono' },
            ...(one.used ? [] : [{ text: 'not what the results rest on', style: 'quiet' } as const]),
          ],
          monoCell(String(metas.length)),
          monoCell(String(metas.filter((capture) => isCited(one, capture)).length)),
          monoCell(grouped(bytesOf(metas))),
          monoCell(one.digest),
        ]
      }),
    },
    ...(left > 0
      ? [text(`And ${plural(left, 'recording')} more; statement.json in the pack names the digest of each.`)]
      : []),
  ]
}

/** The node's name, and its folder where that is another. */
function placeOf({ loaded }: Held): string {
  const { name } = loaded.recording.node
  const folder = nodeFolder(name)
  return folder === `data/nodes/${name}` ? name : `${plain(name, 80)} in ${folder}`
}

/** What the redactor took out before anything was hashed or stored, by question. */
export function redactionBlocks(held: readonly Held[]): readonly Block[] {
  const redacted = held.flatMap(({ loaded }) =>
    loaded.captures
      .filter(({ meta }) => (meta.redactions ?? 0) > 0)
      .map(({ meta }) => ({
        node: loaded.recording.node.name,
        question: questionOf(meta),
        meta,
      })),
  )
  const groups = alike(redacted, ({ question }) => question)
  return [
    heading(3, 'Redactions', true),
    ...(groups.length === 0
      ? [text('None: the redactor found nothing to take out of any answer.')]
      : [
          text(
            'What looked like a secret, or stood where one can stand, was replaced before an answer was hashed and stored. A marker in the answer names its class; no result counts what was replaced as support.',
          ),
          {
            kind: 'table',
            columns: [
              { title: 'Question', width: 34 },
              { title: 'Replaced', width: 30 },
              { title: 'Nodes', width: 36 },
            ],
            rows: groups.map((group) => [
              monoCell(group[0]?.question ?? ''),
              plainCell(plain(replacedByClass(group.map(({ meta }) => meta)), 400)),
              plainCell(
                `${of(new Set(group.map(({ node }) => node)).size, held.length)}: ${names([...new Set(group.map(({ node }) => node))])}`,
              ),
            ]),
          } as const,
        ]),
  ]
}
