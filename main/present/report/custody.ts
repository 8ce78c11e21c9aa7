import type { Recording, Register } from '../../../schemas/types.ts'
import { PATHS } from '../../core/pack-files.ts'
import { of, plural } from '../../core/phrases.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { compare, type RecordingOutline, recordingDigest, replacedByClass } from '../../core/recording.ts'
import { type Block, type Cell, heading, monoCell, plainCell, type Section, text } from '../../core/report-document.ts'
import { declaredBy, factBlock } from './declared.ts'
import type { Matter } from './input.ts'
import { see, titles } from './titles.ts'
import { when } from './wording.ts'

/** Up to this many recordings are listed here; otherwise see the evidence index. */
const EACH_SHOWN = 40

/** Chain of custody from node to sealed file: actions, actors, times and digests, as far as recordings document them. */
export function custodySection(matter: Matter): Section {
  return {
    id: 'custody',
    title: titles.custody,
    blocks: [
      text(
        'From the node to the sealed file, as far as the recordings document it. Access to stored files in between is not recorded. The digests show that the bytes are unchanged since they were hashed.',
      ),
      heading(3, 'Capture', true),
      ...capture(matter),
      heading(3, 'Transfer, storage and seal', true),
      factBlock([
        { label: 'Transfer', value: transfer(matter.recordings) },
        { label: 'Storage', value: storage(matter.recordings) },
        ...lists(matter),
        { label: 'Register', value: plainCell(said(matter)) },
        { label: 'Evaluation', value: plainCell(`As of ${when(matter.assessment.asOf)}, by ${matter.producer}`) },
        { label: 'Seal', value: seal(matter) },
      ]),
      text(
        `For independent verification of each step, without Barewitness and without a network, see ${see('howto')}.`,
      ),
    ],
  }
}

function capture({ recordings }: Matter): readonly Block[] {
  if (recordings.length === 0) return [text('No recordings; nothing was captured.')]
  const starts = recordings.map(({ recording }) => recording.startedAt).sort(compare)
  const ends = recordings.map(({ recording }) => recording.endedAt).sort(compare)
  const whole = text(
    `${plural(recordings.length, 'recording')}, from ${when(starts[0] ?? '')} to ${when(ends.at(-1) ?? '')}, by the collector’s clock. The digest of a recording covers its description and one line per capture; each line states the SHA-256 of the output.`,
  )
  if (recordings.length > EACH_SHOWN)
    return [whole, text(`For actor, time and digest of each, see ${see('evidence')}.`)]
  const ordered = [...recordings].sort(
    (a, b) =>
      compare(a.recording.node.name, b.recording.node.name) || compare(a.recording.startedAt, b.recording.startedAt),
  )
  return [
    whole,
    {
      kind: 'table',
      columns: [
        { title: 'Node', width: 24 },
        { title: 'Collected by', width: 24 },
        { title: 'Time', width: 22 },
        { title: 'Recording digest', width: 30 },
      ],
      rows: ordered.map(captureRow),
    },
  ]
}

function captureRow(loaded: RecordingOutline): readonly Cell[] {
  const { node, run, session, collector, startedAt, endedAt, continues } = loaded.recording
  return [
    [{ text: plain(node.name, 80), style: 'strong' }],
    [
      {
        text: `Collector ${plain(collector.version, 40)}, ${session === null ? 'not logged in' : `logged in as ${plain(node.user, 60)}`}`,
      },
      { text: `Run ${plain(run, 100)}`, style: 'quiet' },
    ],
    [{ text: when(startedAt) }, ...(when(startedAt) === when(endedAt) ? [] : [{ text: `to ${when(endedAt)}` }])],
    [
      { text: recordingDigest(loaded), style: 'mono' },
      ...(continues === undefined
        ? []
        : [{ text: `continues recording ${continues.slice(0, 12)}`, style: 'quiet' } as const]),
    ],
  ]
}

type Transport = NonNullable<Recording['session']>['transport']

const TRANSFERS: Readonly<Record<Transport, string>> = {
  ssh2: 'were transferred in the SSH session of the capture',
  openssh: 'were transferred in the SSH session of the capture',
  script: 'were transferred from the node as a file by a person; that handling is not evidenced',
  replay: 'were replayed from an earlier recording',
}

function transfer(recordings: Matter['recordings']): Cell {
  const ways = new Map<string, number>()
  for (const { recording } of recordings) {
    const way =
      recording.session === null ? 'have no session: no login took place' : TRANSFERS[recording.session.transport]
    ways.set(way, (ways.get(way) ?? 0) + 1)
  }
  return ways.size === 0
    ? plainCell('Nothing was transferred.')
    : [...ways]
        .sort(([a], [b]) => compare(a, b))
        .map(([way, count]) => ({ text: `${of(count, recordings.length)} recordings ${way}` }))
}

function storage(recordings: Matter['recordings']): Cell {
  const answers = recordings.flatMap(({ captures }) => captures)
  const metas = answers.map(({ meta }) => meta)
  const redacted = metas.reduce((sum, { maskedCount = 0 }) => sum + maskedCount, 0)
  return [
    { text: `${plural(answers.length, 'capture')}, each stored under its SHA-256 on arrival` },
    {
      text:
        redacted === 0
          ? 'Masking replaced no values'
          : `Masking replaced ${plural(redacted, 'value')} that can contain a secret, before hashing and storage: ${plain(replacedByClass(metas), 400)}`,
    },
  ]
}

/** The provider inventory, where one was supplied. */
function lists({ assessment }: Matter): readonly { readonly label: string; readonly value: Cell }[] {
  const inventory = assessment.scope.engagement?.inventory
  return inventory == null
    ? []
    : [
        {
          label: 'Provider inventory',
          value: [
            { text: `${declaredBy(inventory)}: ${oneLine(inventory.file.name, 255)}, as ${PATHS.inventory}, SHA-256` },
            { text: plain(inventory.file.sha256, 64), style: 'mono' },
          ],
        },
      ]
}

const explained = ({ explanations = [] }: Register): string =>
  explanations.length === 0 ? '' : `, ${plural(explanations.length, 'explanation')}`

const said = ({ register }: Matter): string =>
  `${plural(register.riskAcceptances.length, 'risk acceptance')}, ${plural(register.decisions?.length ?? 0, 'decision')}${explained(register)} and ${plural(register.documents.length, 'document')}, each with its time and the person who provided it, in ${PATHS.register}`

function seal({ signer, evidenceDigest, packName }: Matter): Cell {
  const bound: Cell = [
    { text: `Pack ${plain(packName)}; evidence digest` },
    ...monoCell(evidenceDigest),
    {
      text: 'The time of sealing is stated in the seal and its time-stamps, which are created after this report.',
      style: 'quiet',
    },
  ]
  return signer === null
    ? [{ text: 'This copy is not signed.' }, ...bound]
    : [
        { text: `By ${plain(signer.subject)}, certificate SHA-256` },
        { text: signer.fingerprint, style: 'mono' },
        ...bound,
      ]
}
