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
  readonly packs: readonly { readonly sha256: string; readonly head: string }[]
}

const MOST_PACKS = 1000

type Where = Pick<EngineContext, 'world' | 'folder'>

/**
 * The head to compare a pack with: for a pack that was seen before, its own of then; for any other, the longest that was seen. An older pack
 * can so be opened again, while a shortened history is told from it.
 */
export async function headFor(context: Where, chain: string, pack: string): Promise<Outcome<ChainHead | null>> {
  const seen = await readSeen(context, chain)
  if (!seen.ok) return seen
  if (seen.value === null) return ok(null)
  const before = seen.value.packs.find(({ sha256 }) => sha256 === pack)
  return parseHead(before?.head ?? seen.value.head)
}

/** Keeps the head of a pack that answered every question without a no. */
export async function keepHead(context: Where, head: ChainHead, pack: string): Promise<Outcome<null>> {
  const seen = await readSeen(context, head.chain)
  if (!seen.ok) return seen
  const longest = seen.value === null ? null : parseHead(seen.value.head)
  const packs = (seen.value?.packs ?? []).filter(({ sha256 }) => sha256 !== pack)
  const file: SeenFile = {
    schema: 'barewitness.seen-chain/1',
    head: longest?.ok === true && longest.value.size > head.size ? headText(longest.value) : headText(head),
    packs: [...packs, { sha256: pack, head: headText(head) }].slice(-MOST_PACKS),
  }
  return await writeKept(context.world, headPath(context.folder, head.chain), file)
}

const headPath = (folder: string, chain: string): string => `${folder}/trust/heads/${chain}.json`

async function readSeen({ world, folder }: Where, chain: string): Promise<Outcome<SeenFile | null>> {
  const isOurs = (value: unknown): value is SeenFile => isSeen(value, chain)
  return await readKept(world, headPath(folder, chain), isOurs)
}

const isSeen = (value: unknown, chain: string): value is SeenFile =>
  isObject(value) &&
  value.schema === 'barewitness.seen-chain/1' &&
  isHeadOf(value.head, chain) &&
  Array.isArray(value.packs) &&
  value.packs.every((one) => haveTexts(one, ['sha256', 'head']) && isHeadOf(one.head, chain))

function isHeadOf(text: unknown, chain: string): boolean {
  const head = typeof text === 'string' ? parseHead(text) : null
  return head?.ok === true && head.value.chain === chain
}
