import { printed, type VirtualNode } from './virtual-node.ts'

/** nvidia-smi -q -x as it was printed. */
export function putNvidiaXml(node: VirtualNode, text: string): void {
  node.program('nvidia-smi', (argv) => (argv[1] === '-q' && argv[2] === '-x' ? printed(text) : null))
}

export function putNvidiaTopology(node: VirtualNode, text: string): void {
  node.program('nvidia-smi', (argv) => (argv[1] === 'topo' ? printed(text) : null))
}

const TAGS: readonly (readonly [label: string, tag: string])[] = [
  ['Product Name', 'product_name'],
  ['Serial Number', 'serial'],
  ['GPU UUID', 'uuid'],
]

/** nvidia-smi -q in its text form, as the XML form of the same fields; only those that probes read. */
export function putNvidiaText(node: VirtualNode, text: string): void {
  const field = (block: string, label: string): string =>
    new RegExp(`^ *${label} *: (.*)$`, 'm').exec(block)?.[1]?.trim() ?? ''
  const [head = '', ...blocks] = text.split(/^(?=GPU [0-9A-F]{8}:)/m)
  if (blocks.length === 0) return
  const gpus = blocks.map((block) => {
    const host = /GPU Link Info[\s\S]*?Host Max *: (.*)/.exec(block)?.[1]?.trim()
    const mig = /MIG Mode\s*\n\s*Current *: (.*)/.exec(block)?.[1]?.trim() ?? 'N/A'
    const processes = [...block.matchAll(/Process ID *: (\d+)\s*\n(?:.*\n)*? *Type *: (.*)/g)].map(
      ([, pid, type]) => `<process_info><pid>${pid}</pid><type>${type?.trim()}</type></process_info>`,
    )
    return [
      `<gpu id="${/^GPU (\S+)/.exec(block)?.[1] ?? ''}">`,
      ...TAGS.map(([label, tag]) => `<${tag}>${escaped(field(block, label))}</${tag}>`),
      `<mig_mode><current_mig>${mig}</current_mig></mig_mode>`,
      `<gpu_virtualization_mode><virtualization_mode>${field(block, 'Virtualization Mode')}</virtualization_mode></gpu_virtualization_mode>`,
      ...(host === undefined ? [] : [`<max_host_link_gen>${host}</max_host_link_gen>`]),
      `<processes>${processes.join('')}</processes>`,
      '</gpu>',
    ].join('\n')
  })
  putNvidiaXml(
    node,
    `<?xml version="1.0" ?>\n<nvidia_smi_log>\n<driver_version>${field(head, 'Driver Version')}</driver_version>\n<attached_gpus>${blocks.length}</attached_gpus>\n${gpus.join('\n')}\n</nvidia_smi_log>\n`,
  )
}

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')
