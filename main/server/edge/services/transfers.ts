import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'

/** The owner of a file; an id gives no other session access to it. */
export interface Owner {
  readonly session: string
  readonly engagement: string
}

interface Held extends Owner {
  readonly path: string
  readonly at: number
  /** Whether the file may still be read; absent where it may be read until it is removed. */
  readonly isOpen?: Open
}

type Open = () => boolean

/** A file to be sent, and whether it may still be read: asked again while it is sent. */
interface Download {
  readonly path: string
  readonly isOpen: Open
}

/** Files on their way between a browser and the engine, in a temporary folder of the server. */
export interface Transfers {
  /** Stores an upload. Fails with input.refused where it is too large, or too many wait. */
  readonly receive: (owner: Owner, name: string, body: Readable, now: number) => Promise<Outcome<string>>
  /** Returns the path of an upload, once; null for another owner or an unknown id. */
  readonly takeUpload: (owner: Owner, id: string, now: number) => string | null
  /** Returns a new path for a file of this name. */
  readonly place: (name: string) => Promise<string>
  /** Writes a text to a file of this name and returns its path. */
  readonly write: (name: string, text: string) => Promise<string>
  /** Offers a file for download and returns its id. At most MOST_OFFERED files are kept for one session. */
  readonly offer: (owner: Owner, path: string, now: number, isOpen?: Open) => string
  /** Offers a copy of a file for download and returns its id. */
  readonly offerCopy: (owner: Owner, path: string, name: string, now: number, isOpen?: Open) => Promise<string>
  /** Returns an offered file, once; null where the owner may not read it. */
  readonly takeDownload: (owner: Owner, id: string, now: number) => Download | null
  readonly drop: (path: string) => Promise<void>
  readonly close: () => Promise<void>
}

const KEPT_MS = 15 * 60_000
const MOST_OF_SESSION = 8
/** Maximum number of files that one session has not downloaded yet, more than its concurrent calls. The oldest one is removed for another. */
const MOST_OFFERED = 64
const LONGEST_NAME = 180

/** A file name without folders, control characters and characters that are special to file systems. */
export const safeFileName = (name: string): string => {
  const plain = basename(name.replaceAll('\\', '/'))
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}/:*?"<>|]/gu, '_')
    .replace(/^\.+/, '')
  return plain === '' ? 'file' : plain.slice(-LONGEST_NAME)
}

/** How old files are found. */
interface Sweeping {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly everyMs: number
}

/** `folder` is removed with everything in it at the end. `largest`: maximum size of an upload in bytes. */
export function createTransfers(folder: string, largest: number, { now: clock, everyMs }: Sweeping): Transfers {
  const [uploads, downloads] = [new Map<string, Held>(), new Map<string, Held>()]
  /** Uploads that are arriving, by session. */
  const arriving = new Map<string, number>()
  const newId = (): string => randomBytes(32).toString('hex')
  const drop = async (path: string): Promise<void> => {
    if (path.startsWith(`${folder}/`)) await rm(join(path, '..'), { recursive: true, force: true })
  }
  const forget = (now: number): void => {
    for (const held of [uploads, downloads])
      for (const [id, { path, at }] of held)
        if (now - at >= KEPT_MS) {
          held.delete(id)
          void drop(path)
        }
  }
  const sweep = setInterval(() => forget(clock()), everyMs)
  sweep.unref()
  const take = (from: Map<string, Held>, owner: Owner, id: string, now: number): Download | null => {
    forget(now)
    const held = from.get(id)
    if (held === undefined || held.session !== owner.session || held.engagement !== owner.engagement) return null
    from.delete(id)
    const { path, isOpen = () => true } = held
    if (isOpen()) return { path, isOpen }
    void drop(path)
    return null
  }
  const place = async (name: string): Promise<string> => {
    const own = join(folder, newId())
    await mkdir(own, { mode: 0o700 })
    return join(own, safeFileName(name))
  }
  /** A new file that `fill` writes; nothing stays where that fails, such as part of a copy on a full disk. */
  const placed = async (name: string, fill: (path: string) => Promise<void>): Promise<string> => {
    const path = await place(name)
    try {
      await fill(path)
      return path
    } catch (problem) {
      await drop(path)
      throw problem
    }
  }
  const offer: Transfers['offer'] = (owner, path, now, isOpen) => {
    forget(now)
    const own = [...downloads].filter(([, { session }]) => session === owner.session)
    for (const [id, { path: oldest }] of own.slice(0, Math.max(0, own.length - MOST_OFFERED + 1))) {
      downloads.delete(id)
      void drop(oldest)
    }
    const id = newId()
    downloads.set(id, { ...owner, path, at: now, ...(isOpen === undefined ? {} : { isOpen }) })
    return id
  }
  const stored = async (name: string, body: Readable): Promise<Outcome<string>> => {
    const path = await place(name)
    let size = 0
    try {
      await pipeline(
        body,
        async function* bounded(chunks: AsyncIterable<Uint8Array>) {
          for await (const chunk of chunks) {
            size += chunk.length
            if (size > largest) throw new Error('too large')
            yield chunk
          }
        },
        createWriteStream(path, { flags: 'wx', mode: 0o600 }),
      )
      return ok(path)
    } catch {
      await drop(path)
      return fail('input.refused', size > largest ? 'the file is too large' : 'the upload was not completed')
    }
  }
  return {
    receive: async (owner, name, body, now) => {
      forget(now)
      const { session } = owner
      const others = arriving.get(session) ?? 0
      if (others + [...uploads.values()].filter((one) => one.session === session).length >= MOST_OF_SESSION)
        return fail('input.refused', 'too many uploads wait to be used')
      arriving.set(session, others + 1)
      try {
        const path = await stored(name, body)
        if (!path.ok) return path
        const id = newId()
        uploads.set(id, { ...owner, path: path.value, at: now })
        return ok(id)
      } finally {
        const left = (arriving.get(session) ?? 1) - 1
        if (left === 0) arriving.delete(session)
        else arriving.set(session, left)
      }
    },
    takeUpload: (owner, id, now) => take(uploads, owner, id, now)?.path ?? null,
    place,
    write: (name, text) => placed(name, (path) => writeFile(path, text, { mode: 0o600 })),
    offer,
    offerCopy: async (owner, path, name, now, isOpen) => {
      const copy = await placed(name, (to) => copyFile(path, to))
      return offer(owner, copy, now, isOpen)
    },
    takeDownload: (owner, id, now) => take(downloads, owner, id, now),
    drop,
    close: async () => {
      clearInterval(sweep)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A stored file as a stream of known size. */
export const openedFile = async (path: string): Promise<{ readonly size: number; readonly stream: Readable }> => ({
  size: (await stat(path)).size,
  stream: createReadStream(path),
})
