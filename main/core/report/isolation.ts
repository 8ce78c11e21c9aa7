import type { DeviceLocality, Isolation, NodeAssessment, Reason } from '../../../schemas/types.ts'
import { gradeWords, imageLimit, LAYERS, layerSaid, layerWords, notEstablished } from '../../../schemas/words.ts'
import { plain } from '../plain-text.ts'
import { LIVE_NOT_ASKED } from '../probe.ts'
import { explanationsFor, explanationText } from '../register/explanations.ts'
import { dossierBlocks } from './dossier.ts'
import { type Common, commonBlocks, commonOf } from './dossier-common.ts'
import { DOSSIER_KINDS, figureBlocks, isPictured, MANY_NODES, picturesNote } from './figures.ts'
import { alike } from './grouping.ts'
import type { Matter } from './input.ts'
import { type Block, heading, plainCell, quiet, type Section, text } from './model.ts'
import { byWorstNode } from './node-matrix.ts'
import { see, titles } from './titles.ts'
import { CODES, ELSEWHERE, names, observed, of, plural, reasonLine, worstFirst } from './wording.ts'

export const TENANCY: Readonly<Record<Isolation['tenancy'], string>> = {
  'single-observed': 'One tenant observed on this operating system',
  shared: 'Signs of more than one tenant on this operating system',
  unknown: 'Not decided',
}
const DEVICE: Readonly<Record<DeviceLocality['kind'], string>> = { gpu: 'GPU', nic: 'NIC', hca: 'HCA', disk: 'Disk' }
const LOCALITY: Readonly<Record<DeviceLocality['is'], string>> = {
  native: 'Part of this machine',
  'virtual-function': 'A slice of a shared device (virtual function)',
  passthrough: 'Handed through by a hypervisor',
  virtual: 'Virtual device',
  remote: 'Reached over a network',
  unknown: 'Not decided',
}

/** In a large fleet so many dossiers stand in the report, of nodes with a contradiction in what pictures show. */
const MOST_DOSSIERS = 20
/** In a short dossier so many reasons. */
const MOST_REASONS = 12

