import type { DeviceAttachment, Isolation, NodeAssessment, Observation } from '../../../../schemas/types.ts'
import { environmentText, gradeWords, imageLimit, tenancyWords } from '../../../../schemas/words.ts'
import { alike } from '../../../core/base/grouping.ts'
import { names, of, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  heading,
  list,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { LIVE_NOT_ASKED } from '../../../core/recording/probe.ts'
import { explanationsFor, explanationText } from '../../../core/register/explanations.ts'
import { ANALYSIS_KINDS, figureBlocks, isPictured, MANY_NODES, picturesNote } from '../parts/figures.ts'
import type { Matter } from '../parts/input.ts'
import { type Common, commonBlocks, commonOf, isolationAnalysis } from '../parts/isolation-analysis.ts'
import { CODES, ELSEWHERE, observed, reasonLine, see, titles, worstFirst } from '../parts/wording.ts'
import { byWorstNode } from './node-matrix.ts'

const DEVICE: Readonly<Record<DeviceAttachment['kind'], string>> = { gpu: 'GPU', nic: 'NIC', hca: 'HCA', disk: 'Disk' }
const ATTACHMENT: Readonly<Record<DeviceAttachment['attachment'], string>> = {
  physical: 'Physical',
  'virtual-function': 'SR-IOV virtual function of a shared device',
  passthrough: 'Passthrough by a hypervisor',
  virtual: 'Virtual',
  remote: 'Network-attached',
  undetermined: 'Undetermined',
}

/** In a large fleet, the number of nodes with an isolation analysis in the report. */
const MOST_DOSSIERS = 20
/** Observations in the short form. */
const MOST_REASONS = 12

/** Per node, the four isolation results, separately, with supporting, contradicting and unclear observations. */
export function isolationSection(matter: Matter): Section {
  const { nodes } = matter.assessment
  const many = nodes.length > MANY_NODES
  const shown = contradictedFirst(matter)
  const dossiers = analysedNodes(matter)
  const argued = dossiers.flatMap(({ isolation }) => isolation ?? [])
  const common = commonOf(argued)
  return {
    id: 'isolation',
    title: titles.isolation,
    blocks: [
      text(
        'Isolation has four separate results: execution environment, tenancy, device attachment and evidence grade. They are never combined. Bare-metal execution is inferred from many signals; no single signal decides it.',
      ),
      text(imageLimit),
      quiet(CODES),
      ...picturesNote(matter),
      ...(many ? overview(nodes, shown.length, dossiers.length) : []),
      ...(argued.length === 0
        ? []
        : commonBlocks(common, argued, new Map(matter.catalog.signals.map((note) => [note.id, note])))),
      ...dossiers.flatMap((node) => nodeBlocks(node, matter, common, many)),
    ],
  }
}

const contradictedFirst = (matter: Matter): readonly NodeAssessment[] => {
  const { nodes } = matter.assessment
  return nodes.length > MANY_NODES ? byWorstNode(matter).filter((node) => isPictured(node, nodes.length)) : nodes
}

/** Nodes with an isolation analysis and figures in the report: all nodes of a small fleet. */
export const analysedNodes = (matter: Matter): readonly NodeAssessment[] =>
  matter.assessment.nodes.length > MANY_NODES
    ? contradictedFirst(matter).slice(0, MOST_DOSSIERS)
    : matter.assessment.nodes

/** Large fleets: nodes with the same results in one table row. */
function overview(nodes: readonly NodeAssessment[], shown: number, dossiers: number): readonly Block[] {
  const answers = ({ isolation }: NodeAssessment): readonly string[] =>
    isolation === null
      ? ['Not collected']
      : [
          layerText(isolation),
          tenancyWords[isolation.tenancy],
          `Grade ${isolation.grade}`,
          deviceCounts(isolation.attachments),
        ]
  const groups = [...alike(nodes, (node) => answers(node).join('\n'))].sort((a, b) => b.length - a.length)
  const left = groups.slice(MOST_GROUPS).flat().length
  return [
    heading(3, 'Nodes by result', true),
    table(
      { Nodes: 34, Results: 66 },
      groups
        .slice(0, MOST_GROUPS)
        .map((group) => [
          [{ text: of(group.length, nodes.length), style: 'strong' }, { text: names(group.map(({ node }) => node)) }],
          group[0] === undefined ? [] : answers(group[0]).map((words) => ({ text: words })),
        ]),
    ),
    ...(left === 0 ? [] : [text(`And ${plural(left, 'node')} with other results. ${ELSEWHERE}`)]),
    text(
      `${plural(shown, 'node')} ${shown === 1 ? 'has' : 'have'} a deviation or anomaly in isolation or encryption at rest; the ${dossiers} with the worst results are summarized below. ${ELSEWHERE}`,
    ),
  ]
}

const MOST_GROUPS = 60

function nodeBlocks(node: NodeAssessment, matter: Matter, common: Common, short: boolean): readonly Block[] {
  const name = heading(3, plain(node.node, 80), true)
  const made: Block[] =
    node.synthetic === null ? [] : [{ kind: 'banner', title: 'Synthetic recording', text: plain(node.synthetic, 300) }]
  if (node.isolation === null) {
    return [
      name,
      ...made,
      text(`${observed(node)} No isolation analysis; for the reason, see ${see('undecided')}.`),
      ...figureBlocks(matter, node, ANALYSIS_KINDS),
    ]
  }
  const { environment, rule, tenancy, attachments, grade, observations, minimum } = node.isolation
  const explained = explanationsFor(matter.register, node.node, matter.assessment.asOf)
  // The minimum evidence is printed below with the same text.
  const below = new Set(minimum.map(({ title, text: words }) => `${title}. ${words}`))
  const ordered = worstFirst(observations.filter((reason) => !below.has(reason.text)))
  const listed = short ? ordered.filter(({ direction }) => direction === 'contradicts').slice(0, MOST_REASONS) : ordered
  const left = ordered.length - listed.length
  return [
    name,
    ...made,
    quiet(observed(node)),
    {
      kind: 'facts',
      rows: [
        { label: 'Execution environment', value: plainCell(layerText(node.isolation)) },
        ...(environment === 'undetermined' ? [{ label: 'Reason', value: plainCell(plain(rule.text, 1200)) }] : []),
        { label: 'Tenancy', value: plainCell(tenancyWords[tenancy]) },
        {
          label: 'Devices',
          value: short
            ? plainCell(deviceCounts(attachments))
            : attachments.length === 0
              ? plainCell('No devices listed.')
              : alike(attachments, sameKind).map((devices) => ({ text: local(devices) })),
        },
        { label: 'Evidence grade', value: plainCell(`${grade}. ${gradeWords[grade]}`) },
      ],
    },
    ...explanationBlocks(explained, matter),
    ...(observations.length === 0
      ? [text('No observations were recorded for these results.')]
      : [
          heading(4, short ? 'Contradicting observations' : 'Observations'),
          list(liveAtOnce(listed).map(reasonLine)),
          ...(left === 0
            ? []
            : [quiet(`And ${plural(left, 'more observation')}, in data/nodes/NODE/assessment.json of the pack.`)]),
        ]),
    ...isolationAnalysis(node.isolation, matter.catalog, figureBlocks(matter, node, ANALYSIS_KINDS), {
      common,
      short,
      explained: new Set(explained.keys()),
    }),
  ]
}

/** Explanations of single signals of a node by named people, from the register. */
function explanationBlocks(
  explained: ReturnType<typeof explanationsFor>,
  { catalog }: Pick<Matter, 'catalog'>,
): readonly Block[] {
  if (explained.size === 0) return []
  const title = (id: string): string => catalog.signals.find((note) => note.id === id)?.title ?? plain(id, 60)
  return [
    heading(4, 'Explanations'),
    list(
      [...explained].flatMap(([signal, entries]) =>
        entries.map((entry) => ({
          text: `${title(signal)}. ${explanationText(entry)}`,
          mark: 'diamond-question' as const,
        })),
      ),
    ),
  ]
}

const LIVE = `: ${LIVE_NOT_ASKED}.`

/** Combines the observations that only lack live tests into one line. */
function liveAtOnce(reasons: readonly Observation[]): readonly Observation[] {
  const live = reasons.filter(({ text: words }) => words.endsWith(LIVE))
  const [first] = live
  if (first === undefined || live.length === 1) return reasons
  const which = live.map(({ text: words }) => words.slice(0, -LIVE.length)).join('; ')
  const one: Observation = { ...first, text: `Not collected because live tests were not enabled: ${which}.` }
  return reasons.flatMap((reason) => (reason === first ? [one] : live.includes(reason) ? [] : [reason]))
}

/** Execution environment in one line. */
export const layerText = ({ environment, platform, concealed, rule }: Isolation): string =>
  `${environmentText({ environment, rule })}${platform === null ? '' : `, platform: ${plain(platform, 80)}`}${concealed ? '; concealed' : ''}`

/** Device counts by kind and attachment, in one line. */
export function deviceCounts(devices: readonly DeviceAttachment[]): string {
  const groups = alike(devices, ({ kind, attachment }) => `${kind} ${attachment}`)
  const one = (group: readonly DeviceAttachment[]): string =>
    group[0] === undefined
      ? ''
      : `${group.length} × ${DEVICE[group[0].kind]}: ${ATTACHMENT[group[0].attachment].toLowerCase()}`
  return groups.length === 0 ? 'No devices listed.' : `${groups.map(one).join('; ')}.`
}

/** Groups devices of one kind and model with the same result, so that eight GPUs are one line. Port or function, in parentheses or in the address, differs for each and is ignored. */
const sameKind = ({ kind, attachment, text: words, device }: DeviceAttachment): string =>
  [kind, attachment, withoutPlace(words), make(device)].join('\n')

const withoutPlace = (words: string): string => words.replaceAll(/ \([^)]*\)| at [0-9a-f:.]{7,12}\b/g, '')

/** The model part of a device name: "GPU model" of "0000:18:00.0 GPU model". */
const make = (device: string): string => device.split(' ').slice(1).join(' ')

function local(devices: readonly DeviceAttachment[]): string {
  const [first] = devices
  if (first === undefined) return ''
  const words = plain(devices.length === 1 ? first.text : withoutPlace(first.text), 200)
  const which = devices.map(({ device }) => plain(device.split(' ')[0] ?? '', 40)).join(', ')
  const count = devices.length === 1 ? DEVICE[first.kind] : `${devices.length} × ${DEVICE[first.kind]}`
  const named = make(first.device) === '' ? '' : ` ${plain(make(first.device), 60)}`
  return `${count}${named} (${which}): ${ATTACHMENT[first.attachment]}${words === '' ? '' : `. ${words}`}`
}
