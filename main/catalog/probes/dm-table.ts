import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'

/** One segment of a device-mapper device. The key of a crypt target never becomes part of a fact; its length does. */
export type DmTarget =
  | { readonly kind: 'crypt'; readonly cipher: string; readonly keyBytes: number | null }
  | { readonly kind: 'other'; readonly target: string }

export interface DmTable {
  /** By device-mapper name, as the kernel holds it (with its \xNN escapes). */
  readonly devices: ReadonlyMap<string, readonly DmTarget[]>
}

/** `dmsetup table` without --showkeys prints keys as zeros, or as the name of a key in the kernel's keyring. */
export const storageDmTable = defineProbe({
  id: 'storage.dm-table',
  title: 'Device-mapper tables',
  why: 'Names the cipher and key length of every encrypting layer. Keys are not shown by this command.',
  commands: { table: runAsRoot(['dmsetup', 'table']) },
  parse: ({ table }) => {
    if (table.exitCode === 0) return parseDmTable(table.text)
    // ENODEV on the control device: this kernel has no device mapper, so there is nothing in its table.
    return /control: open failed: No such device$/m.test(table.errorText)
      ? known({ devices: new Map() })
      : unknown(`dmsetup failed: ${quote(table.errorText)}`)
  },
})

/** Reads `dmsetup table` (dmsetup(8); crypt arguments: Documentation/admin-guide/device-mapper/dm-crypt.rst). */
export function parseDmTable(text: string): Parsed<DmTable> {
  const devices = new Map<string, DmTarget[]>()
  const said = text.trim()
  if (said === '') return unknown('dmsetup printed nothing')
  if (said === 'No devices found') return known({ devices })
  for (const line of said.split('\n')) {
    const parts = /^(\S+): \d+ \d+ (\S+)(?: (.*))?$/.exec(line.trimEnd())
    const [, name, target, args = ''] = parts ?? []
    if (name === undefined || target === undefined)
      return unknown('a line of the device-mapper table could not be read')
    const segments = devices.get(name) ?? []
    segments.push(target === 'crypt' ? cryptTarget(args) : { kind: 'other', target })
    devices.set(name, segments)
  }
  return known({ devices })
}

function cryptTarget(args: string): DmTarget {
  const [cipher = '', key = ''] = args.split(' ')
  return { kind: 'crypt', cipher, keyBytes: keyBytes(key) }
}

/** `:64:logon:…` names a 64-byte key in a keyring; otherwise two hexadecimal digits (zeros) stand for each byte. */
function keyBytes(key: string): number | null {
  const inKeyring = /^:(\d{1,5}):/.exec(key)
  if (inKeyring !== null) return Number(inKeyring[1])
  if (key === '-') return 0
  return /^[0-9a-fA-F]+$/.test(key) ? Math.floor(key.length / 2) : null
}
