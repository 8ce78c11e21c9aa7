import { serialKey } from '../../core/engagement/same.ts'
import { RECORDING } from '../../core/layout.ts'
import { nodeFolder } from '../../core/pack-files.ts'
import { type DisclosedUnit, textOfParts } from './copy.ts'
import type { FullUnit } from './open-pack.ts'
import type { DisclosurePolicy } from './withhold.ts'
import { declaredWords, type Word } from './words.ts'

/** Accounts of every such system, which identify no person. */
const EVERYBODY = 'root'

/**
 * A declared name, address, serial number, user or authorized account that the policy redacts but that still occurs in disclosed parts; null when none
 * does. The rules cannot redact every name that a fleet file may contain, and such a copy would claim a redaction that is incomplete.
 */
export function leftOpen(
  units: readonly FullUnit[],
  disclosed: readonly DisclosedUnit[],
  policy: DisclosurePolicy,
): string | null {
  const names = new Set(units.flatMap((unit) => withheldNames(unit, policy)))
  const texts = disclosed.flatMap(({ path, content }) => [path, content].map((parts) => textOfParts(parts, () => GAP)))
  const stands = (name: string): boolean =>
    [name, name.toUpperCase(), JSON.stringify(name).slice(1, -1)].some((form) =>
      texts.some((text) => standsIn(text, form)),
    )
  return [...names].find(stands) ?? null
}

const GAP = '\n'

function withheldNames({ path, bytes }: FullUnit, { classes, nodes }: DisclosurePolicy): readonly string[] {
  const chosen: ReadonlySet<string> = new Set(classes)
  const isOfNode = nodes.some((node) => path === `${nodeFolder(node)}/${RECORDING.header}`)
  const isChosen = ({ text, class: kind }: Word): boolean =>
    chosen.has(kind) || (kind === 'node' && (isOfNode || nodes.includes(text)))
  // Pinned components are redacted by the key before them; list entries have no key, and values that identify no machine are not redacted.
  const isTold = ({ text, class: kind }: Word): boolean =>
    kind !== 'serial' || (!path.endsWith(`/${RECORDING.header}`) && serialKey(text) !== null)
  return declaredWords(path, bytes).flatMap((word) =>
    word.text !== '' && word.text !== EVERYBODY && isTold(word) && isChosen(word) ? [word.text] : [],
  )
}

/** Whether a name occurs in a text as a whole word: node-1 does not match node-10. */
function standsIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.slice(Math.max(at - 2, 0), at)
    const isBegun = !ALNUM.test(name.charAt(0)) || !ALNUM.test(before.slice(-1)) || /\\[bfnrt]$/.test(before)
    const isEnded = !ALNUM.test(name.slice(-1)) || !ALNUM.test(text.charAt(at + name.length))
    if (isBegun && isEnded) return true
  }
  return false
}

const ALNUM = /^[A-Za-z0-9]$/
