import type { IntegrationsConfig } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { type Failure, fail, type Outcome, ok } from '../../core/failure.ts'
import { OUTBOX, PACK_EXTENSION, sealedExports } from '../../core/layout.ts'
import { hasExactly, parsedJson } from '../../core/run-chain/entry.ts'
import { type SendDeps, type SendReport, sendPack } from './send.ts'

/** What became of sending the packs of a data folder. */
export interface SentPacks {
  /** The last sending that reached the outbox; null where none did. */
  readonly report: SendReport | null
  /** Why a pack, or all of them, could not be sent as a whole; the next time tries again. */
  readonly failures: readonly Failure[]
}

/**
 * Sends the packs below a data folder that were sealed since its outbox was first used and are not in it yet, one after the other, then what waits. A pack is
 * noted next to the outbox after it was planned: where a process is killed between both, planning it again changes nothing.
 */
export async function sendSealed(
  deps: SendDeps,
  { folder, file }: { readonly folder: string; readonly file: string },
): Promise<SentPacks> {
  const config = await deps.ports.integrations.read(file)
  if (!config.ok) return { report: null, failures: [config.error] }
  const unsent = await unsentPacks(deps.ports, folder, config.value)
  if (!unsent.ok) return { report: null, failures: [unsent.error] }
  const failures: Failure[] = []
  let report: SendReport | null = null
  const send = async (pack: string | null): Promise<void> => {
    const to = {
      config: config.value,
      pack: pack === null ? null : `${folder}/${pack}`,
      allowsDemo: false,
      again: false,
    }
    const sent = await sendPack(deps, to)
    const unwritten = sent.ok ? sent.value.files.flatMap(({ written }) => (written.ok ? [] : [written.error])) : []
    if (sent.ok) report = sent.value
    const noted =
      pack === null || !sent.ok || unwritten.length > 0 ? ok(null) : await noteLine(deps.ports, config.value, { pack })
    failures.push(...unwritten, ...[sent, noted].flatMap((one) => (one.ok ? [] : [one.error])))
  }
  for (const pack of unsent.value) await send(pack)
  // What waits was sent with a pack, unless each was refused.
  if (report === null) await send(null)
  return { report, failures }
}

const LARGEST = 64 * 1024 * 1024
const FIRST_LINE = { schema: 'barewitness.sent-packs/1' }

const notesOf = ({ outbox }: Pick<IntegrationsConfig, 'outbox'>): string => `${outbox}/${OUTBOX.packs}`

const noteLine = (
  { files }: Pick<Ports, 'files'>,
  config: Pick<IntegrationsConfig, 'outbox'>,
  line: { readonly pack: string },
): Promise<Outcome<null>> => files.append(notesOf(config), canonicalJson(line))

/** Paths from the data folder. Packs that are there when an outbox is first used are noted and not sent. */
async function unsentPacks(
  ports: Pick<Ports, 'files'>,
  folder: string,
  config: Pick<IntegrationsConfig, 'outbox'>,
): Promise<Outcome<readonly string[]>> {
  const { files } = ports
  const exports = sealedExports(folder)
  // A redacted copy lies one folder deeper.
  const below = await files.below(exports, 2)
  if (!below.ok) return below
  const packs = below.value.files
    .filter((path) => path.endsWith(PACK_EXTENSION))
    .map((path) => `${exports.slice(folder.length + 1)}/${path}`)
  if (!(await files.isThere(notesOf(config)))) {
    // All of them or none: one that a kill left out would be sent.
    const lines = [FIRST_LINE, ...packs.map((pack) => ({ pack }))]
    const noted = await files.write(notesOf(config), lines.map((line) => `${canonicalJson(line)}\n`).join(''))
    return noted.ok ? ok([]) : noted
  }
  const noted = await notedPacks(ports, config)
  return noted.ok ? ok(packs.filter((pack) => !noted.value.has(pack))) : noted
}

/** Fails with store.failed for a line that is no note. */
async function notedPacks(
  { files }: Pick<Ports, 'files'>,
  config: Pick<IntegrationsConfig, 'outbox'>,
): Promise<Outcome<ReadonlySet<string>>> {
  const read = await files.read(notesOf(config), LARGEST)
  if (!read.ok) return read
  const packs = new Set<string>()
  for (const [index, line] of new TextDecoder().decode(read.value).split('\n').slice(0, -1).entries()) {
    const value = parsedJson(line)
    if (hasExactly(value, ['pack']) && typeof value.pack === 'string') packs.add(value.pack)
    else if (index > 0 || !hasExactly(value, ['schema']) || value.schema !== FIRST_LINE.schema)
      return fail('store.failed', `${notesOf(config)}: line ${index + 1} is not a note of a pack`)
  }
  return ok(packs)
}
