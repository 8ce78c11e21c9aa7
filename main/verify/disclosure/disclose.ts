import type { Catalog } from '../../core/catalog.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { readsOf } from '../../core/judge.ts'
import { nodeFolder, PATHS } from '../../core/pack-files.ts'
import { quote } from '../../core/plain-text.ts'
import type { PackSource } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { bytesOf } from '../steps/read.ts'
import { bucketOf, commitment, INDEX_PATH, type PartPlace, saltFor } from './commit.ts'
import { type DisclosedPart, type DisclosedUnit, type OpenPart, textOfParts, UNITS_PATH, unitLine } from './copy.ts'
import { leftOpen } from './left-open.ts'
import { countsOf, type DisclosureNotes, NOTES_PATH, notesBytes } from './notes.ts'
import { type FullUnit, openForDisclosure } from './open-pack.ts'
import type { Part } from './parts.ts'
import { contentOf } from './rebuild.ts'
import { gapText } from './render.ts'
import { underivable } from './underivable.ts'
import { applyPolicy, type DisclosurePolicy, type Withheld } from './withhold.ts'

export interface DiscloseInput {
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
  const standing = leftOpen(units, disclosed, policy)
  if (standing !== null)
    return fail(
      'input.refused',
      `${quote(standing)} would remain in disclosed parts, because the rules cannot redact it everywhere; redact the files that contain it, or do not share a copy`,
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
  withheld: Withheld | undefined,
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
