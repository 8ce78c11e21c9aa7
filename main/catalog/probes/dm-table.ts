import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { inOrder } from '../steady.ts'

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
  why: 'Shows the cipher and key length of every encrypting layer. Keys are not shown by this command.',
  ignoredInDrift: {
    why: 'Devices are listed in the order in which they were opened.',
    normalize: ({ devices }: DmTable) => ({ devices: inOrder(devices) }),
  },
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
    const heads = [...line.trimEnd().matchAll(/: \d+ \d+ ([a-z][\w-]*)(?= |$)/g)]
    const [head] = heads
    // A name may hold blanks; one that itself looks like the head of a line leaves open which is which.
    if (head === undefined || heads.length > 1 || head.index === 0)
      return unknown('a line of the device-mapper table could not be read')
    const name = line.slice(0, head.index)
    const target = head[1] ?? ''
    const args = line.trimEnd().slice(head.index + head[0].length + 1)
    const segments = devices.get(name) ?? []
    segments.push(target === 'crypt' ? cryptTarget(args) : { kind: 'other', target })
    devices.set(name, segments)
  }
  return known({ devices })
}

/**
 * The segments of a device by its name. libdevmapper writes blanks and quotes as \\xNN where the kernel got them from it (dmsetup(8),
 * --manglename), so that the table and sysfs may spell one name in two ways.
 */
export const dmTargets = ({ devices }: DmTable, name: string): readonly DmTarget[] | undefined =>
  devices.get(name) ?? devices.get(unmangled(name)) ?? devices.get(mangled(name))

const unmangled = (name: string): string =>
  name.replace(/\\x([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
const mangled = (name: string): string =>
  name.replace(/[^\w#+.:=@/-]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)

function cryptTarget(args: string): DmTarget {
  const [cipher = '', key = ''] = args.split(' ')
  return { kind: 'crypt', cipher, keyBytes: keyBytes(key) }
}

/** `:64:logon:…` names a 64-byte key in a keyring; otherwise two hexadecimal digits (zeros) represent each byte. */
function keyBytes(key: string): number | null {
  const inKeyring = /^:(\d{1,5}):/.exec(key)
  if (inKeyring !== null) return Number(inKeyring[1])
  if (key === '-') return 0
  return /^[0-9a-fA-F]+$/.test(key) ? Math.floor(key.length / 2) : null
}
