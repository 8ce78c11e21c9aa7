import type { DeviceLocality, Isolation, NodeAssessment } from '../../../schemas/types.ts'
import { gradeWords, layerWords } from '../../../schemas/words.ts'
import { plain } from '../plain-text.ts'
import { dossierBlocks } from './dossier.ts'
import { figureBlocks, picturesNote } from './figures.ts'
import type { Matter } from './input.ts'
import { type Block, heading, plainCell, quiet, type Section, text } from './model.ts'
import { observed, reasonLine, worstFirst } from './wording.ts'

const TENANCY: Readonly<Record<Isolation['tenancy'], string>> = {
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

/** Per node, the four isolation answers, each apart, and everything that speaks for, against or stays unclear. */
export function isolationSection(matter: Matter): Section {
  return {
    id: 'isolation',
    title: 'Isolation, node by node',
    blocks: [
      text(
        'Isolation has four separate answers: what the operating system runs on, who uses it, where each device is, and how strong the evidence is. They are never added up. Running directly on hardware is argued from many signs; no single sign decides it.',
      ),
      ...picturesNote(matter),
      ...matter.assessment.nodes.flatMap((node) => nodeBlocks(node, matter)),
    ],
  }
}

function nodeBlocks(node: NodeAssessment, matter: Matter): readonly Block[] {
  const name = heading(3, plain(node.node, 80), true)
  const made: Block[] =
    node.synthetic === null
      ? []
      : [{ kind: 'banner', title: 'Made up or edited recording', text: plain(node.synthetic, 300) }]
  if (node.isolation === null) {
    return [
      name,
      ...made,
      text(`${observed(node)} There is no isolation argument; section 5 says why.`),
      ...figureBlocks(matter, node),
    ]
  }
  const { layer, platform, concealed, tenancy, locality, grade, reasons } = node.isolation
  const named = platform === null ? '' : `, platform: ${plain(platform, 80)}`
  return [
    name,
    ...made,
    quiet(observed(node)),
    {
      kind: 'facts',
      rows: [
        {
          label: 'Execution layer',
          value: plainCell(`${layerWords[layer]}${named}${concealed ? '; it hides this' : ''}`),
        },
        { label: 'Tenancy on the OS', value: plainCell(TENANCY[tenancy]) },
        {
          label: 'Devices',
          value:
            locality.length === 0
              ? plainCell('No device was listed.')
              : alike(locality).map((devices) => ({ text: local(devices) })),
        },
        { label: 'Grade of evidence', value: plainCell(`${grade}. ${gradeWords[grade]}`) },
      ],
    },
    ...(reasons.length === 0
      ? [text('No reason was recorded for these answers.')]
      : [
          heading(4, 'For, against and unclear'),
          { kind: 'list', items: worstFirst(reasons).map(reasonLine) } as const,
        ]),
    ...dossierBlocks(node.isolation, matter.catalog, figureBlocks(matter, node)),
  ]
}

/** Devices of one kind and make that were answered alike, together: eight GPUs are one line, not eight. */
function alike(locality: readonly DeviceLocality[]): readonly (readonly DeviceLocality[])[] {
  const groups = new Map<string, DeviceLocality[]>()
  for (const one of locality) {
    // Which port or function it is stands in brackets and differs for each.
    const key = [one.kind, one.is, one.text.replaceAll(/ \([^)]*\)/g, ''), make(one.device)].join('\n')
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
}

/** What a device's name says besides which one it is: "GPU model" of "0000:18:00.0 GPU model". */
const make = (device: string): string => device.split(' ').slice(1).join(' ')

function local(devices: readonly DeviceLocality[]): string {
  const [first] = devices
  if (first === undefined) return ''
  const said = plain(devices.length === 1 ? first.text : first.text.replaceAll(/ \([^)]*\)/g, ''), 200)
  const which = devices.map(({ device }) => plain(device.split(' ')[0] ?? '', 40)).join(', ')
  const count = devices.length === 1 ? DEVICE[first.kind] : `${devices.length} × ${DEVICE[first.kind]}`
  const named = make(first.device) === '' ? '' : ` ${plain(make(first.device), 60)}`
  return `${count}${named} (${which}): ${LOCALITY[first.is]}${said === '' ? '' : `. ${said}`}`
}
