import { stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { Engine, Reply } from '../../schemas/ipc.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import { refused } from './gate.ts'

interface OpeningParts {
  readonly engine: Pick<Engine, 'call'>
  /** Shows the review window. */
  readonly showReview: () => Promise<unknown>
  /** Shows a window that can report the reason. */
  readonly showAny: () => Promise<unknown>
  readonly notify: (event: EngineEvent) => void
  /** A pack was opened or refused: the list of recent packs changed. */
  readonly changed: () => void
}

/** Opens a pack from outside a page: dropped, from the menu, or by the system. */
export interface Openings {
  /** A path that the user chose or dropped, or that the system passed; null when it was not exactly one file. */
  readonly open: (path: string | null) => Promise<void>
  readonly openRecent: (handle: string) => Promise<void>
  /** Shows the opened pack. */
  readonly opened: () => Promise<void>
}

export function createOpenings({ engine, showReview, showAny, notify, changed }: OpeningParts): Openings {
  const opened = async (): Promise<void> => {
    await showReview()
    notify({ kind: 'pack-opened' })
    changed()
  }
  const answer = async (reply: Reply<unknown>): Promise<void> => {
    if (reply.ok) return await opened()
    await showAny()
    notify({ kind: 'pack-refused', error: reply.error })
    changed()
  }
  return {
    opened,
    open: async (path) => {
      if (path === null) return await answer(refused('one file at a time can be opened'))
      const file = await packFile(path)
      await answer(
        file === null
          ? refused('only an existing file that ends in .zip, .barewitness or .pdf can be opened')
          : await engine.call('pack.choose-and-verify', null, { path: file }),
      )
    },
    openRecent: async (handle) => await answer(await engine.call('pack.open-recent', { handle })),
  }
}

/** Extensions of files that can contain a pack: the archive, and the report with embedded evidence. */
export const PACK_ENDINGS = ['zip', 'barewitness', 'pdf'] as const

const endsAsPack = (path: string): boolean =>
  PACK_ENDINGS.some((ending) => extname(path).toLowerCase() === `.${ending}`)

/** The path of an existing regular file that can contain a pack, else null. */
async function packFile(path: string): Promise<string | null> {
  if (!endsAsPack(path) || path.includes('\0')) return null
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true ? path : null
}

/** The first such file among the arguments of a launch; switches, links with a scheme and everything else are ignored. */
export async function packIn(argv: readonly string[], folder: string): Promise<string | null> {
  for (const argument of argv) {
    if (argument.startsWith('-') || /^[a-z][a-z0-9+.-]+:/i.test(argument)) continue
    const path = await packFile(resolve(folder, argument))
    if (path !== null) return path
  }
  return null
}
