import type { Ports } from '../../core/all-ports.ts'
import { hexOf } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { CHAIN, chainFolderOf, chainStart } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import { hasExactly, isName, type OpenRunChain, parsedJson, type RunChain } from '../../core/run-chain/entry.ts'

type ChainBeginning = Parameters<Ports['openRunChain']>[1]

/** The beginning of a chain that may not exist yet. */
export const newChain = ({ entropy }: Pick<Ports, 'entropy'>, fleet: string): ChainBeginning => ({
  id: hexOf(entropy.bytes(32)),
  fleet,
})

/**
 * Does work on the chain in a folder. It is locked until the end, and created where there is none. Fails as both do.
 */
export async function withRunChain<T>(
  { openRunChain }: Pick<Ports, 'openRunChain'>,
  folder: string,
  beginning: ChainBeginning,
  work: (chain: OpenRunChain) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const opened = await openRunChain(folder, beginning)
  if (!opened.ok) return opened
  try {
    return await work(opened.value)
  } finally {
    await opened.value.close()
  }
}

/** The current state of a chain. Fails with chain.broken where there is none; otherwise as opening it does. */
export async function readChain(
  ports: Pick<Ports, 'files' | 'openRunChain'>,
  folder: string,
): Promise<Outcome<RunChain>> {
  const bytes = await ports.files.read(chainStart(folder), 64 * 1024)
  const about = bytes.ok ? parsedJson(new TextDecoder().decode(bytes.value)) : null
  if (!hasExactly(about, ['schema', 'id', 'fleet']) || !isName(about.fleet) || typeof about.id !== 'string')
    return fail('chain.broken', plain(`${folder}: ${CHAIN.chain} is missing or is not the start of a run chain`, 600))
  return await withRunChain(ports, folder, { id: about.id, fleet: about.fleet }, async (open) => ok(open.chain()))
}

/** The current state of the chain of a fleet below a root; null where nothing was entered yet. Fails as readChain() does. */
export async function chainOfFleet(
  ports: Pick<Ports, 'files' | 'openRunChain'>,
  root: string,
  fleet: string,
): Promise<Outcome<RunChain | null>> {
  const folder = chainFolderOf(root, fleet)
  return (await ports.files.isThere(chainStart(folder))) ? await readChain(ports, folder) : ok(null)
}
