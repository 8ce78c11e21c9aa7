/** One structure of dmidecode's response. */
export interface DmiStructure {
  readonly type: number
  /** Field name → its value, trimmed; the first of a name counts. */
  readonly fields: ReadonlyMap<string, string>
  /** Lines below a field: characteristics, features. */
  readonly items: readonly string[]
}

interface Growing {
  readonly type: number
  readonly fields: Map<string, string>
  readonly items: string[]
}

/**
 * The structures that dmidecode(8) printed: a line "Handle 0x…, DMI type N, …", then fields one tab in and their items two tabs in (or
 * spaces, in texts that were pasted). One pass over the lines, whatever they hold. An empty list where there is none.
 */
export function dmiStructures(text: string): readonly DmiStructure[] {
  const structures: Growing[] = []
  let current: Growing | null = null
  for (const line of text.split('\n')) {
    const type = /^Handle 0x[0-9A-Fa-f]{1,8}, DMI type (\d{1,3}),/.exec(line)?.[1]
    if (type !== undefined) {
      current = { type: Number(type), fields: new Map(), items: [] }
      structures.push(current)
    } else if (current !== null && /^[ \t]/.test(line)) addLine(current, line)
  }
  return structures
}

function addLine({ fields, items }: Growing, line: string): void {
  const said = line.trim()
  if (/^(\t\t| {8})/.test(line)) {
    items.push(said)
    return
  }
  const colon = said.indexOf(':')
  const name = said.slice(0, colon)
  if (colon > 0 && !fields.has(name)) fields.set(name, said.slice(colon + 1).trim())
}

const PLACEHOLDER =
  /^(|-+|not (specified|provided|available)|unknown|none|no dimm|no module installed|empty|0+|0x0+|n\/a|undefined|<.*>|(to be )?filled by o\.?e\.?m\.?|default string)$/i

/** A field with something in it, or null where it is missing or holds one of the words firmware puts into empty fields. */
export function filled(structure: DmiStructure, name: string): string | null {
  const value = structure.fields.get(name) ?? ''
  return PLACEHOLDER.test(value.slice(0, 80)) ? null : value
}

/** The whole number that a field begins with, such as "2" or "4800 MT/s", or null. */
export function numberIn(structure: DmiStructure, name: string): number | null {
  const digits = /^(\d{1,9})(?: |$)/.exec(structure.fields.get(name) ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}
