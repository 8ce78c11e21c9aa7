import { RESYNC } from '../../schemas/ipc-team.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'

/** The latest events of one engagement, so that a page that lost its connection misses none. */
export interface EventBuffer {
  /** Keeps an event and returns the text that is sent to pages. */
  readonly add: (event: EngineEvent) => string
  /** The text for a page that last received the event `id`: the events since then, or the request to load everything again. */
  readonly since: (id: string | undefined) => string
}

const KEPT = 1000

/** `started` distinguishes the ids of this start of the server from those of earlier ones. */
export function eventBuffer(started: string): EventBuffer {
  let next = 1
  let kept: { readonly index: number; readonly text: string }[] = []
  return {
    add: (event) => {
      const text = `id: ${started}-${next}\ndata: ${JSON.stringify(event)}\n\n`
      kept = [...kept.slice(-(KEPT - 1)), { index: next, text }]
      next += 1
      return text
    },
    since: (id) => {
      if (id === undefined) return `id: ${started}-${next - 1}\ndata: null\n\n`
      const [, run, index] = /^([0-9a-f]+)-(\d{1,15})$/.exec(id) ?? []
      const last = Number(index)
      const first = kept[0]?.index ?? next
      if (run !== started || !(last >= first - 1 && last < next))
        return `id: ${started}-${next - 1}\nevent: ${RESYNC}\ndata: null\n\n`
      return kept.flatMap((one) => (one.index > last ? [one.text] : [])).join('')
    },
  }
}
