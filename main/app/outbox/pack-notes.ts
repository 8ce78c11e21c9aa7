import { FAILURE_CODES } from '../../../schemas/failure-words.ts'
import type { IntegrationsConfig } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { OUTBOX, PACK_EXTENSION, sealedExports } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import { hasExactly, parsedJson } from '../../core/run-chain/entry.ts'

/** Why a pack could not be sent as a whole, since when. */
interface PackRefusal extends Failure {
  readonly at: string
}

/** Packs of a data folder as noted next to their outbox, by their paths from the folder. Null: planned, or there before the outbox was first used. */
export type PackNotes = ReadonlyMap<string, PackRefusal | null>

type NotePorts = Pick<Ports, 'files'>
type Outbox = Pick<IntegrationsConfig, 'outbox'>

const LARGEST = 64 * 1024 * 1024
const LONGEST_DETAIL = 1000
const FIRST_LINE = { schema: 'barewitness.sent-packs/1' }

const notesOf = ({ outbox }: Outbox): string => `${outbox}/${OUTBOX.packs}`

/** Notes that a pack is in the outbox. Fails with store.failed. */
export const notePlanned = ({ files }: NotePorts, config: Outbox, pack: string): Promise<Outcome<null>> =>
  files.append(notesOf(config), canonicalJson({ pack }))

/** Notes why a pack was refused, unless the last note of it has this reason. Fails with store.failed. */
export async function noteRefused(
  { files, clock }: NotePorts & Pick<Ports, 'clock'>,
  config: Outbox,
  { pack, failure, notes }: { readonly pack: string; readonly failure: Failure; readonly notes: PackNotes },
): Promise<Outcome<null>> {
  const { code } = failure
  const detail = plain(failure.detail, LONGEST_DETAIL)
  const last = notes.get(pack)
  if (last?.code === code && last.detail === detail) return ok(null)
  return await files.append(notesOf(config), canonicalJson({ pack, refused: { at: clock.now(), code, detail } }))
}

/** Packs below a data folder, oldest path first. */
export async function packsBelow({ files }: NotePorts, folder: string): Promise<Outcome<readonly string[]>> {
  const exports = sealedExports(folder)
  // A redacted copy is in a folder below that of its pack.
  const below = await files.below(exports, 2)
  return below.ok
    ? ok(
        below.value.files
          .filter((path) => path.endsWith(PACK_EXTENSION))
          .map((path) => `${exports.slice(folder.length + 1)}/${path}`),
      )
    : below
}

/** The notes of an outbox; null where it was not used yet. Fails with store.failed for a line that is not a note. */
export async function readNotes({ files }: NotePorts, config: Outbox): Promise<Outcome<PackNotes | null>> {
  if (!(await files.isThere(notesOf(config)))) return ok(null)
  const read = await files.read(notesOf(config), LARGEST)
  if (!read.ok) return read
  const packs = new Map<string, PackRefusal | null>()
  for (const [index, line] of new TextDecoder().decode(read.value).split('\n').slice(0, -1).entries()) {
    const value = parsedJson(line)
    const note = noteIn(value)
    if (note !== null) packs.set(note.pack, note.refusal)
    else if (index > 0 || !hasExactly(value, ['schema']) || value.schema !== FIRST_LINE.schema)
      return fail('store.failed', `${notesOf(config)}: line ${index + 1} is not a note of a pack`)
  }
  return ok(packs)
}

function noteIn(value: unknown): { readonly pack: string; readonly refusal: PackRefusal | null } | null {
  if (hasExactly(value, ['pack']) && typeof value.pack === 'string') return { pack: value.pack, refusal: null }
  if (!hasExactly(value, ['pack', 'refused']) || typeof value.pack !== 'string') return null
  const { pack, refused } = value
  if (!hasExactly(refused, ['at', 'code', 'detail'])) return null
  const { at, detail } = refused
  const code = FAILURE_CODES.find((one) => one === refused.code)
  return typeof at === 'string' && code !== undefined && typeof detail === 'string'
    ? { pack, refusal: { at, code, detail } }
    : null
}

/**
 * The notes of an outbox. Where it was not used yet, they begin with the existing packs, which are not sent. Fails as
 * readNotes() does.
 */
export async function openNotes(
  ports: NotePorts,
  config: Outbox,
  packs: readonly string[],
): Promise<Outcome<PackNotes>> {
  const read = await readNotes(ports, config)
  if (!read.ok) return read
  if (read.value !== null) return ok(read.value)
  // All of them or none: a pack that a kill left out would be sent.
  const lines = [FIRST_LINE, ...packs.map((pack) => ({ pack }))]
  const noted = await ports.files.write(notesOf(config), lines.map((line) => `${canonicalJson(line)}\n`).join(''))
  return noted.ok ? ok(new Map(packs.map((pack) => [pack, null]))) : noted
}
