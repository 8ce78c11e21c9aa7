import type { Recording, Register } from '../../../schemas/types.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { sha256 } from '../../core/base/digest.ts'
import { names, oneLine, outOf, plain, plural, quote } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  code,
  heading,
  type Line,
  monoCell,
  plainCell,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import { collectedBy, type Dependence, dependenceOf } from '../../core/conclusion/assessor.ts'
import { PATHS } from '../../core/pack/pack-files.ts'
import { compare, type RecordingOutline, recordingDigest, replacedByClass } from '../../core/recording/recording.ts'
import type { Framework } from '../../core/rules/framework.ts'
import { signerCell } from './cover.ts'
import type { Matter } from './parts/input.ts'
import { between, chosenFrameworks, collectedBetween, rightsUsed, see, titles, when } from './parts/wording.ts'
import { dayOf, declaredBy, factBlock } from './scope/boundary.ts'
import { profileCell } from './scope/method.ts'

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
        { label: 'Register', value: plainCell(registerText(matter)) },
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
    `${plural(recordings.length, 'recording')}, ${between(starts[0] ?? '', ends.at(-1) ?? '')}, by the collector’s clock. The digest of a recording covers its description and one line per capture; each line states the SHA-256 of the output.`,
  )
  if (recordings.length > EACH_SHOWN)
    return [whole, text(`For actor, time and digest of each, see ${see('evidence')}.`)]
  const ordered = [...recordings].sort(
    (a, b) =>
      compare(a.recording.node.name, b.recording.node.name) || compare(a.recording.startedAt, b.recording.startedAt),
  )
  return [whole, table({ Node: 24, 'Collected by': 24, Time: 22, 'Recording digest': 30 }, ordered.map(captureRow))]
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
        .map(([way, count]) => ({ text: `${outOf(count, recordings.length, 'recording')} ${way}` }))
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

const registerText = ({ register }: Matter): string =>
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

/** How a reader checks this file and its pack, in short: the whole procedure is in the annexes and in VERIFY.txt of the pack. */
export function verificationSection(matter: Matter): Section {
  const { evidenceDigest, packName, producer, assessment, signer, recordings } = matter
  const blocks: Block[] = [
    text(
      `The pack contains every capture, the catalog of checks and this report under one seal. Anyone can verify it without an account and without a network: with Barewitness, or with openssl, unzip and sha256sum by the script verify.sh in the pack. ${see('howto')} lists each command.`,
    ),
    code([`barewitness verify '${plain(packName, 200)}' --trust root.pem`]),
    {
      kind: 'facts',
      rows: [
        { label: 'Signer', value: signerCell(signer) },
        { label: 'Evidence pack', value: plainCell(plain(packName, 200)) },
        { label: 'Collected', value: collectedCell(matter) },
        { label: 'Collected by', value: collectorCell(recordings) },
        { label: 'Evidence digest', value: monoCell(evidenceDigest) },
        {
          label: 'Evaluated',
          value: plainCell(
            `As of ${when(assessment.asOf)}, by ${producer}, rules ${plain(assessment.catalog.version, 40)}`,
          ),
        },
        { label: 'Catalog, SHA-256', value: monoCell(assessment.catalog.digest) },
        {
          label: 'Rules module, SHA-256',
          value: [
            { text: assessment.catalog.module, style: 'mono' },
            { text: 'Part of the program, not of the pack.', style: 'quiet' },
          ],
        },
      ],
    },
  ]
  const dependence = dependenceOf(recordings, assessment)
  if (dependence.length > 0)
    blocks.push({
      kind: 'banner',
      title: 'The collector is not independent of the nodes',
      text: `${dependence.slice(0, MOST_NAMED).map(dependenceText).join(' ')}${dependence.length > MOST_NAMED ? ` And ${dependence.length - MOST_NAMED} more.` : ''} A person who controls a node can influence what is collected from it. Let a person and a computer outside the population repeat the collection.`,
    })
  return { id: 'verification', title: titles.verification, flows: true, blocks }
}

/** When the evidence was collected, which is not when it was evaluated, and with which rights. */
function collectedCell({ recordings, assessment }: Matter): Cell {
  const rights = rightsUsed(assessment.nodes)
  return [{ text: collectedBetween(recordings) }, ...(rights === '' ? [] : [{ text: rights }])]
}

const MOST_NAMED = 5

/** Account and computer of each collector, with what is not recorded. */
function collectorCell(recordings: Matter['recordings']): Cell {
  const collected = collectedBy(recordings)
  if (collected.length === 0) return plainCell('No recordings.')
  return [
    ...collected.slice(0, MOST_NAMED).map(({ operator, recordings: count }) => ({
      text: `${outOf(count, recordings.length, 'recording')}: ${operator === null ? 'not recorded' : `user ${quote(operator.user)} on ${quote(operator.host)}; program ${operator.program === null ? 'not read' : operator.program.slice(0, 12)}`}`,
    })),
    ...(collected.length > MOST_NAMED
      ? [{ text: `And ${plural(collected.length - MOST_NAMED, 'more collector')}.` }]
      : []),
    { text: 'As the collecting computer states it; not verified.', style: 'quiet' as const },
  ]
}

const ROLES = {
  administrator: 'an administrator of',
  account: 'a declared account of',
  roster: 'on the roster of',
} as const

