import type { AddressAnswer, AddressDatabase, DeclaredLocation } from '../../../schemas/types.ts'
import { parseBounded } from '../../core/base/bounded-json.ts'
import { sha256 } from '../../core/base/digest.ts'
import { RECORDING } from '../../core/base/layout.ts'
import { nodeFolder, PATHS } from '../../core/pack/pack-files.ts'
import type { RedactableClass } from './cuts/classes.ts'
import type { FullUnit } from './cuts/copy.ts'
import type { Found, Part } from './cuts/parts.ts'
import { listOf, measurementsIn } from './cuts/words.ts'

/** The owner’s redaction policy. */
export interface DisclosurePolicy {
  readonly classes: readonly RedactableClass[]
  /**
   * Nodes whose captures are redacted completely, and their names and addresses wherever they occur. Their stated results remain, without
   * sensitive parts: a copy must not hide deviations of a node. List its assessment.json in the paths to redact it as well.
   */
  readonly nodes: readonly string[]
  /** Payload files redacted completely. Their paths remain unless they contain redacted words. */
  readonly paths: readonly string[]
}

/** Redacted parts of a unit, by position. */
export interface Redacted {
  readonly path: readonly boolean[]
  readonly content: readonly boolean[]
}

const NEVER_OPEN: readonly string[] = [PATHS.report, PATHS.executive, PATHS.html, PATHS.trace, PATHS.earlier]

/** Reports, earlier runs, run trace and run chain contain plain digests of parts that may be redacted, so copies never contain them. */
export const isNeverOpen = (path: string): boolean => NEVER_OPEN.includes(path) || path.startsWith('data/log/')

/**
 * Applies a policy to every unit. Files that are not divided can contain anything and are always redacted, as are files of plain digests. Where a part of a file is redacted, the plain
 * digest of the file would allow guessing it and is redacted wherever it occurs, as is the recording digest, which covers two files. This can
 * redact parts of more files and is repeated until nothing changes.
 */
export function applyPolicy(units: readonly FullUnit[], policy: DisclosurePolicy): readonly Redacted[] {
  const isNamed = namedBy(units, policy)
  const classes: ReadonlySet<string> = new Set(policy.classes)
  const folders = new Set(policy.nodes.map((node) => `${nodeFolder(node)}/`))
  const paths = new Set(policy.paths)
  const isChosen = (part: Part): boolean =>
    part.class === 'file' || part.holds.some((found) => classes.has(found.class) || isNamed(found))
  const first = units.map((unit): Redacted => {
    const folder = /^data\/nodes\/[^/]+\//.exec(unit.path)?.[0] ?? ''
    const isOfNode = folders.has(folder)
    const isWhole =
      isNeverOpen(unit.path) || paths.has(unit.path) || (isOfNode && unit.path !== `${folder}assessment.json`)
    return {
      path: unit.pathParts.map((part) => isChosen(part) || (isOfNode && isFolder(part, folder))),
      content: unit.parts.map((part) => isWhole || isChosen(part) || (isOfNode && part.class !== 'text')),
    }
  })
  return withoutDigests(units, first)
}

const isFolder = (part: Part, folder: string): boolean => part.holds.some(({ text }) => folder.endsWith(`/${text}/`))

/** Names and addresses of redacted nodes, wherever found. */
function namedBy(units: readonly FullUnit[], { nodes }: DisclosurePolicy): (found: Found) => boolean {
  const names = new Set(nodes.map((node) => node.toLowerCase()))
  if (names.size === 0) return () => false
  const headers = new Set(nodes.map((node) => `${nodeFolder(node)}/${RECORDING.header}`))
  const kept = new Set<string>()
  for (const { path, bytes } of units) {
    if (!path.endsWith(`/${RECORDING.header}`)) continue
    try {
      const { node } = parseBounded(new TextDecoder().decode(bytes)) as { node?: { address?: unknown } }
      if (typeof node?.address === 'string') (headers.has(path) ? names : kept).add(node.address.toLowerCase())
    } catch {
      // Not a header, so it contains no address. The file of a redacted node is redacted completely in any case.
    }
  }
  const scope = units.find(({ path }) => path === PATHS.scope)
  for (const text of scope === undefined ? [] : identifiersElsewhere(scope.bytes, nodes, kept))
    names.add(text.toLowerCase())
  return ({ text }) => names.has(text.toLowerCase())
}

