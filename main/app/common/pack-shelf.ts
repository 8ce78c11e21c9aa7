import type { OpenPack, Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import type { PackContent } from '../../core/pack/pack-files.ts'

/** Does work on an open pack and closes it. Fails as both do. */
export async function withPack<T>(
  { packs }: Pick<Ports, 'packs'>,
  path: string,
  work: (pack: OpenPack) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const opened = await packs.open(path)
  if (!opened.ok) return opened
  try {
    return await work(opened.value)
  } finally {
    await opened.value.close()
  }
}

/** Packs that are opened repeatedly, few of them at a time: a long period has more packs than can be open at once. */
export interface PackShelf {
  readonly open: (path: string) => Promise<Outcome<OpenPack>>
  /** A file of an open pack; reopens the pack where it was closed since. */
  readonly content: (path: string, pack: OpenPack, file: string) => PackContent
  readonly close: () => Promise<void>
}

const MOST_OPEN = 3

export function packShelf({ packs }: Pick<Ports, 'packs'>): PackShelf {
  const held = new Map<string, OpenPack>()
  const open = async (path: string): Promise<Outcome<OpenPack>> => {
    const there = held.get(path)
    if (there !== undefined) return ok(there)
    const opened = await packs.open(path)
    if (!opened.ok) return opened
    for (const [other, pack] of [...held].slice(0, Math.max(0, held.size + 1 - MOST_OPEN))) {
      held.delete(other)
      await pack.close()
    }
    held.set(path, opened.value)
    return opened
  }
  const again = async (path: string): Promise<OpenPack> => {
    const opened = await open(path)
    if (!opened.ok) throw new Error(`${opened.error.code}: ${opened.error.detail}`)
    return opened.value
  }
  return {
    open,
    content: (path, pack, file) => ({
      ...sizeAndDigest(pack, file),
      read: async () => await (await again(path)).stored(file).read(),
      open: async function* () {
        yield* (await again(path)).stored(file).open()
      },
    }),
    close: async () => {
      for (const pack of held.values()) await pack.close()
      held.clear()
    },
  }
}

const sizeAndDigest = (pack: OpenPack, file: string): { readonly size: number; readonly sha256: string } => {
  const { size, sha256 } = pack.stored(file)
  return { size, sha256 }
}

/** The first of these paths that is a pack, opened. Fails as the last of them does. */
export async function firstOpen(
  shelf: PackShelf,
  paths: readonly string[],
): Promise<Outcome<{ readonly path: string; readonly pack: OpenPack }>> {
  let last: Outcome<never> = fail('input.not-found', 'no pack was named')
  for (const path of paths) {
    const opened = await shelf.open(path)
    if (opened.ok) return ok({ path, pack: opened.value })
    last = opened
  }
  return last
}