/** Per node, the four isolation answers, each apart, and everything that speaks for, against or stays unclear. */
export function isolationSection(matter: Matter): Section {
  const { nodes } = matter.assessment
  const many = nodes.length > MANY_NODES
  const shown = contradictedFirst(matter)
  const dossiers = dossierNodes(matter)
  const argued = dossiers.flatMap(({ isolation }) => isolation ?? [])
  const common = commonOf(argued)
  return {
    id: 'isolation',
    title: titles.isolation,
    blocks: [
      text(
        'Isolation has four separate answers: what the operating system runs on, who uses it, where each device is, and how strong the evidence is. They are never added up. Running directly on hardware is argued from many signs; no single sign decides it.',
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

/** The nodes whose dossiers, and pictures, stand in the report: all of a small fleet. */
export const dossierNodes = (matter: Matter): readonly NodeAssessment[] =>
  matter.assessment.nodes.length > MANY_NODES
    ? contradictedFirst(matter).slice(0, MOST_DOSSIERS)
    : matter.assessment.nodes

/** A large fleet: nodes with the same answers in one row. */
function overview(nodes: readonly NodeAssessment[], shown: number, dossiers: number): readonly Block[] {
  const answers = ({ isolation }: NodeAssessment): readonly string[] =>
    isolation === null
      ? ['Nothing was observed']
      : [layerText(isolation), TENANCY[isolation.tenancy], `Grade ${isolation.grade}`, deviceCounts(isolation.locality)]
  const groups = [...alike(nodes, (node) => answers(node).join('\n'))].sort((a, b) => b.length - a.length)
  const left = groups.slice(MOST_GROUPS).flat().length
  return [
    heading(3, 'Nodes by their four answers', true),
    {
      kind: 'table',
      columns: [
        { title: 'Nodes', width: 34 },
        { title: 'Answers', width: 66 },
      ],
      rows: groups
        .slice(0, MOST_GROUPS)
        .map((group) => [
          [{ text: of(group.length, nodes.length), style: 'strong' }, { text: names(group.map(({ node }) => node)) }],
          group[0] === undefined ? [] : answers(group[0]).map((said) => ({ text: said })),
        ]),
    },
    ...(left === 0 ? [] : [text(`And ${plural(left, 'node')} with other answers. ${ELSEWHERE}`)]),
    text(
      `${plural(shown, 'node')} contradict${shown === 1 ? 's' : ''} a claim about isolation or encryption at rest; the ${dossiers} with the worst answers stand below, in short. ${ELSEWHERE}`,
    ),
  ]
}
const MOST_GROUPS = 60

function nodeBlocks(node: NodeAssessment, matter: Matter, common: Common, short: boolean): readonly Block[] {
  const name = heading(3, plain(node.node, 80), true)
  const made: Block[] =
    node.synthetic === null
      ? []
      : [{ kind: 'banner', title: 'Made up or edited recording', text: plain(node.synthetic, 300) }]
  if (node.isolation === null) {
    return [
      name,
      ...made,
      text(`${observed(node)} There is no isolation argument; ${see('undecided')} says why.`),
      ...figureBlocks(matter, node, DOSSIER_KINDS),
    ]
  }
  const { layer, rule, tenancy, locality, grade, reasons, minimum } = node.isolation
  const explained = explanationsFor(matter.register, node.node, matter.assessment.asOf)
  // The minimum evidence stands below with the same words.
  const below = new Set(minimum.map(({ title, text: said }) => `${title}. ${said}`))
  const ordered = worstFirst(reasons.filter((reason) => !below.has(reason.text)))
  const listed = short ? ordered.filter(({ says }) => says === 'against').slice(0, MOST_REASONS) : ordered
  const left = ordered.length - listed.length
  return [
    name,
    ...made,
    quiet(observed(node)),
    {
      kind: 'facts',
      rows: [
        { label: 'Execution layer', value: plainCell(layerText(node.isolation)) },
        ...(layer === 'unknown' ? [{ label: 'Why not decided', value: plainCell(plain(rule.text, 1200)) }] : []),
        { label: 'Tenancy on the OS', value: plainCell(TENANCY[tenancy]) },
        {
          label: 'Devices',
          value: short
            ? plainCell(deviceCounts(locality))
            : locality.length === 0
              ? plainCell('No device was listed.')
              : alike(locality, sameKind).map((devices) => ({ text: local(devices) })),
        },
        { label: 'Grade of evidence', value: plainCell(`${grade}. ${gradeWords[grade]}`) },
      ],
    },
    ...explanationBlocks(explained, matter),
    ...(reasons.length === 0
      ? [text('No reason was recorded for these answers.')]
      : [
          heading(4, short ? 'Against' : 'For, against and unclear'),
          { kind: 'list', items: liveAtOnce(listed).map(reasonLine) } as const,
          ...(left === 0
            ? []
            : [quiet(`And ${plural(left, 'reason')} more, in data/nodes/NODE/assessment.json of the pack.`)]),
        ]),
    ...dossierBlocks(node.isolation, matter.catalog, figureBlocks(matter, node, DOSSIER_KINDS), {
      common,
      short,
      explained: new Set(explained.keys()),
    }),
  ]
}

/** What named people say about single readings of a node, beside its answers. */
function explanationBlocks(
  explained: ReturnType<typeof explanationsFor>,
  { catalog }: Pick<Matter, 'catalog'>,
): readonly Block[] {
  if (explained.size === 0) return []
  const title = (id: string): string => catalog.signals.find((note) => note.id === id)?.title ?? plain(id, 60)
  return [
    heading(4, 'Explained by people'),
    {
      kind: 'list',
      items: [...explained].flatMap(([signal, entries]) =>
        entries.map((entry) => ({
          text: `${title(signal)}. ${explanationText(entry)}`,
          mark: 'diamond-question' as const,
        })),
      ),
    },
  ]
}

const LIVE = `: ${LIVE_NOT_ASKED}.`

/** What only live tests would have told, in one line instead of one each. */
function liveAtOnce(reasons: readonly Reason[]): readonly Reason[] {
  const live = reasons.filter(({ text: said }) => said.endsWith(LIVE))
  const [first] = live
  if (first === undefined || live.length === 1) return reasons
  const which = live.map(({ text: said }) => said.slice(0, -LIVE.length)).join('; ')
  const one: Reason = { ...first, text: `Not collected, as live tests were not asked for: ${which}.` }
  return reasons.flatMap((reason) => (reason === first ? [one] : live.includes(reason) ? [] : [reason]))
}

/** What the system runs on, in one line. */
export const layerText = ({ layer, platform, concealed, rule }: Isolation): string =>
  `${layerSaid({ layer, rule })}${platform === null ? '' : `, platform: ${plain(platform, 80)}`}${concealed ? '; it hides this' : ''}`

/** How many devices of each kind are where, in one line. */
export function deviceCounts(locality: readonly DeviceLocality[]): string {
  const groups = alike(locality, ({ kind, is }) => `${kind} ${is}`)
  const one = (group: readonly DeviceLocality[]): string =>
    group[0] === undefined ? '' : `${group.length} × ${DEVICE[group[0].kind]}: ${LOCALITY[group[0].is].toLowerCase()}`
  return groups.length === 0 ? 'No device was listed.' : `${groups.map(one).join('; ')}.`
}

/** Devices of one kind and make that were answered alike stand together: eight GPUs are one line, not eight. Which port or function it is stands in brackets or in its address and differs for each. */
const sameKind = ({ kind, is, text: said, device }: DeviceLocality): string =>
  [kind, is, withoutPlace(said), make(device)].join('\n')

const withoutPlace = (said: string): string => said.replaceAll(/ \([^)]*\)| at [0-9a-f:.]{7,12}\b/g, '')

/** What a device's name says besides which one it is: "GPU model" of "0000:18:00.0 GPU model". */
const make = (device: string): string => device.split(' ').slice(1).join(' ')

function local(devices: readonly DeviceLocality[]): string {
  const [first] = devices
  if (first === undefined) return ''
  const said = plain(devices.length === 1 ? first.text : withoutPlace(first.text), 200)
  const which = devices.map(({ device }) => plain(device.split(' ')[0] ?? '', 40)).join(', ')
  const count = devices.length === 1 ? DEVICE[first.kind] : `${devices.length} × ${DEVICE[first.kind]}`
  const named = make(first.device) === '' ? '' : ` ${plain(make(first.device), 60)}`
  return `${count}${named} (${which}): ${LOCALITY[first.is]}${said === '' ? '' : `. ${said}`}`
}

/** What the nodes run on, counted by answer, and what no such answer excludes; none where nothing was argued. */
export function isolationSentences(nodes: readonly NodeAssessment[]): readonly string[] {
  const argued = nodes.flatMap(({ isolation }) => isolation ?? [])
  if (argued.length === 0) return []
  const answers = [...LAYERS.map((layer) => layerWords[layer]), notEstablished].flatMap((words) => {
    const count = argued.filter((one) => layerSaid(one) === words).length
    return count === 0 ? [] : [`${words.charAt(0).toLowerCase()}${words.slice(1)} ${of(count, nodes.length)}`]
  })
  return [`Isolation: ${answers.join('; ')}.`, imageLimit]
}