/**
 * Other identifiers of nodes in a scope: those of vantage measurements (a host key is sufficient to find a machine), and every
 * address queried in databases, unless it belongs to a disclosed node, because its origin is not recorded.
 */
function identifiersElsewhere(
  bytes: Uint8Array,
  nodes: readonly string[],
  kept: ReadonlySet<string>,
): readonly string[] {
  try {
    const { location } = parseBounded(new TextDecoder().decode(bytes)) as { location?: Partial<DeclaredLocation> }
    const timed = measurementsIn(location?.vantages).filter((one) => nodes.some((node) => node === one?.node))
    const answers = listOf(location?.databases).flatMap((one) => listOf((one as Partial<AddressDatabase>)?.answers))
    const asked = (answers as Partial<AddressAnswer>[]).filter(
      ({ address }) => !kept.has(String(address).toLowerCase()),
    )
    const texts = [
      ...timed.flatMap((one) => [one?.address, one?.path?.remoteAddress, one?.hostKey]),
      ...asked.flatMap(({ address, network }) => [address, network?.split('/')[0]]),
    ]
    return texts.filter((text) => typeof text === 'string')
  } catch {
    return []
  }
}

function withoutDigests(units: readonly FullUnit[], first: readonly Redacted[]): readonly Redacted[] {
  let withheld = first
  for (;;) {
    const isCut = (index: number): boolean => withheld[index]?.content.includes(true) === true
    const tainted = taintedDigests(units, isCut)
    const isSignedCut = isSignedMatterCut(units, (index, place) => withheld[index]?.content[place] === true)
    const goes = (part: Part): boolean => holdsDigest(part, tainted) || (isSignedCut && holdsSignature(part))
    const next = units.map((unit, index): Redacted => {
      const before = withheld[index] ?? { path: [], content: [] }
      return {
        path: unit.pathParts.map((part, place) => before.path[place] === true || goes(part)),
        content: unit.parts.map((part, place) => before.content[place] === true || goes(part)),
      }
    })
    if (countOf(next) === countOf(withheld)) return next
    withheld = next
  }
}

/** Digests of partially disclosed content, from which the rest could be guessed. */
export function taintedDigests(
  units: readonly FullUnit[],
  isWithheld: (index: number) => boolean,
): ReadonlySet<string> {
  const place = new Map(units.map(({ path }, index) => [path, index]))
  const tainted = new Set<string>()
  for (const [index, { path, bytes }] of units.entries()) {
    if (isWithheld(index)) tainted.add(sha256(bytes))
    if (!path.endsWith(`/${RECORDING.header}`)) continue
    const lines = place.get(`${path.slice(0, -RECORDING.header.length)}${RECORDING.captures}`)
    if (lines !== undefined && (isWithheld(index) || isWithheld(lines)))
      tainted.add(sha256(Buffer.concat([bytes, units[lines]?.bytes ?? new Uint8Array()])))
  }
  return tainted
}

export const holdsDigest = ({ holds }: Part, digests: ReadonlySet<string>): boolean =>
  holds.some(({ class: kind, text }) => kind === 'digest' && digests.has(text.slice(0, 64)))

/** Content covered by the signatures in a scope. */
const SIGNED: ReadonlySet<string> = new Set([PATHS.scope, PATHS.sites])

/** Whether any content they cover is redacted: then the signatures are redacted as well. */
export const isSignedMatterCut = (
  units: readonly FullUnit[],
  isWithheld: (unit: number, part: number) => boolean,
): boolean =>
  units.some(
    ({ path, parts }, unit) =>
      SIGNED.has(path) && parts.some((part, place) => isWithheld(unit, place) && !holdsSignature(part)),
  )

export const holdsSignature = ({ holds }: Part): boolean =>
  holds.some(({ class: kind, text }) => kind === 'digest' && !/^[0-9a-f]{64}/.test(text))

const countOf = (all: readonly Redacted[]): number =>
  all.reduce((sum, { path, content }) => sum + [...path, ...content].filter(Boolean).length, 0)
