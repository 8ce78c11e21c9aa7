import { parseBounded } from '../../core/base/bounded-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { RECORDING } from '../../core/base/layout.ts'
import { plain, plural, quote } from '../../core/base/plain-text.ts'
import { readsOf } from '../../core/conclusion/assessor.ts'
import { serialKey } from '../../core/engagement/same.ts'
import { nodeFolder, PATHS } from '../../core/pack/pack-files.ts'
import type { PackSource } from '../../core/ports/ports.ts'
import { type Catalog, catalogSnapshot } from '../../core/rules/catalog.ts'
import { bytesOf } from '../steps/read.ts'
import { partClassWords } from './cuts/classes.ts'
import {
  type DisclosedPart,
  type DisclosedUnit,
  type FullUnit,
  isOpen,
  type OpenPart,
  openForDisclosure,
  textOfParts,
  UNITS_PATH,
  unitLine,
} from './cuts/copy.ts'
import {
  bucketOf,
  type CommittedPart,
  commitment,
  INDEX_PATH,
  type Part,
  type PartPlace,
  saltFor,
} from './cuts/parts.ts'
import { declaredWords, type Word } from './cuts/words.ts'
import { countsOf, type DisclosureNotes, NOTES_PATH, notesBytes } from './notes.ts'
import { ambiguityIn, contentOf } from './rebuild.ts'
import { applyPolicy, type DisclosurePolicy, type Redacted } from './redact.ts'
import { underivable } from './underivable.ts'

interface DiscloseInput {
  readonly source: PackSource
  readonly policy: DisclosurePolicy
  readonly catalog: Catalog
  readonly who: string
  readonly why: string
  /** UTC, ISO 8601. */
  readonly when: string
}

