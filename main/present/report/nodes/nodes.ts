import type { HostKey, Isolation, NodeAssessment, Recording } from '../../../../schemas/types.ts'
import { environmentText, gradeWords, tenancyWords } from '../../../../schemas/words.ts'
import { names, of, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  monoCell,
  plainCell,
  type Section,
  text,
} from '../../../core/base/report-document.ts'
import { reached } from '../../../core/conclusion/tally.ts'
import { recordingDigest } from '../../../core/recording/recording.ts'
import { MANY_NODES } from '../parts/figures.ts'
import type { Matter } from '../parts/input.ts'
import {
  between,
  countLines,
  ELSEWHERE,
  hostKeyWords,
  observed,
  see,
  syntheticText,
  titles,
  when,
} from '../parts/wording.ts'
import type { FactRows } from '../scope/boundary.ts'
import { deviceCounts, layerText } from './isolation.ts'
import { locationCell } from './location.ts'
import { byWorstNode, nodeMatrixBlocks } from './node-matrix.ts'

/** Row limit of a printed table; the others are counted. */
const MOST_ROWS = 1000

/** Each node: identity and its verification, privilege used, and results. */
export function nodeSection(matter: Matter): Section {
  const { nodes } = matter.assessment
  return {
    id: 'nodes',
    title: titles.nodes,
    blocks: [
      text(
        `${plural(nodes.length, 'declared node')}, as of ${when(matter.assessment.asOf)}. Results are from one run; drift is not compared.`,
      ),
      ...(nodes.length <= MANY_NODES ? inFull(matter) : inRows(matter)),
    ],
  }
}

function inFull(matter: Matter): readonly Block[] {
  const recordings = recordingsOf(matter)
  return [
    heading(3, 'Node by property', true),
    ...nodeMatrixBlocks(matter),
    ...matter.assessment.nodes.flatMap((node): readonly Block[] => [
      heading(3, plain(node.node, 80), true),
      { kind: 'facts', rows: nodeFacts(matter, node, recordings.get(node.recording?.digest ?? '') ?? null) },
    ]),
  ]
}

/** By digest, so that a node is described by the recording its results are based on. */
export const recordingsOf = ({ recordings }: Matter): ReadonlyMap<string, Recording> =>
  new Map(recordings.map((loaded) => [recordingDigest(loaded), loaded.recording]))

/** Identity, how it was verified, and results of one node. */
export function nodeFacts(matter: Matter, node: NodeAssessment, recording: Recording | null): FactRows {
  return [
    { label: 'Evidence', value: observedCell(node) },
    ...(recording === null ? [] : identity(recording)),
    ...(node.recording === null ? [] : [{ label: 'Recording', value: monoCell(node.recording.digest) }]),
    { label: 'Results', value: countLines(matter.tally.onNode(node.node)) },
    ...contradictions(matter, node),
    { label: 'Isolation', value: isolationCell(node.isolation) },
    { label: 'Location', value: locationCell(node.location) },
  ]
}

function observedCell(node: NodeAssessment): Cell {
  const { failure, synthetic, status } = node
  return [
    { text: observed(node) },
    ...(status === 'partial' ? [{ text: 'Partially collected.' }] : []),
    ...(failure === null ? [] : [{ text: `${plain(failure.code, 60)}: ${plain(failure.detail)}` }]),
    ...(synthetic === null ? [] : [{ text: syntheticText(synthetic), style: 'strong' } as const]),
  ]
}

const RIGHTS = { root: 'as root', sudo: 'through sudo', none: 'not run' } as const

/** Identity of the node and how it was verified, from the recording. */
function identity(recording: Recording): FactRows {
  const { node, hostKey, session, clock, collector, liveTests, metadata } = recording
  const login =
    session === null
      ? 'no login'
      : `login as ${plain(node.user, 60)} by ${plain(session.authMethod, 60)} over ${session.transport}; privileged probes: ${RIGHTS[session.privilege]}`
  const offset =
    clock === null
      ? 'not collected'
      : `${clock.offsetSeconds > 0 ? '+' : ''}${clock.offsetSeconds} s relative to the collector’s clock, ±${clock.uncertaintySeconds} s`
  return [
    { label: 'Address', value: plainCell(`${plain(node.address, 120)} port ${node.port}, ${login}`) },
    { label: 'Host key', value: hostKeyCell(hostKey) },
    {
      label: session === null ? 'Attempted' : 'Collected',
      value: [
        { text: `${between(recording.startedAt, recording.endedAt)}; node clock offset: ${offset}` },
        {
          text: `Collector ${plain(collector.version, 40)}, catalog ${plain(collector.catalogVersion, 40)}, digest ${collector.catalogDigest.slice(0, 12)}; live tests ${liveTests === true ? 'enabled' : 'not enabled'}${metadata === true ? '; provider metadata service queried' : ''}`,
          style: 'quiet',
        },
      ],
    },
  ]
}

