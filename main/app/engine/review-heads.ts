import type { CheckpointView } from '../../../schemas/ipc-packs.ts'
import type { Outcome } from '../../core/failure.ts'
import { seenHeadPath } from '../../core/layout.ts'
import { ok } from '../../core/result.ts'
import { type ChainHead, headText, parseHead } from '../../core/run-chain/head.ts'
import type { EngineContext } from './context.ts'
import { haveTexts, isObject, readKept, writeKept } from './kept-json.ts'

/** What this reader saw of one run chain: the longest history, and each pack with its position in it. */
interface SeenFile {
  readonly schema: 'barewitness.seen-chain/1'
  /** headText() of the longest history. */
  readonly head: string
  /**
   * The signer whose pack showed it: fingerprint of the root, or of the key where there is none. Absent in files of
   * earlier versions.
   */
  readonly by?: string
  /** The reader trusted that signer at the time. */
  readonly trusted?: boolean
  readonly packs: readonly { readonly sha256: string; readonly head: string }[]
}

/** The signer of a pack. Anyone can name another owner's chain in a pack of their own. */
export interface SealedBy {
  /** Fingerprint of the root, or of the key where there is none. */
  readonly by: string
  readonly trusted: boolean
}

const MOST_PACKS = 1000

type Where = Pick<EngineContext, 'ports' | 'folder'>

/**
 * The checkpoint to compare a pack with: for a pack seen before, the checkpoint of that time; for any other, the
 * longest one seen. So an older pack can be opened again, and a truncated history is still detected. A checkpoint from
 * an untrusted signer applies to that signer's packs only.
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

/** The checkpoint that is kept of a run chain for packs of a signer; null where there is none. */
export async function keptHead(
  context: Where,
  chain: string,
  by: string,
): Promise<Outcome<Omit<CheckpointView, 'comparedWith'> | null>> {
  const seen = await readSeen(context, chain)
  if (!seen.ok) return seen
  if (seen.value === null || !speaksOf(seen.value, by)) return ok(null)
  const head = parseHead(seen.value.head)
  if (!head.ok) return head
  const { size, lastRun, seenAt } = head.value
  return ok({ entries: size, lastRun, keptAt: seenAt, confirmed: seen.value.trusted === true })
}

/**
 * Stores the checkpoint of a pack for which no check failed. An untrusted signer cannot replace a checkpoint from
 * another one.
 */
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
  return await writeKept(context.ports, seenHeadPath(context.folder, head.chain), file)
}

const speaksOf = (seen: SeenFile, by: string): boolean => seen.trusted === true || (seen.by ?? by) === by

async function readSeen({ ports, folder }: Where, chain: string): Promise<Outcome<SeenFile | null>> {
  const isOurs = (value: unknown): value is SeenFile => isSeen(value, chain)
  return await readKept(ports, seenHeadPath(folder, chain), isOurs)
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
