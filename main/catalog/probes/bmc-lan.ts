import { type Answer, defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'
import { IPMI_DEVICES } from './bmc.ts'

export interface BmcUser {
  readonly id: number
  /** Empty for a user without a name: the party that gives none logs in as it. */
  readonly name: string
  readonly enabled: boolean
  readonly privilege: 'none' | 'callback' | 'user' | 'operator' | 'administrator' | 'oem' | 'unknown'
}
export interface BmcLan {
  /** Channel 1 leads to a network. */
  readonly isNetwork: boolean
  /** The channel takes sessions while the server runs. */
  readonly isOpen: boolean
  readonly users: readonly BmcUser[]
  /** Cipher suites that may open a session with some privilege, by number; null where the controller does not state. */
  readonly suites: readonly number[] | null
}

const LAN = { needsPath: IPMI_DEVICES, timeoutSeconds: 20, maxBytes: 65536 }

/**
 * ipmitool(1) through the kernel’s own device, channel 1. `lan print` would print an SNMP community, which is a password, and addresses; so
 * the cipher suites are requested by their own parameters (IPMI 2.0, table 23-4: 23 is the list of suites, 24 the highest privilege of
 * each, four bits a suite in the order of the list). `raw 0x0c 0x02` is Get LAN Configuration Parameters and changes nothing.
 */
export const bmcLan = defineProbe({
  id: 'bmc.lan',
  title: 'Network logins of the management controller',
  why: 'Control of the management controller is control of the server. No password, address or key is read.',
  commands: {
    channel: runAsRoot(['ipmitool', 'channel', 'info', '1'], LAN),
    users: runAsRoot(['ipmitool', 'channel', 'getaccess', '1'], { ...LAN, timeoutSeconds: 60 }),
    suites: runAsRoot(['ipmitool', 'raw', '0x0c', '0x02', '0x01', '0x17', '0x00', '0x00'], LAN),
    privileges: runAsRoot(['ipmitool', 'raw', '0x0c', '0x02', '0x01', '0x18', '0x00', '0x00'], LAN),
  },
  parse({ channel, users, suites, privileges }) {
    const medium = lines(channel.text)
      .map((line) => /^ {0,8}Channel Medium Type {0,40}: (.{0,80})$/.exec(line)?.[1])
      .find((text) => text !== undefined)
    if (channel.exitCode !== 0 || medium === undefined)
      return unknown(
        isAbsent(channel) || /Could not open device/.test(channel.errorText)
          ? 'the kernel offers no management controller'
          : 'the management controller did not report its first channel',
      )
    const isNetwork = /LAN/.test(medium)
    const list = isNetwork ? usersIn(users) : []
    if (list === null) return unknown('the management controller did not list its users')
    const mode = /Volatile\(active\) Settings[\s\S]{0,400}?Access Mode\s*: ([a-z -]+)/.exec(channel.text)?.[1]?.trim()
    return known<BmcLan>({
      isNetwork,
      isOpen: mode !== 'disabled' && mode !== 'pre-boot only',
      users: list,
      suites: suitesOf(bytesIn(suites), bytesIn(privileges)),
    })
  },
})

function usersIn({ exitCode, text }: Answer): readonly BmcUser[] | null {
  const blocks = text.split(/^(?=User ID\s*:)/m).filter((block) => block.startsWith('User ID'))
  if (exitCode !== 0 || blocks.length === 0) return null
  const read = blocks.map(readUser)
  return read.includes(null) ? null : read.filter((user) => user !== null)
}

function readUser(block: string): BmcUser | null {
  const fields = new Map(
    lines(block).flatMap((line) => {
      const colon = line.indexOf(':')
      return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const] : []
    }),
  )
  const id = /^\d{1,2}$/.exec(fields.get('User ID') ?? '')?.[0]
  const [messaging, privilege] = [fields.get('IPMI Messaging'), fields.get('Privilege Level')]
  if (id === undefined || messaging === undefined || privilege === undefined) return null
  return {
    id: Number(id),
    name: fields.get('User Name') ?? '',
    // Older versions do not print the last field.
    enabled: messaging === 'enabled' && (fields.get('Enable Status') ?? 'enabled') !== 'disabled',
    privilege: PRIVILEGES[privilege] ?? (/^NO ACCESS/.test(privilege) ? 'none' : 'unknown'),
  }
}

const PRIVILEGES: Readonly<Record<string, BmcUser['privilege']>> = {
  CALLBACK: 'callback',
  USER: 'user',
  OPERATOR: 'operator',
  ADMINISTRATOR: 'administrator',
  OEM: 'oem',
}

/** The bytes that `ipmitool raw` printed; null where it failed or printed anything else. */
function bytesIn({ exitCode, text }: Answer): readonly number[] | null {
  const words = text.trim().split(/\s+/)
  if (exitCode !== 0 || words.length > 64 || !words.every((word) => /^[0-9a-f]{2}$/.test(word))) return null
  return words.map((word) => Number.parseInt(word, 16))
}

/** After a revision and a reserved byte each: numbers of suites, and four bits of privilege for each, the lower ones first; 0 is unused. */
function suitesOf(list: readonly number[] | null, levels: readonly number[] | null): readonly number[] | null {
  if (list === null || levels === null || list.length < 3 || levels.length < 10) return null
  const nibbles = levels.slice(2).flatMap((byte) => [byte & 15, byte >> 4])
  // Unused places after the last suite are filled with zeroes, and have no privilege; suite 0 itself may stand anywhere.
  return [...new Set(list.slice(2, 18).filter((_, index) => (nibbles[index] ?? 0) !== 0))]
}