export interface DisclosedCopy {
  /** Every file of the copy, by path inside `pack/`. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly notes: DisclosureNotes
}

/**
 * Creates a redacted copy of a sealed pack according to the policy. Its seal is that of the pack. Fails as openForDisclosure()
 * does, and with `input.refused` for a policy that is empty, names parts that are not in the pack, or
 * names parts that the rules cannot redact.
 */
export async function disclose(input: DiscloseInput): Promise<Outcome<DisclosedCopy>> {
  const { source, policy } = input
  const opened = await openForDisclosure(source)
  if (!opened.ok) return opened
  const { seed, units } = opened.value
  const refused = policyProblem(policy, units)
  if (refused !== null) return fail('input.refused', refused)
  const withheld = applyPolicy(units, policy)
  const disclosed = units.map((unit, index) => disclosedUnit(unit, withheld[index], seed))
  const unfit = disclosed.findIndex((unit) => ambiguityIn(unit) !== null)
  if (unfit !== -1)
    return fail(
      'input.refused',
      `${quote(units[unfit]?.path ?? '', 400)} ${ambiguityIn(disclosed[unfit] as DisclosedUnit)}; redact this file`,
    )
  const remaining = leftOpen(units, disclosed, input)
  if (remaining !== null)
    return fail(
      'input.refused',
      `${quote(remaining.name)} would remain in ${namedFiles(remaining.paths)}, because the rules cannot redact it everywhere; redact these files as a whole, or do not share a copy`,
    )
  const notes: DisclosureNotes = {
    schema: 'barewitness.disclosure/1',
    who: input.who,
    why: input.why,
    when: input.when,
    policy: {
      classes: policy.classes,
      nodes: policy.nodes.length,
      paths: units.flatMap(({ path }, index) => (policy.paths.includes(path) ? [shownPath(disclosed[index])] : [])),
    },
    counts: countsOf(disclosed),
    underivable: underivable(readsOf(input.catalog), contentOf(disclosed)),
  }
  const files = new Map<string, Uint8Array>([
    [UNITS_PATH, unitsBytes(disclosed)],
    [NOTES_PATH, notesBytes(notes)],
  ])
  for (const path of source.paths.filter(isCopied)) {
    const bytes = await bytesOf(source, path)
    if (bytes === null) return fail('pack.unreadable', `${quote(path, 400)} cannot be read`)
    files.set(path, bytes)
  }
  return ok({ files, notes })
}

/** The units as the copy’s own file. */
export const unitsBytes = (units: readonly DisclosedUnit[]): Uint8Array =>
  new Uint8Array(Buffer.concat(units.map((unit) => Buffer.from(unitLine(unit)))))

/** Files of the pack that every copy contains. Other files outside the payload contain digests and are omitted. */
export const isCopied = (path: string): boolean =>
  path === PATHS.tagManifest ||
  path === PATHS.bag ||
  path === PATHS.verifyScript ||
  path === INDEX_PATH ||
  path.startsWith('signature/')

/** A disclosed part, as in a copy or in a reveal. */
export const openPart = (part: Part, path: string, place: PartPlace, seed: Uint8Array): OpenPart => ({
  class: part.class,
  salt: Buffer.from(saltFor(seed, path, place)).toString('hex'),
  bytes: part.bytes,
})

function disclosedUnit(
  { path, pathParts, parts }: FullUnit,
  withheld: Redacted | undefined,
  seed: Uint8Array,
): DisclosedUnit {
  const shown = (of: PartPlace['of'], all: readonly Part[], hidden: readonly boolean[]): readonly DisclosedPart[] =>
    all.map((part, index) => {
      const place = { of, part: index + 1 }
      if (hidden[index] === false) return openPart(part, path, place, seed)
      const over = commitment(saltFor(seed, path, place), part.bytes)
      return { class: part.class, bucket: bucketOf(part.bytes.length), commitment: over }
    })
  return {
    path: shown('path', pathParts, withheld?.path ?? []),
    content: shown('content', parts, withheld?.content ?? []),
  }
}

const shownPath = (unit: DisclosedUnit | undefined): string =>
  unit === undefined ? '' : textOfParts(unit.path, gapText)

function policyProblem({ classes, nodes, paths }: DisclosurePolicy, units: readonly FullUnit[]): string | null {
  if (classes.length + nodes.length + paths.length === 0) return 'nothing to redact was named; share the pack itself'
  const there = new Set(units.map(({ path }) => path))
  const folders = new Set(units.flatMap(({ path }) => /^data\/nodes\/[^/]+/.exec(path)?.[0] ?? []))
  const path = paths.find((one) => !there.has(one))
  if (path !== undefined) return `the pack has no file ${quote(path, 400)}`
  const node = nodes.find((one) => !folders.has(nodeFolder(one)))
  return node === undefined ? null : `the pack has no node ${quote(node)}`
}

/** Account of every such system, which identifies no person. */
const EVERYBODY = 'root'

/**
 * A declared name, address, serial number, user or authorized account that the policy redacts but that still occurs in disclosed parts, with the files
 * that have it; null when none does. The rules cannot redact every name that a fleet file may contain, and such a copy would claim a redaction that is incomplete.
 */
function leftOpen(
  units: readonly FullUnit[],
  disclosed: readonly DisclosedUnit[],
  { policy, catalog }: Pick<DiscloseInput, 'policy' | 'catalog'>,
): { readonly name: string; readonly paths: readonly string[] } | null {
  const names = new Set(units.flatMap((unit) => withheldNames(unit, policy)))
  if (names.size === 0) return null
  const texts = disclosed.map(({ path, content }, at) => {
    const text = textOfParts(content, () => GAP)
    return [textOfParts(path, () => GAP), units[at]?.path === PATHS.catalog ? addedText(text, catalog) : text]
  })
  const pathsWith = (name: string): readonly string[] => {
    const forms = [name, name.toUpperCase(), JSON.stringify(name).slice(1, -1)]
    return units.flatMap(({ path }, at) =>
      texts[at]?.some((text) => forms.some((form) => standsIn(text, form))) ? [path] : [],
    )
  }
  for (const name of names) {
    const paths = pathsWith(name)
    if (paths.length > 0) return { name, paths }
  }
  return null
}

/**
 * The texts of the catalog in a pack that are not those of ours, such as titles of own frameworks. Every pack has ours, so that a node called `vm`
 * or reached at 127.0.0.1 is not named by them. A catalog that is no JSON is searched as it is.
 */
function addedText(text: string, catalog: Catalog): string {
  const ours = new Set(textsIn(catalogSnapshot(catalog)))
  try {
    return textsIn(parseBounded(text))
      .flatMap((one) => (ours.has(one) ? [] : [JSON.stringify(one)]))
      .join(GAP)
  } catch {
    return text
  }
}

/** Every text in plain data, names of members included. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)])
}

/** Files named in a reason; the next attempt names others. */
const MOST_FILES = 3

function namedFiles(paths: readonly string[]): string {
  const more = paths.length - MOST_FILES
  const named = paths.slice(0, MOST_FILES).map((path) => quote(path, 200))
  return `${named.join(', ')}${more > 0 ? ` and ${plural(more, 'other file')}` : ''}`
}

const GAP = '\n'

function withheldNames({ path, bytes }: FullUnit, { classes, nodes }: DisclosurePolicy): readonly string[] {
  const chosen: ReadonlySet<string> = new Set(classes)
  const isOfNode = nodes.some((node) => path === `${nodeFolder(node)}/${RECORDING.header}`)
  const isChosen = ({ text, class: kind }: Word): boolean =>
    chosen.has(kind) || (kind === 'node' && (isOfNode || nodes.includes(text)))
  // Pinned components are redacted by the key before them; list entries have no key, and values that identify no machine are not redacted.
  const isStated = ({ text, class: kind }: Word): boolean =>
    kind !== 'serial' || (!path.endsWith(`/${RECORDING.header}`) && serialKey(text) !== null)
  return declaredWords(path, bytes).flatMap((word) =>
    word.text !== '' && word.text !== EVERYBODY && isStated(word) && isChosen(word) ? [word.text] : [],
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

/** Placeholder of a redacted part in readable output. */
const gapText = (part: CommittedPart): string => `⟦${partClassWords[part.class]}, up to ${part.bucket} bytes, redacted⟧`

/** Readable form of a unit: its path, and its lines with placeholders, made safe to print. A binary file is shown by its size only. */
export function unitText(unit: DisclosedUnit): string {
  const content = unit.content.map((part): DisclosedUnit['content'][number] =>
    'salt' in part && part.class === 'file'
      ? {
          ...part,
          bytes: new TextEncoder().encode(`⟦${partClassWords.file}, ${part.bytes.length} bytes, not shown as text⟧`),
        }
      : part,
  )
  const lines = textOfParts(content, gapText).split('\n')
  return [plain(textOfParts(unit.path, gapText), 1000), ...lines.map((line) => plain(line, 2000))].join('\n')
}

/** The redacted parts of a unit, each with its position as used in reveals. */
export const redactedPlaces = (unit: DisclosedUnit): readonly (PartPlace & { readonly what: string })[] =>
  (['path', 'content'] as const).flatMap((of) =>
    unit[of].flatMap((part, index) => (isOpen(part) ? [] : [{ of, part: index + 1, what: gapText(part) }])),
  )