const dependenceText = (one: Dependence): string =>
  one.kind === 'host'
    ? `The collecting computer ${quote(one.host)} is node ${plain(one.node, 80)} ${one.by === 'boot' ? '(same boot ID)' : '(same name; boot ID not read)'}.`
    : `The user ${quote(one.user)} who collected is ${ROLES[one.role]} ${one.nodes.length > 3 ? plural(one.nodes.length, 'node') : names(one.nodes)}.`

/** Versions, dates and digests of the software, rules, frameworks and declarations behind this report. */
export function versionSection(matter: Matter): Section {
  const { assessment, catalog } = matter
  return {
    id: 'versions',
    title: titles.versions,
    blocks: [
      text(
        'The same recordings give the same results only with the same versions. The catalog is in the pack as data/catalog.json; its SHA-256 is the catalog digest.',
      ),
      heading(3, 'Tool and rules', true),
      factBlock([
        { label: 'Produced by', value: plainCell(matter.producer) },
        { label: 'Rules engine', value: plainCell(plain(assessment.engine, 40)) },
        {
          label: 'Catalog',
          value: [
            { text: `Version ${plain(assessment.catalog.version, 40)}, SHA-256` },
            { text: assessment.catalog.digest, style: 'mono' },
            { text: 'Rules module, SHA-256' },
            { text: assessment.catalog.module, style: 'mono' },
          ],
        },
        { label: 'Collected by', value: collectors(matter) },
        {
          label: 'Thresholds',
          value: [...profileCell(matter), { text: `For each threshold, see ${see('compared')}.`, style: 'quiet' }],
        },
      ]),
      heading(3, 'Frameworks', true),
      frameworkTable(matter),
      heading(3, 'Reference lists', true),
      ...references(catalog.references ?? []),
      heading(3, 'Declarations', true),
      factBlock([
        { label: 'Engagement', value: engagementCell(matter) },
        { label: 'Provider profile', value: providerCell(matter) },
      ]),
      text(
        'These digests are SHA-256 over the canonical JSON (RFC 8785) of the content of data/scope.json in the pack.',
      ),
    ],
  }
}

/** Collector versions of the recordings, and whether they used the catalog of this evaluation. */
function collectors({ recordings, assessment }: Matter): Cell {
  const counts = new Map<string, number>()
  for (const { recording } of recordings) {
    const { version, catalogVersion, catalogDigest } = recording.collector
    const same = catalogDigest === assessment.catalog.digest ? 'the same catalog' : 'another catalog'
    const words = `collector ${plain(version, 40)}, catalog ${plain(catalogVersion, 40)}, ${same} (${catalogDigest.slice(0, 12)})`
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  const lines = [...counts].sort(([a], [b]) => compare(a, b))
  return lines.length === 0
    ? plainCell('No recordings.')
    : lines.map(([words, count]) => ({ text: `${outOf(count, recordings.length, 'recording')}: ${words}` }))
}

const STATUS: Readonly<Record<string, string>> = {
  'in-force': 'In effect',
  'in-use': 'In use',
  'proposed-not-in-force': 'Proposed, not in effect',
}

/** Status of a framework as printed. */
export const statusOf = ({ status }: Pick<Framework, 'status'>): string => STATUS[status] ?? plain(status, 60)

function frameworkTable(matter: Matter): Block {
  const { current, overlays } = chosenFrameworks(matter)
  const own = new Set((matter.assessment.scope.mappings ?? []).map(({ id }) => id))
  const chosen = [...current, ...overlays]
  if (chosen.length === 0) return text('No framework selected.')
  return table(
    { Framework: 34, 'Version and status': 32, 'Mapping, SHA-256': 34 },
    chosen.map((framework) => [
      [
        { text: plain(framework.title), style: 'strong' },
        { text: plain(framework.id, 40), style: 'quiet' },
      ],
      [{ text: plain(framework.version, 300) }, { text: `${statusOf(framework)}.` }],
      [
        {
          text: own.has(framework.id)
            ? 'Supplied by the customer, in data/scope.json'
            : 'Built in, in data/catalog.json',
        },
        digestLine(framework),
      ],
    ]),
  )
}

/** SHA-256 over canonical JSON (RFC 8785), so that independent verifiers can recompute it from the pack. */
const digestLine = (value: unknown): Line => ({ text: sha256(canonicalJson(value)), style: 'mono' })

const references = (lists: NonNullable<Matter['catalog']['references']>): readonly Block[] =>
  lists.length === 0
    ? [text('This catalog uses no dated reference list.')]
    : [
        text('Checked against their sources on the date stated. Later changes are not included.'),
        table(
          { List: 46, 'As of': 18, 'SHA-256': 36 },
          lists.map(({ title, asOf, sha256: digest }) => [plainCell(title), plainCell(dayOf(asOf)), monoCell(digest)]),
        ),
      ]

function engagementCell({ assessment: { scope } }: Matter): Cell {
  const { engagement } = scope
  return engagement === undefined
    ? plainCell('None declared.')
    : [{ text: `${declaredBy(engagement)}, SHA-256` }, digestLine(engagement)]
}

function providerCell({ assessment: { scope } }: Matter): Cell {
  const { provider } = scope
  return provider === undefined
    ? plainCell('None.')
    : [
        { text: `${plain(provider.name)} (${plain(provider.id, 40)}), as of ${dayOf(provider.asOf)}, SHA-256` },
        digestLine(provider),
      ]
}
