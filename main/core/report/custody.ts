import type { Recording, Register } from '../../../schemas/types.ts'
import { PATHS } from '../pack-files.ts'
import { oneLine, plain } from '../plain-text.ts'
import { compare, type RecordingOutline, recordingDigest, replacedByClass } from '../recording.ts'
import { declaredBy, factBlock } from './declared.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, monoCell, plainCell, type Section, text } from './model.ts'
import { see, titles } from './titles.ts'
import { of, plural, when } from './wording.ts'

/** So many recordings stand here one by one; beyond, the evidence index has them. */
const EACH_SHOWN = 40

/** From the node to the sealed file: what was done by whom and when, with the digest it left, as far as recordings tell it. */
export function custodySection(matter: Matter): Section {
  return {
    id: 'custody',
    title: titles.custody,
    blocks: [
      text(
        'From the node to the sealed file, as far as recordings tell it. Who opened or copied stored files in between is not recorded. The digests show that the bytes are still those that were hashed.',
      ),
      heading(3, 'Capture', true),
      ...capture(matter),
      heading(3, 'Transfer, storage and seal', true),
      factBlock([
        { label: 'Transfer', value: transfer(matter.recordings) },
        { label: 'Storage', value: storage(matter.recordings) },
        ...lists(matter),
        { label: 'Said by people', value: plainCell(said(matter)) },
        { label: 'Evaluated', value: plainCell(`As of ${when(matter.assessment.asOf)}, by ${matter.producer}`) },
        { label: 'Sealed', value: seal(matter) },
      ]),
      text(`How a stranger checks each step without us and without a network stands in ${see('howto')}.`),
    ],
  }
}

function capture({ recordings }: Matter): readonly Block[] {
  if (recordings.length === 0) return [text('Nothing was captured: there is no recording.')]
  const starts = recordings.map(({ recording }) => recording.startedAt).sort(compare)
  const ends = recordings.map(({ recording }) => recording.endedAt).sort(compare)
  const whole = text(
    `${plural(recordings.length, 'recording')}, from ${when(starts[0] ?? '')} to ${when(ends.at(-1) ?? '')}, by the collector’s clock. A recording’s digest covers its description and one line for each answer, and each line names the SHA-256 of the bytes answered.`,
  )
  if (recordings.length > EACH_SHOWN) return [whole, text(`Each with its actor, time and digest: ${see('evidence')}.`)]
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
        { title: 'By', width: 24 },
        { title: 'When', width: 22 },
        { title: 'Digest of the recording', width: 30 },
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
        : [{ text: `completes the recording ${continues.slice(0, 12)}`, style: 'quiet' } as const]),
    ],
  ]
}

type Transport = NonNullable<Recording['session']>['transport']

const TRANSFERS: Readonly<Record<Transport, string>> = {
  ssh2: 'came through the SSH session they were captured in',
  openssh: 'came through the SSH session they were captured in',
  script: 'were carried from the node as a file by a person, whose hands left no trace here',
  replay: 'were replayed from an earlier recording',
}

function transfer(recordings: Matter['recordings']): Cell {
  const ways = new Map<string, number>()
  for (const { recording } of recordings) {
    const way =
      recording.session === null ? 'hold no session: nobody was logged in' : TRANSFERS[recording.session.transport]
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
  const redacted = metas.reduce((sum, { redactions = 0 }) => sum + redactions, 0)
  return [
    { text: `${plural(answers.length, 'answer')}, each stored under its own SHA-256 as it arrived` },
    {
      text:
        redacted === 0
          ? 'The redactor replaced nothing'
          : `The redactor replaced ${plural(redacted, 'value')} that can hold a secret, before anything was hashed or stored: ${plain(replacedByClass(metas), 400)}`,
    },
  ]
}

/** The provider’s list, where one was read. */
function lists({ assessment }: Matter): readonly { readonly label: string; readonly value: Cell }[] {
  const inventory = assessment.scope.engagement?.inventory
  return inventory == null
    ? []
    : [
        {
          label: 'Provider’s list',
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
  `${plural(register.exceptions.length, 'exception')}, ${plural(register.decisions?.length ?? 0, 'decision')}${explained(register)} and ${plural(register.attachments.length, 'record')}, each with its moment and whose word it is, in ${PATHS.exceptions}`

function seal({ signer, evidenceDigest, packName }: Matter): Cell {
  const bound: Cell = [
    { text: `Pack ${plain(packName)}; evidence digest` },
    ...monoCell(evidenceDigest),
    {
      text: 'When it was sealed stands in the seal and in its time-stamps, which were made after these pages.',
      style: 'quiet',
    },
  ]
  return signer === null
    ? [{ text: 'This copy carries no signature.' }, ...bound]
    : [
        { text: `By ${plain(signer.subject)}, certificate SHA-256` },
        { text: signer.fingerprint, style: 'mono' },
        ...bound,
      ]
}
