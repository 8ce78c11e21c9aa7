import type { Desktop, Vault } from '../app/engine/context/context.ts'
import { fail, type Outcome } from '../core/base/failure.ts'
import type { Port } from './engine-process.ts'

/** Requests from the worker to the main process. Secrets use this port and never a window’s bridge. */
type Want =
  | { readonly kind: 'ask'; readonly question: string }
  | { readonly kind: 'show'; readonly path: string }
  | { readonly kind: 'vault' }
  | { readonly kind: 'read'; readonly name: string }
  | { readonly kind: 'write'; readonly name: string; readonly secret: string }
interface Wanted {
  readonly want: { readonly id: number } & Want
}

interface Given {
  readonly gave: { readonly id: number; readonly value: unknown }
}

/** The main process side of a desktop: like Desktop, except that finding a vault may take a moment. */
export interface DesktopParts extends Pick<Desktop, 'ask' | 'show'> {
  readonly vault: Promise<Vault | null>
}

const NOT_WANTED = 'unknown request from the engine'
const LONGEST = 64 * 1024

const holds = (message: unknown, key: string): message is Readonly<Record<string, unknown>> =>
  typeof message === 'object' && message !== null && Object.hasOwn(message, key)

/** The main process side: answers requests of the worker. The worker parses output of hostile servers, so every request is validated. */
export function serveDesktop(port: Port, desktop: DesktopParts): void {
  const answer = async (want: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const text = (key: string): string | null => {
      const value = want[key]
      return typeof value === 'string' && value.length <= LONGEST ? value : null
    }
    const [question, path, name, secret] = [text('question'), text('path'), text('name'), text('secret')]
    const vault = await desktop.vault
    if (want.kind === 'vault') return vault?.described ?? null
    if (want.kind === 'ask' && question !== null) return await desktop.ask(question)
    if (want.kind === 'show' && path !== null) return await desktop.show(path)
    if (want.kind === 'read' && name !== null) return (await vault?.read(name)) ?? null
    if (want.kind === 'write' && name !== null && secret !== null)
      return (await vault?.write(name, secret)) ?? fail('store.failed', 'this computer has no usable vault')
    return want.kind === 'show' || want.kind === 'write' ? fail('bug', NOT_WANTED) : null
  }
  const reply = async (want: Readonly<Record<string, unknown>>): Promise<void> => {
    const failed = fail('bug', 'the main process could not answer the engine')
    const value = await answer(want).catch(() => (want.kind === 'show' || want.kind === 'write' ? failed : null))
    port.post({ gave: { id: Number(want.id), value } } satisfies Given)
  }
  port.onMessage((message) => {
    if (holds(message, 'want') && holds(message.want, 'kind')) void reply(message.want)
  })
}

/** The worker side: the desktop of the main process. */
export async function remoteDesktop(port: Port): Promise<Desktop> {
  const waiting = new Map<number, (value: unknown) => void>()
  let next = 1
  port.onMessage((message) => {
    if (!holds(message, 'gave')) return
    const { id, value } = (message as unknown as Given).gave
    waiting.get(id)?.(value)
    waiting.delete(id)
  })
  const get = (want: Want): Promise<unknown> =>
    new Promise((resolve) => {
      const id = next++
      waiting.set(id, resolve)
      port.post({ want: { id, ...want } } satisfies Wanted)
    })
  const described = (await get({ kind: 'vault' })) as string | null
  return {
    ask: (question) => get({ kind: 'ask', question }) as Promise<string | null>,
    show: (path) => get({ kind: 'show', path }) as Promise<Outcome<null>>,
    vault:
      described === null
        ? null
        : {
            described,
            read: (name) => get({ kind: 'read', name }) as Promise<string | null>,
            write: (name, secret) => get({ kind: 'write', name, secret }) as Promise<Outcome<null>>,
          },
  }
}
