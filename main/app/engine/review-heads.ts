import type { Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import { type ChainHead, headText, parseHead } from '../../core/run-chain/head.ts'
import type { EngineContext } from './context.ts'
import { haveTexts, isObject, readKept, writeKept } from './kept-json.ts'

/** What this reader saw of one chain of runs: the longest history, and each pack with its place in it. */
interface SeenFile {
  readonly schema: 'barewitness.seen-chain/1'
  /** headText() of the longest history. */
  readonly head: string
  /** Whose pack showed it: fingerprint of the root, or of the key where there is none. Missing in files of earlier versions. */
  readonly by?: string
  /** The reader trusted that signer then. */
  readonly trusted?: boolean
  readonly packs: readonly { readonly sha256: string; readonly head: string }[]
}

/** Who sealed a pack. Anybody can name the chain of another in a pack of their own. */
export interface SealedBy {
  /** Fingerprint of the root, or of the key where there is none. */
  readonly by: string
  readonly trusted: boolean
}

const MOST_PACKS = 1000

type Where = Pick<EngineContext, 'world' | 'folder'>

/**
 * The head to compare a pack with: for a pack that was seen before, its own of then; for any other, the longest that was seen. An older pack
 * can so be opened again, while a shortened history is told from it. What a signer showed whom nobody trusted speaks of that signer's packs alone.
 */
export async function headFor(
  context: Where,
  chain: string,
  pack: string,
  by: string,
): Promise<Outcome<ChainHead | null>> {
  const seen = await readSeen(context, chain)
  if (!seen.ok) return seen
  if (seen.value === null) return ok(null)
  const before = seen.value.packs.find(({ sha256 }) => sha256 === pack)
  if (before === undefined && !speaksOf(seen.value, by)) return ok(null)
  return parseHead(before?.head ?? seen.value.head)
}

/** Keeps the head of a pack that answered every question without a no. Who is not trusted takes nothing from what another one showed. */
export async function keepHead(
  context: Where,
  head: ChainHead,
  pack: string,
  { by, trusted }: SealedBy,
): Promise<Outcome<null>> {
  const seen = await readSeen(context, head.chain)
  if (!seen.ok) return seen
  const { value: before } = seen
  if (!trusted && before !== null && (before.trusted === true || !speaksOf(before, by))) return ok(null)
  const longest = before !== null && speaksOf(before, by) ? parseHead(before.head) : null
  const packs = (before?.packs ?? []).filter(({ sha256 }) => sha256 !== pack)
  const file: SeenFile = {
    schema: 'barewitness.seen-chain/1',
    head: longest?.ok === true && longest.value.size > head.size ? headText(longest.value) : headText(head),
    by,
    trusted,
    packs: [...packs, { sha256: pack, head: headText(head) }].slice(-MOST_PACKS),
  }
  return await writeKept(context.world, headPath(context.folder, head.chain), file)
}

const speaksOf = (seen: SeenFile, by: string): boolean => seen.trusted === true || (seen.by ?? by) === by

const headPath = (folder: string, chain: string): string => `${folder}/trust/heads/${chain}.json`

async function readSeen({ world, folder }: Where, chain: string): Promise<Outcome<SeenFile | null>> {
  const isOurs = (value: unknown): value is SeenFile => isSeen(value, chain)
  return await readKept(world, headPath(folder, chain), isOurs)
}

const isSeen = (value: unknown, chain: string): value is SeenFile =>
  isObject(value) &&
  value.schema === 'barewitness.seen-chain/1' &&
  isHeadOf(value.head, chain) &&
  (value.by === undefined || typeof value.by === 'string') &&
  (value.trusted === undefined || typeof value.trusted === 'boolean') &&
  Array.isArray(value.packs) &&
  value.packs.every((one) => haveTexts(one, ['sha256', 'head']) && isHeadOf(one.head, chain))

function isHeadOf(text: unknown, chain: string): boolean {
  const head = typeof text === 'string' ? parseHead(text) : null
  return head?.ok === true && head.value.chain === chain
}
