import type { Probe } from '../../../core/recording/probe.ts'
import type { Read } from '../../../core/recording/readings.ts'
import type { DraftObservation } from '../../../core/rules/check.ts'
import { contradicts, type Step } from '../../base/steps.ts'
import type { DmiIdentity } from '../../hardware/machine/dmi.ts'

/**
 * The part of a machine that a signal comes from. Signals of one family can have one cause, so they are never counted
 * twice in full.
 */
export const FAMILIES = [
  'cpu-identity',
  'cpu-features',
  'timing',
  'firmware',
  'pci',
  'storage',
  'network',
  'gpu',
  'management',
  'session',
] as const
export type Family = (typeof FAMILIES)[number]

/**
 * Effort for a provider to make a guest show what hardware shows: S0 a setting or text; S1 rebuilt firmware or a
 * patched machine monitor; S2 a patched hypervisor kernel with coherent emulation of devices; S3 the physical
 * component, or a private key.
 */
export type SpoofingEffort = 'S0' | 'S1' | 'S2' | 'S3'

/**
 * How strongly a sign indicates virtualization. names: a hypervisor names itself, or something that only a hypervisor
 * provides is present (rule R1). impossible: cannot occur on the hardware that the machine states it is (an anomaly
 * of class “impossible”). odd: occurs on hardware too and needs an explanation (class “unexplained”). hint: is
 * consistent with a guest and decides nothing.
 */
export type Weight = 'names' | 'impossible' | 'odd' | 'hint'

export interface Sign {
  readonly weight: Weight
  /** One of the names in platform-name.ts, or null where it names none. */
  readonly platform: string | null
  readonly step: DraftObservation
}

/** What a signal found on one node. Unreadable never counts as absent: only a complete answer can be `bare-metal`. */
export type Observation =
  | { readonly indicates: 'unreadable'; readonly reason: string; readonly probe: Probe<unknown> }
  | { readonly indicates: 'not-applicable'; readonly reason: string }
  | {
      /**
       * virtual: the signal is present; bare-metal: it was searched for, and the answer is that of hardware; neutral:
       * neither.
       */
      readonly indicates: 'virtual' | 'bare-metal' | 'neutral'
      /** The reading in a few words; text of the node only through `plain` or `quote`. */
      readonly value: string
      /** For `virtual` at least one. */
      readonly signs: readonly Sign[]
      /** The observation for hardware, or what remains open; empty where neither needs a sentence. */
      readonly steps: readonly DraftObservation[]
    }

/**
 * One thing that distinguishes hardware from a guest: what it looks at, how it looks on either, what it costs to fake, where it misleads
 * and who states this. Only `observe` is code. The weight of a signal is not here: it comes from the counts of measured machines
 * (counts.ts).
 */
export interface Signal {
  readonly id: string
  readonly family: Family
  readonly title: string
  /** What hardware shows and what guests show, each in a few words. */
  readonly onMetal: string
  readonly onGuest: string
  readonly spoofingEffort: SpoofingEffort
  /** Where it indicates "virtual" for hardware, or is no evidence of a guest. */
  readonly pitfalls: readonly string[]
  /** Standard and clause, kernel file, vendor manual, or "measured" with what. */
  readonly source: string
  readonly probes: readonly Probe<unknown>[]
  readonly observe: (read: Read) => Observation
}

export const sign = (weight: Weight, platform: string | null, step: DraftObservation): Sign => ({
  weight,
  platform,
  step,
})

/** A sign against hardware that names no platform, by what it states: happens on hardware too, and needs an explanation. */
export const oddSign = (...step: Parameters<Step>): Sign => sign('odd', null, contradicts(...step))
/** As oddSign(), of what fits a guest and decides nothing. */
export const hintSign = (...step: Parameters<Step>): Sign => sign('hint', null, contradicts(...step))

export const unreadable = (probe: Probe<unknown>, reason: string): Observation => ({
  indicates: 'unreadable',
  reason,
  probe,
})
export const notApplicable = (reason: string): Observation => ({ indicates: 'not-applicable', reason })
export const virtual = (value: string, ...signs: readonly Sign[]): Observation => ({
  indicates: 'virtual',
  value,
  signs,
  steps: [],
})
export const metal = (value: string, ...steps: readonly DraftObservation[]): Observation => ({
  indicates: 'bare-metal',
  value,
  signs: [],
  steps,
})
export const neutral = (value: string, ...steps: readonly DraftObservation[]): Observation => ({
  indicates: 'neutral',
  value,
  signs: [],
  steps,
})

/** A signal with what it found on this node. */
export interface Observed {
  readonly signal: Signal
  readonly found: Observation
}

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
