import { fileBytes, type Operand } from './shell.ts'
import { type Printed, printed, type VirtualNode } from './virtual-node.ts'

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 * 1024 }

/**
 * dd(1) of a captured file. The devices of the processor are programs of the node: they answer by number of leaf or register
 * (see processor-devices.ts).
 */
export function dd(node: VirtualNode, argv: readonly string[], _: readonly Operand[]): Printed | null {
  const settings = new Map(argv.slice(1).map((word) => [word.split('=')[0] ?? '', word.split('=').slice(1).join('=')]))
  const file = fileBytes(node, settings.get('if') ?? '')
  if (file === null || !file.isWhole || settings.has('of')) return null
  const size = sizeOf(settings.get('bs') ?? '512')
  const count = settings.get('count')
  const skip = Number(settings.get('skip') ?? '0') * (settings.get('iflag')?.includes('skip_bytes') ? 1 : size)
  return printed(file.bytes.subarray(skip, count === undefined ? undefined : skip + Number(count) * size))
}

export function sizeOf(text: string): number {
  const [, digits = '0', unit = ''] = /^(\d+)([KM]?)$/.exec(text) ?? []
  return Number(digits) * (UNITS[unit] ?? 1)
}
