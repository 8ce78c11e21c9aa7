import type { Scope } from '../../schemas/types.ts'
import type { OpenPack, Ports } from '../core/all-ports.ts'
import type { KeptHead } from '../core/history.ts'
import { PATHS } from '../core/pack.ts'
import type { PackScope } from '../core/pack-files.ts'
import { parsedJson } from '../core/run-chain/entry.ts'
import { listed } from './rebuild-history.ts'

/** The declarations of a run, as its own pack states them; null where that pack is missing or was replaced. */
export async function scopeOfPack(
  world: Pick<Ports, 'packs' | 'validator'>,
  root: string,
  head: KeptHead | null,
): Promise<Scope | null> {
  const sealed = head?.sealed ?? null
  if (sealed === null) return null
  const opened = await world.packs.open(`${root}/${sealed.pack}`)
  if (!opened.ok) return null
  try {
    const scope = await sealedScope(opened.value, sealed.tagManifest)
    return scope !== null && world.validator.problems('scope', scope).length === 0 ? scope : null
  } catch {
    // It ended while it was read.
    return null
  } finally {
    await opened.value.close()
  }
}

async function sealedScope(pack: OpenPack, tagManifest: string): Promise<Scope | null> {
  if (!pack.paths.includes(PATHS.tagManifest) || (await pack.sha256(PATHS.tagManifest)) !== tagManifest) return null
  const isListed =
    (await listed(pack, PATHS.tagManifest, PATHS.manifest)) && (await listed(pack, PATHS.manifest, PATHS.scope))
  if (!isListed) return null
  const stated = parsedJson(new TextDecoder().decode(await pack.read(PATHS.scope))) as PackScope | null
  if (stated === null) return null
  const { asOf: _, ...scope } = stated
  return scope
}
