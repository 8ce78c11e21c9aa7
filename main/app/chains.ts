import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { CHAIN, chainStart, chainsFolder } from '../core/layout.ts'
import { plain } from '../core/plain-text.ts'
import { ok } from '../core/result.ts'
import { hasExactly, isName, parsedJson, type RunChain } from '../core/run-chain/entry.ts'

export interface ChainBelow {
  readonly folder: string
  readonly chain: RunChain
}

/** Every run chain below a folder, by the name of its own folder. Fails as a chain does. */
export async function chainsBelow(
  ports: Pick<Ports, 'files' | 'openRunChain'>,
  root: string,
): Promise<Outcome<readonly ChainBelow[]>> {
  const folders = await chainFoldersBelow(ports, root)
  if (!folders.ok) return folders
  const chains: ChainBelow[] = []
  for (const folder of folders.value) {
    const read = await readChain(ports, folder)
    if (!read.ok) return read
    chains.push({ folder, chain: read.value })
  }
  return ok(chains)
}

/** The folders of chains below a folder. */
export async function chainFoldersBelow(
  ports: Pick<Ports, 'files'>,
  root: string,
): Promise<Outcome<readonly string[]>> {
  const below = await ports.files.below(chainsFolder(root), 2)
  if (!below.ok) return below
  const named = below.value.files.flatMap((path) => {
    const [name = '', ...rest] = path.split('/')
    return rest.join('/') === CHAIN.chain ? [name] : []
  })
  return ok(named.map((name) => `${chainsFolder(root)}/${name}`))
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
  const opened = await ports.openRunChain(folder, { id: about.id, fleet: about.fleet })
  if (!opened.ok) return opened
  const chain = opened.value.chain()
  await opened.value.close()
  return ok(chain)
}
