import type { DeviceLocality, Isolation, NodeAssessment } from '../../../schemas/types.ts'
import { gradeWords, layerWords } from '../../../schemas/words.ts'
import { plain } from '../plain-text.ts'
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
export function isolationSection({ assessment }: Matter): Section {
  return {
    id: 'isolation',
    title: 'Isolation, node by node',
    blocks: [
      text(
        'Isolation has four separate answers: what the operating system runs on, who uses it, where each device is, and how strong the evidence is. They are never added up. Running directly on hardware is argued from many signs; no single sign decides it.',
      ),
      ...assessment.nodes.flatMap(nodeBlocks),
    ],
  }
}

function nodeBlocks(node: NodeAssessment): readonly Block[] {
  const name = heading(3, plain(node.node, 80), true)
  const made: Block[] =
    node.synthetic === null ? [] : [{ kind: 'banner', title: 'Made-up recording', text: plain(node.synthetic, 300) }]
  if (node.isolation === null) {
    return [name, ...made, text(`${observed(node)} There is no isolation argument; section 5 says why.`)]
  }
  const { layer, platform, tenancy, locality, grade, reasons } = node.isolation
  const named = platform === null ? '' : `, platform: ${plain(platform, 80)}`
  return [
    name,
    ...made,
    quiet(observed(node)),
    {
      kind: 'facts',
      rows: [
        { label: 'Execution layer', value: plainCell(`${layerWords[layer]}${named}`) },
        { label: 'Tenancy on the OS', value: plainCell(TENANCY[tenancy]) },
        {
          label: 'Devices',
          value:
            locality.length === 0
              ? plainCell('No device was listed.')
              : locality.map((device) => ({ text: local(device) })),
        },
        { label: 'Grade of evidence', value: plainCell(`${grade}. ${gradeWords[grade]}`) },
      ],
    },
    ...(reasons.length === 0
      ? [text('No reason was recorded for these answers.')]
      : [{ kind: 'list', items: worstFirst(reasons).map(reasonLine) } as const]),
  ]
}

function local({ kind, device, is, text: words }: DeviceLocality): string {
  const said = plain(words, 200)
  return `${DEVICE[kind]} ${plain(device, 60)}: ${LOCALITY[is]}${said === '' ? '' : `. ${said}`}`
}
