import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { inOrder } from '../steady.ts'
import { unescapeOctal } from '../storage/escapes.ts'

export interface SwapArea {
  /** A device such as /dev/dm-2, or the path of a file. */
  readonly name: string
  readonly kind: 'partition' | 'file'
}

export interface Swaps {
  readonly areas: readonly SwapArea[]
}

export const storageSwaps = defineProbe({
  id: 'storage.swaps',
  title: 'Swap areas in use',
  why: 'Memory, and with it unencrypted data, is written to swap.',
  ignoredInDrift: {
    why: 'Areas are listed in the order in which they were opened.',
    normalize: ({ areas }: Swaps) => ({ areas: inOrder(areas) }),
  },
  commands: { swaps: run(['cat', '/proc/swaps']) },
  parse: ({ swaps }) =>
    swaps.exitCode === 0 ? parseSwaps(swaps.text) : unknown('the kernel’s list of swap areas could not be read'),
})

/** Reads /proc/swaps (mm/swapfile.c, swap_show). The header line must be there, so that an empty response is not "no swap". */
export function parseSwaps(text: string): Parsed<Swaps> {
  const [header = '', ...lines] = text.split('\n')
  if (!/^Filename\s+Type\s+Size/.test(header)) return unknown('the list of swap areas lacks its heading')
  const areas: SwapArea[] = []
  for (const line of lines) {
    if (line.trim() === '') continue
    const fields = /^(\/\S*)\s+(partition|file)\s+\d+\s+\d+\s+-?\d+\s*$/.exec(line)
    if (fields === null) return unknown(`a swap area could not be read: ${quote(line)}`)
    areas.push({ name: unescapeOctal(fields[1] ?? ''), kind: fields[2] === 'file' ? 'file' : 'partition' })
  }
  return known({ areas })
}
