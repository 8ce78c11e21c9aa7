import type { AddressAnswer, AddressDatabase, DeclaredLocation } from '../../../schemas/types.ts'
import { parseBounded } from '../bounded-json.ts'
import { sha256 } from '../digest.ts'
import { nodeFolder, PATHS } from '../pack-files.ts'
import type { WithholdableClass } from './classes.ts'
import type { FullUnit } from './open-pack.ts'
import type { Found, Part } from './parts.ts'
import { listOf, measurementsIn } from './words.ts'

/** What an owner withholds. */
export interface DisclosurePolicy {
  readonly classes: readonly WithholdableClass[]
  /**
   * Nodes whose answers are withheld whole, and their names and addresses wherever they stand. What the pack states of them stays, without
   * anything sensitive in it: a copy must not hide that a node did badly. Name its assessment.json among the paths to withhold that too.
   */
  readonly nodes: readonly string[]
  /** Payload files withheld whole. Their paths stay, unless something in them is withheld. */
  readonly paths: readonly string[]
}

/** Which parts of a unit are withheld, by place. */
export interface Withheld {
  readonly path: readonly boolean[]
  readonly content: readonly boolean[]
}

const NEVER_OPEN: readonly string[] = [PATHS.report, PATHS.executive, PATHS.trace, PATHS.earlier]

/** The report, its page, what earlier runs found, the trace and the chain of runs: all are full of plain digests of what may be withheld. Every copy is without them. */
export const isNeverOpen = (path: string): boolean => NEVER_OPEN.includes(path) || path.startsWith('data/log/')

/**
 * Applies a policy to every unit. Files that are not cut may hold anything, so they always go, and so do those of plain digests. Where any of a file is withheld, the plain
 * digest of the file would let others guess it, and goes wherever it stands; so does a recording's digest, which is over two files. That can
 * withhold parts of more files, and is repeated until nothing changes.
 */
export function applyPolicy(units: readonly FullUnit[], policy: DisclosurePolicy): readonly Withheld[] {
  const isNamed = namedBy(units, policy)
  const classes: ReadonlySet<string> = new Set(policy.classes)
  const folders = new Set(policy.nodes.map((node) => `${nodeFolder(node)}/`))
  const paths = new Set(policy.paths)
  const isChosen = (part: Part): boolean =>
    part.class === 'file' || part.holds.some((found) => classes.has(found.class) || isNamed(found))
  const first = units.map((unit): Withheld => {
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

/** The names and addresses of withheld nodes, as found anywhere. */
function namedBy(units: readonly FullUnit[], { nodes }: DisclosurePolicy): (found: Found) => boolean {
  const names = new Set(nodes.map((node) => node.toLowerCase()))
  if (names.size === 0) return () => false
  const headers = new Set(nodes.map((node) => `${nodeFolder(node)}/recording.json`))
  const kept = new Set<string>()
  for (const { path, bytes } of units) {
    if (!path.endsWith('/recording.json')) continue
    try {
      const { node } = parseBounded(new TextDecoder().decode(bytes)) as { node?: { address?: unknown } }
      if (typeof node?.address === 'string') (headers.has(path) ? names : kept).add(node.address.toLowerCase())
    } catch {
      // Not a header: then it gives no address, and that of a withheld node is withheld whole in any case.
    }
  }
  const scope = units.find(({ path }) => path === PATHS.scope)
  for (const text of scope === undefined ? [] : toldElsewhere(scope.bytes, nodes, kept)) names.add(text.toLowerCase())
  return ({ text }) => names.has(text.toLowerCase())
}

/**
 * By what else nodes are known in a scope: as they were timed from elsewhere (a host key is enough to find a machine by), and every
 * address that databases were asked about, unless it is that of a node that stays, since nothing says whose answers told of it.
 */
function toldElsewhere(bytes: Uint8Array, nodes: readonly string[], kept: ReadonlySet<string>): readonly string[] {
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

function withoutDigests(units: readonly FullUnit[], first: readonly Withheld[]): readonly Withheld[] {
  let withheld = first
  for (;;) {
    const isCut = (index: number): boolean => withheld[index]?.content.includes(true) === true
    const tainted = taintedDigests(units, isCut)
    const isSignedCut = isSignedMatterCut(units, (index, place) => withheld[index]?.content[place] === true)
    const goes = (part: Part): boolean => holdsDigest(part, tainted) || (isSignedCut && holdsSignature(part))
    const next = units.map((unit, index): Withheld => {
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

/** Digests of what is not wholly disclosed: from them the rest could be guessed. */
export function taintedDigests(
  units: readonly FullUnit[],
  isWithheld: (index: number) => boolean,
): ReadonlySet<string> {
  const place = new Map(units.map(({ path }, index) => [path, index]))
  const tainted = new Set<string>()
  for (const [index, { path, bytes }] of units.entries()) {
    if (isWithheld(index)) tainted.add(sha256(bytes))
    if (!path.endsWith('/recording.json')) continue
    const lines = place.get(path.replace(/recording\.json$/, 'captures.jsonl'))
    if (lines !== undefined && (isWithheld(index) || isWithheld(lines)))
      tainted.add(sha256(Buffer.concat([bytes, units[lines]?.bytes ?? new Uint8Array()])))
  }
  return tainted
}

export const holdsDigest = ({ holds }: Part, digests: ReadonlySet<string>): boolean =>
  holds.some(({ class: kind, text }) => kind === 'digest' && digests.has(text.slice(0, 64)))

/** What the signatures in a scope are over. */
const SIGNED: ReadonlySet<string> = new Set([PATHS.scope, PATHS.sites])

/** Whether anything that they are over is withheld: then they go as well, wherever they stand. */
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

const countOf = (all: readonly Withheld[]): number =>
  all.reduce((sum, { path, content }) => sum + [...path, ...content].filter(Boolean).length, 0)
