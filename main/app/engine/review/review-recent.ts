import type { RecentPack } from '../../../../schemas/ipc-packs.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { fileIn } from '../../../core/base/layout.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { EngineContext } from '../context/context.ts'
import { fileName, haveTexts, isObject, readKept, writeKept } from '../context/kept-json.ts'

interface RecentFile {
  readonly schema: 'barewitness.recent-packs/1'
  readonly packs: readonly { readonly path: string; readonly openedAt: string }[]
}

const MOST = 20

type Where = Pick<EngineContext, 'ports' | 'folder'>

/** The packs that were opened last, the latest first. */
export async function recentPacks(context: Where): Promise<Outcome<readonly RecentPack[]>> {
  const kept = await keptPacks(context)
  if (!kept.ok) return kept
  const packs = kept.value.map(async ({ path, openedAt }) => ({
    handle: handleOf(path),
    file: plain(fileName(path)),
    openedAt,
    here: await context.ports.files.isThere(path),
  }))
  return ok(await Promise.all(packs))
}

/** Puts a pack at the top of the list. */
export async function keepRecent(context: Where, path: string): Promise<Outcome<null>> {
  const kept = await keptPacks(context)
  if (!kept.ok) return kept
  const others = kept.value.filter((one) => one.path !== path)
  const packs = [{ path, openedAt: context.ports.clock.now() }, ...others].slice(0, MOST)
  const file: RecentFile = { schema: 'barewitness.recent-packs/1', packs }
  return await writeKept(context.ports, fileIn(context.folder, 'recentPacks'), file)
}

/** The location of the pack of a handle. Fails with input.refused for one that is not in the list. */
export async function pathOfRecent(context: Where, handle: string): Promise<Outcome<string>> {
  const kept = await keptPacks(context)
  if (!kept.ok) return kept
  const found = kept.value.find(({ path }) => handleOf(path) === handle)
  return found === undefined
    ? fail('input.refused', 'this pack is no longer in the list of recent packs; open its file again')
    : ok(found.path)
}

export const handleOf = (path: string): string => sha256(path).slice(0, 32)

async function keptPacks({ ports, folder }: Where): Promise<Outcome<RecentFile['packs']>> {
  const file = await readKept(ports, fileIn(folder, 'recentPacks'), isRecent)
  return file.ok ? ok(file.value?.packs ?? []) : file
}

const isRecent = (value: unknown): value is RecentFile =>
  isObject(value) &&
  value.schema === 'barewitness.recent-packs/1' &&
  Array.isArray(value.packs) &&
  value.packs.every((one) => haveTexts(one, ['path', 'openedAt']))
