import type { Parsed, Probe } from '../../core/probe.ts'
import type { DmiIdentity } from '../machine/dmi.ts'
import type { Observation, Read, Sign, Signal } from './signal.ts'

/** A signal with what it found on this node. */
export interface Observed {
  readonly signal: Signal
  readonly found: Observation
}

const NOT_COLLECTED: Parsed<never> = { ok: false, reason: 'this was not collected' }

/** Readings by probe id, as signals requires them; a probe without a reading counts as not collected. */
export const readFrom =
  (readings: ReadonlyMap<string, Parsed<unknown>>): Read =>
  <F, C extends string>(probe: Probe<F, C>) =>
    (readings.get(probe.id) ?? NOT_COLLECTED) as Parsed<F>

export const observeAll = (signals: readonly Signal[], read: Read): readonly Observed[] =>
  signals.map((signal) => ({ signal, found: signal.observe(read) }))

/** All signs of virtualization that were seen, each with the signal it belongs to. */
export const signsOf = (observed: readonly Observed[]): readonly { readonly signal: Signal; readonly sign: Sign }[] =>
  observed.flatMap(({ signal, found }) =>
    found.indicates === 'virtual' ? found.signs.map((sign) => ({ signal, sign })) : [],
  )

/** Whether the signal with this id reads so on this node. */
export const reads = (observed: readonly Observed[], id: string, as: Observation['indicates']): boolean =>
  observed.some(({ signal, found }) => signal.id === id && found.indicates === as)

const SERVER_MAKERS =
  /^(Supermicro|Dell|HPE?\b|Hewlett|Lenovo|Inspur|Quanta|GIGABYTE|ASUS|NVIDIA|Cisco|Fujitsu|Intel|Huawei|ZTE|Wiwynn|Foxconn|IBM|H3C|xFusion|Sugon|Tyan|Penguin|Cray|Ampere)/i
// SMBIOS 3.7, table 17 (chassis types): main server, rack mount, blade, blade enclosure.
const SERVER_CHASSIS: ReadonlySet<string> = new Set(['17', '23', '28', '29'])
// Portable, laptop, notebook, hand held, docking station, sub notebook, tablet, convertible, detachable.
const PORTABLE_CHASSIS: ReadonlySet<string> = new Set(['8', '9', '10', '11', '12', '14', '30', '31', '32'])
// Desktops, towers, all in one, space saving, lunch box, embedded, mini and stick PCs: manufacturers of servers build these too.
const DESK_CHASSIS: ReadonlySet<string> = new Set(['3', '4', '5', '6', '7', '13', '15', '16', '34', '35', '36'])
const SERVER_PRODUCT =
  /PowerEdge|ProLiant|Apollo|Synergy|ThinkSystem|System x|PRIMERGY|Super ?Server|\bServer\b|^(SYS|SSG|AS)\b|^UCS|\b[DH]GX|^NF\d{4}|TaiShan/i

/**
 * Whether the firmware’s words call the machine a server: a manufacturer of servers, or a server’s case, and no laptop or desk PC unless
 * its product name is a server’s. Only text, which the party that sets the firmware chooses: used to see contradictions, never for
 * hardware.
 */
export function claimsServer({ present, sysVendor, productName, chassisType }: DmiIdentity): boolean {
  if (!present || PORTABLE_CHASSIS.has(chassisType)) return false
  if (SERVER_CHASSIS.has(chassisType)) return true
  if (!SERVER_MAKERS.test(sysVendor)) return false
  return !DESK_CHASSIS.has(chassisType) || SERVER_PRODUCT.test(productName)
}

/** Firmware houses and manufacturers that put their own name on what their machines start with. */
const FIRMWARE_HOUSE =
  /^(American Megatrends|AMI\b|INSYDE|Phoenix|Dell|HPE?\b|Hewlett|Lenovo|IBM|FUJITSU|Huawei|H3C|Inspur|xFusion|Cisco|Oracle|Sun Micro|GIGABYTE|Supermicro|Apple|Acer|ASUS|Byosoft|Nanjing)/i

/** Whether a firmware vendor’s name is that of a manufacturer who supplies firmware for hardware. Only text, as above. */
export const isFirmwareHouse = (vendor: string): boolean => FIRMWARE_HOUSE.test(vendor.trim())