const hostKeyCell = (hostKey: HostKey | null): Cell =>
  hostKey === null
    ? plainCell('Not verified.')
    : [{ text: trusted(hostKey) }, { text: plain(hostKey.fingerprint, 80), style: 'mono' }]

/** How the host key was verified; details of the recording are omitted where they repeat that. */
function trusted(hostKey: HostKey): string {
  const { how, detail } = hostKey.trust
  const words = hostKeyWords[how]
  const more = detail.replace(/^equals /, 'matches ') === words ? '' : `: ${plain(detail)}`
  return `${plain(hostKey.type, 60)}, ${words}${more}`
}

/** Checks not satisfied on this node, and provider claims it contradicts. */
function contradictions({ tally, catalog, assessment }: Matter, node: NodeAssessment): FactRows {
  const checks = catalog.checks.filter(({ id }) => tally.verdict(node.node, id) === 'not-satisfied').map(({ id }) => id)
  const broken = new Set(
    (node.claims ?? []).filter(({ result }) => result === 'contradicted').map(({ claim }) => claim),
  )
  const promises = (assessment.scope.provider?.claims ?? []).filter(({ id }) => broken.has(id)).map(({ text }) => text)
  return [
    ...(checks.length === 0 ? [] : [{ label: 'Deviations', value: plainCell(names(checks, 60)) }]),
    ...(promises.length === 0
      ? []
      : [
          {
            label: 'Provider claims contradicted',
            value: promises.map((sentence): Line => ({ text: plain(sentence, 300) })),
          },
        ]),
  ]
}

const isolationCell = (isolation: Isolation | null): Cell =>
  isolation === null
    ? plainCell('No isolation analysis; not collected.')
    : [
        { text: layerText(isolation) },
        { text: `${tenancyWords[isolation.tenancy]}. Grade ${isolation.grade}: ${gradeWords[isolation.grade]}` },
        { text: deviceCounts(isolation.attachments), style: 'quiet' },
        ...(isolation.anomalies.length === 0
          ? []
          : [
              {
                text: `${plural(isolation.anomalies.length, 'anomaly', 'anomalies')}; see ${see('isolation')}.`,
                mark: 'square-cross',
              } as const,
            ]),
      ]

/** Large fleets: nodes that need attention, one row each; the others are counted. */
function inRows(matter: Matter): readonly Block[] {
  const { assessment, tally } = matter
  const listed = byWorstNode(matter).filter(
    (node) => !reached(node) || node.stale || tally.onNode(node.node).counts['not-satisfied'] > 0,
  )
  const others = assessment.nodes.length - listed.length
  const left = listed.length - MOST_ROWS
  return [
    text(
      `${of(listed.length, assessment.nodes.length)} nodes have deviations or were not collected; they are listed below, worst first. The other ${others} have neither. Results, identity, host key and isolation analysis of every node are in the pack, in data/nodes/NODE.`,
    ),
    heading(3, 'Nodes with deviations or not collected', true),
    headedTable(
      {
        Node: 27,
        'Collected (UTC), privilege': 21,
        Deviations: 11,
        'No result': 9,
        'Execution environment': 22,
        Recording: 12,
      },
      listed.slice(0, MOST_ROWS).map((node) => nodeRow(matter, node)),
    ),
    ...(left > 0 ? [text(`And ${plural(left, 'node')} more. ${ELSEWHERE}`)] : []),
  ]
}

function nodeRow({ tally }: Matter, node: NodeAssessment): readonly Cell[] {
  const { counts } = tally.onNode(node.node)
  const seen =
    node.observedAt === null || !reached(node)
      ? (node.failure?.code ?? 'no recording')
      : `${node.observedAt.slice(0, 16).replace('T', ' ')}, ${node.privilege ?? 'no login'}${node.stale ? ', stale' : ''}`
  return [
    monoCell(plain(node.node, 80)),
    monoCell(plain(seen, 60)),
    monoCell(String(counts['not-satisfied'])),
    monoCell(String(counts.inconclusive + counts['not-tested'])),
    plainCell(node.isolation === null ? '·' : `${environmentText(node.isolation)}, grade ${node.isolation.grade}`),
    monoCell(node.recording === null ? '·' : node.recording.digest.slice(0, 12)),
  ]
}
