import { quote } from '../../../core/plain-text.ts'
import { type DmiTable, dmiEntries, dmiTable } from '../../machine/dmi.ts'
import { contradicts, count, supports } from '../../steps.ts'
import {
  metal,
  neutral,
  notApplicable,
  type Observation,
  type Read,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'

export const NO_SMBIOS = 'This machine’s firmware has no SMBIOS table.'

/** A signal that needs the whole table, read as root. */
export function withTable(observe: (table: DmiTable) => Observation): (read: Read) => Observation {
  return (read) => {
    const table = read(dmiTable)
    if (!table.ok) return unreadable(dmiTable, table.reason)
    return table.fact.present ? observe(table.fact) : notApplicable(NO_SMBIOS)
  }
}

const rich: Signal = {
  id: 'dmi.rich',
  family: 'firmware',
  title: 'What the firmware describes of the board',
  onMetal: 'Caches, slots, connectors and built-in devices, and often manufacturer-specific structures.',
  onGuest: 'Next to none of them; VMware lists hundreds that are empty.',
  spoofingEffort: 'S0',
  pitfalls: [
    'A plain number of structures misleads: guests of VMware have over 200.',
    'A copied table of another server describes a whole board.',
    'Some manufacturers omit connectors, slots or built-in devices; none of 113 measured boards omitted all of these and the caches.',
  ],
  source:
    'DMTF DSP0134 §6.2 (required structures) and types 7 to 10, 17, 38, 41; measured on 113 boards and 21 guests.',
  probes: [dmiTable, dmiEntries],
  observe(read) {
    const table = read(dmiTable)
    if (table.ok) return table.fact.present ? described(fromTable(table.fact)) : notApplicable(NO_SMBIOS)
    const entries = read(dmiEntries)
    return entries.ok && entries.fact.counts !== null && entries.fact.counts.size > 0
      ? described(fromCounts(entries.fact.counts))
      : unreadable(dmiTable, table.reason)
  },
}

interface Described {
  readonly kinds: readonly string[]
  /** Things that only real boards were seen to describe: modules with data, a management interface, the manufacturer's own structures. */
  readonly ownData: boolean
  readonly probe: typeof dmiTable | typeof dmiEntries
}

const kindsOf = (kinds: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(kinds).flatMap(([kind, there]) => (there ? [kind] : []))

const fromTable = ({ caches, slots, counts, modules }: DmiTable): Described => ({
  kinds: kindsOf({
    caches: caches > 0,
    slots: slots.some(({ kind, address }) => /PCI|M\.2|OCP|Mezzanine|riser/i.test(kind) || address !== null),
    connectors: counts.has(8),
    'built-in devices': counts.has(10) || counts.has(41),
  }),
  ownData: counts.has(38) || modules.some(({ partNumber, speed }) => partNumber !== null || speed !== null),
  probe: dmiTable,
})

const fromCounts = (counts: ReadonlyMap<number, number>): Described => ({
  kinds: kindsOf({
    caches: counts.has(7),
    slots: counts.has(9),
    connectors: counts.has(8),
    'built-in devices': counts.has(10) || counts.has(41),
  }),
  ownData: counts.has(38) || [...counts.keys()].some((type) => type >= 128),
  probe: dmiEntries,
})

function described({ kinds, ownData, probe }: Described): Observation {
  if (kinds.length === 0)
    return virtual(
      'neither caches, slots, connectors nor built-in devices',
      sign(
        'odd',
        null,
        contradicts(
          'The firmware describes neither a processor cache nor a slot, connector or built-in device; real boards describe at least one of them.',
          probe,
        ),
      ),
    )
  const value = kinds.join(', ')
  return kinds.length >= 2 && ownData
    ? metal(value, supports(`The firmware describes a whole board: ${value}.`, probe))
    : neutral(value)
}

const modules: Signal = {
  id: 'dmi.dimm',
  family: 'firmware',
  title: 'Memory modules in the firmware’s table',
  onMetal: 'Each with its manufacturer, part number, speed and rank.',
  onGuest: 'One or a few without any of these.',
  spoofingEffort: 'S0',
  pitfalls: [
    'One server in eight gives no part number, and boards before 2008 often no speed.',
    'A copied table names real modules.',
  ],
  source: 'DMTF DSP0134 type 17; measured on 2,048 servers and 35 guests.',
  probes: [dmiTable],
  observe: withTable(({ modules: all }) => {
    if (all.length === 0) return neutral('no module')
    const told = all.filter(({ partNumber, speed, rank }) => partNumber !== null || speed !== null || rank !== null)
    const value = `${count(all.length, 'module')}, ${told.length} with part number, speed or rank`
    if (told.length === 0)
      return virtual(
        value,
        sign(
          'hint',
          null,
          contradicts(
            `Of ${count(all.length, 'memory module')} that the firmware lists, none has a part number, a speed or a rank.`,
            dmiTable,
          ),
        ),
      )
    const serials = all.flatMap(({ serial }) => serial ?? [])
    const isCopied = serials.length >= 4 && serials.length === all.length && new Set(serials).size === 1
    if (isCopied)
      return virtual(
        value,
        sign(
          'hint',
          null,
          contradicts(
            `All ${serials.length} memory modules have the same serial number, ${quote(serials[0] ?? '', 40)}.`,
            dmiTable,
          ),
        ),
      )
    const whole = all.some(({ partNumber, speed, rank }) => partNumber !== null && (speed !== null || rank !== null))
    return whole ? metal(value) : neutral(value)
  }),
}

/** Signals in how much SMBIOS describes. */
export const smbiosExtentSignals: readonly Signal[] = [rich, modules]
