import type { Ports } from '../core/all-ports.ts'
import { type Outcome, ok } from '../core/failure.ts'
import { preparedPath, sealedExports, sealedPeriods } from '../core/layout.ts'
import { finishPrepared } from './continued-export.ts'
import { chainFoldersBelow } from './rebuild-history.ts'
import { readChain, withRunChain } from './run-chain.ts'

/**
 * Completes or discards the exports below a root that an earlier process did not finish: each has a separate folder,
 * which no later export reads. A pack that a chain names gets its name; other archives and half-written files are
 * removed. Waits for a chain that another process has locked. Fails as chains and the disk do, after everything else
 * was tried; the next start tries the rest again.
 */
export async function finishInterrupted(
  ports: Pick<Ports, 'files' | 'openRunChain' | 'packs'>,
  root: string,
): Promise<Outcome<null>> {
  const paths: string[] = []
  for (const place of [sealedExports(root), sealedPeriods(root)]) {
    const below = await ports.files.below(place, 2)
    if (!below.ok) return below
    paths.push(...below.value.files.map((path) => `${place}/${path}`))
  }
  const halves = paths.filter((path) => HALF.test(path)).map((path) => path.slice(0, path.lastIndexOf('/')))
  for (const folder of new Set(halves)) {
    const cleared = await ports.files.clearParts(folder)
    if (!cleared.ok) return cleared
  }
  const prepared = paths.filter((path) => path.endsWith(PREPARED))
  if (prepared.length === 0) return ok(null)
  const chains = await chainFoldersBelow(ports, root)
  if (!chains.ok) return chains
  let problem: Outcome<null> = ok(null)
  for (const folder of chains.value) {
    const settled = await settledBy(ports, folder, prepared)
    if (!settled.ok) problem = settled
  }
  return problem
}

const PREPARED = '.prepared'
/** Written by a process that may have ended: see clearParts(). */
const HALF = /\.part-\d+$/

/** Settles the archives prepared for one chain, independently of each other. Fails as the last one that fails. */
async function settledBy(
  ports: Pick<Ports, 'files' | 'openRunChain' | 'packs'>,
  folder: string,
  prepared: readonly string[],
): Promise<Outcome<null>> {
  const about = await readChain(ports, folder)
  if (!about.ok) return about
  const { id, fleet } = about.value
  const ending = preparedPath('', id)
  const own = prepared.filter((path) => path.endsWith(ending)).map((path) => path.slice(0, -ending.length))
  if (own.length === 0) return ok(null)
  return await withRunChain(ports, folder, { id, fleet }, async (chain) => {
    let problem: Outcome<null> = ok(null)
    for (const pack of own) {
      const settled = await finishPrepared(ports, pack, chain.chain())
      if (!settled.ok) problem = settled
    }
    return problem
  })
}
