import type { Capture, Recording } from '../../../schemas/types.ts'
import { plain } from '../plain-text.ts'
import type { Parsed } from '../probe.ts'
import { byProbeAndCommand, compare, type RecordingOutline, recordingDigest } from '../recording.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, monoCell, plainCell, type Section, text } from './model.ts'
import { type SudoReconciliation, sudoBlocks } from './sudo-reconciliation.ts'
import { plural, when } from './wording.ts'

const TRUST = {
  'known-hosts': 'found in a known_hosts file',
  fingerprint: 'equal to the fingerprint in the fleet file',
  'host-ca': 'signed by a host authority',
  decision: 'accepted by a recorded decision',
  demo: 'demo key',
} as const

/** Every answer that was recorded, per node: the exact command, how it ended, its size, its digest and when. */
export function evidenceSection({ recordings, assessment, sudo }: Matter): Section {
  const ordered = [...recordings].sort(
    (a, b) =>
      compare(a.recording.node.name, b.recording.node.name) || compare(a.recording.startedAt, b.recording.startedAt),
  )
  const total = ordered.reduce((sum, { captures }) => sum + captures.length, 0)
  const used = new Set(assessment.nodes.map(({ recording }) => recording?.digest))
  return {
    id: 'evidence',
    title: 'Evidence index',
    blocks: [
      text(
        `${plural(total, 'answer')} in ${plural(ordered.length, 'recording')}. Commands are constants of the catalog; nothing in them comes from a node. Digests are SHA-256 over the stored bytes.`,
      ),
      ...ordered.flatMap((loaded) => nodeBlocks(loaded, used, sudo?.get(loaded.recording.node.name))),
    ],
  }
}

function nodeBlocks(
  loaded: RecordingOutline,
  used: ReadonlySet<string | undefined>,
  sudo: Parsed<SudoReconciliation> | undefined,
): readonly Block[] {
  const { recording, captures } = loaded
  const digest = recordingDigest(loaded)
  const answers = captures.map(({ meta }) => meta).sort(byProbeAndCommand)
  return [
    heading(3, plain(recording.node.name, 80), true),
    ...(recording.synthetic === null
      ? []
      : [{ kind: 'banner', title: 'Made up or edited recording', text: plain(recording.synthetic, 300) } as const]),
    ...(used.has(digest) ? [] : [text('This recording was given but is not the one the results rest on.')]),
    { kind: 'facts', rows: facts(recording, digest) },
    answers.length === 0
      ? text('No answer was recorded.')
      : {
          kind: 'table',
          columns: [
            { title: 'Question and command', width: 37 },
            { title: 'Read as', width: 8 },
            { title: 'Ended', width: 9 },
            { title: 'Bytes', width: 7 },
            { title: 'Asked (UTC)', width: 12 },
            { title: 'SHA-256 of the answer', width: 27 },
          ],
          rows: answers.map(answerRow),
        },
    ...(sudo === undefined ? [] : sudoBlocks(sudo)),
  ]
}

function facts(recording: Recording, digest: string): readonly { label: string; value: Cell }[] {
  const { node, hostKey, session, clock, outcome } = recording
  const offset = clock === null ? null : `${signed(clock.offsetSeconds)} s, within ${clock.uncertaintySeconds} s`
  const failed =
    outcome.failure === null ? '' : `: ${plain(outcome.failure.code, 60)}, ${plain(outcome.failure.detail)}`
  return [
    { label: 'Recording', value: monoCell(digest) },
    {
      label: 'Address',
      value: plainCell(`${plain(node.address, 120)} port ${node.port}, user ${plain(node.user, 60)}`),
    },
    {
      label: 'Host key',
      value:
        hostKey === null
          ? plainCell('None was verified.')
          : [
              { text: `${plain(hostKey.type, 60)}, ${TRUST[hostKey.trust.how]}: ${plain(hostKey.trust.detail)}` },
              { text: plain(hostKey.fingerprint, 80), style: 'mono' },
            ],
    },
    {
      label: 'Session',
      value: plainCell(
        session === null
          ? 'No login.'
          : `${session.transport}, login by ${plain(session.authMethod, 60)}, root-only questions: ${RIGHTS[session.privilege]}`,
      ),
    },
    {
      label: 'Live tests',
      value: plainCell(recording.liveTests === true ? 'Asked for.' : 'Not asked for.'),
    },
    {
      label: 'Collected',
      value: plainCell(`${when(recording.startedAt)} to ${when(recording.endedAt)}, ${outcome.status}${failed}`),
    },
    { label: 'Clock of the node', value: plainCell(offset === null ? 'Not read.' : `${offset} against the collector`) },
    {
      label: 'Collector',
      value: plainCell(
        `${plain(recording.collector.version, 40)}, catalog ${plain(recording.collector.catalogVersion, 40)}, digest ${recording.collector.catalogDigest.slice(0, 12)}`,
      ),
    },
  ]
}

const RIGHTS = { root: 'as root', sudo: 'through sudo', none: 'not asked' } as const
const signed = (seconds: number): string => (seconds > 0 ? `+${seconds}` : String(seconds))

function answerRow(capture: Capture): readonly Cell[] {
  const { stdout, stderr } = capture
  const errors: Cell =
    stderr.size === 0
      ? []
      : [
          { text: `error output, ${stderr.size} bytes:`, style: 'quiet' },
          { text: stderr.sha256, style: 'mono' },
        ]
  return [
    [
      { text: `${capture.probe} / ${capture.command}`, style: 'quiet' },
      { text: commandLine(capture), style: 'mono' },
    ],
    plainCell(capture.source === 'collector' ? 'measured' : capture.privilege),
    [{ text: ending(capture) }, { text: `${capture.durationMs} ms` }],
    plainCell(String(stdout.size)),
    [{ text: capture.startedAt.slice(0, 10) }, { text: capture.startedAt.slice(11, 23) }],
    [{ text: stdout.sha256, style: 'mono' }, ...errors],
  ]
}

function ending({ status, exitCode, redactions }: Capture): string {
  const hidden = redactions === undefined ? '' : `, ${redactions} redacted`
  if (status !== 'done') return `${status.replace('-', ' ')}${hidden}`
  return `exit ${exitCode ?? 'none'}${hidden}`
}

const BARE = /^[A-Za-z0-9_@%+=:,./*?[\]{}-]+$/

/** The command as the node's shell got it: constants bare where they need no quotes, patterns bare, sudo named where it was used. */
export function commandLine({ argv, privilege, source }: Pick<Capture, 'argv' | 'privilege' | 'source'>): string {
  const words = argv.map((word) => (BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
  return plain(source === 'node' && privilege === 'sudo' ? `sudo -n ${words.join(' ')}` : words.join(' '), 2000)
}
