import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'

/** One line of crypttab(5). It holds paths and options, never a key. */
export interface CrypttabEntry {
  readonly name: string
  readonly device: string
  /** The third field; null for none and -. */
  readonly keyFile: string | null
  readonly options: readonly string[]
}

export interface Crypttab {
  readonly entries: readonly CrypttabEntry[]
  /** False when the node has no such file. */
  readonly present: boolean
}

export const storageCrypttab = defineProbe({
  id: 'storage.crypttab',
  title: 'Key sources of encrypted volumes',
  why: 'Lists how each encrypted volume is opened at boot. The file holds paths and options, not keys.',
  commands: { crypttab: runAsRoot(['cat', '/etc/crypttab'], { needsPath: ['/etc/crypttab'] }) },
  parse: ({ crypttab }) => {
    if (crypttab.exitCode === 0) return parseCrypttab(crypttab.text)
    return /No such file or directory/.test(crypttab.errorText)
      ? known({ entries: [], present: false })
      : unknown('the file /etc/crypttab could not be read')
  },
})

/** Reads crypttab(5): name, device, key file and options, separated by blanks; # starts a comment line. */
export function parseCrypttab(text: string): Parsed<Crypttab> {
  const entries: CrypttabEntry[] = []
  for (const line of text.split('\n')) {
    const fields = line.trim().split(/\s+/)
    const [name = '', device, keyFile = '-', options = ''] = fields
    if (name === '' || name.startsWith('#')) continue
    if (device === undefined || fields.length > 4)
      return unknown(`a line of crypttab could not be read: ${quote(line)}`)
    entries.push({
      name,
      device,
      keyFile: keyFile === 'none' || keyFile === '-' ? null : keyFile,
      options: options.split(',').filter((option) => option !== ''),
    })
  }
  return known({ entries, present: true })
}
