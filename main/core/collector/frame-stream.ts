/** How `timeout` and `head -c` work on the node, who we are there, and its clock. */
export interface Header {
  readonly uid: number | null
  readonly epochSeconds: number | null
  readonly hasTimeout: boolean
  readonly hasCap: boolean
}

/** One command's part on one stream. */
export interface Part {
  /** As written: a number, `n` (not run), or `-` on stderr. */
  readonly exit: string
  readonly bytes: Uint8Array
  readonly started: number
  readonly ended: number
  /** When its first and its last line were heard, by the reader's clock, in milliseconds; null where the reader has none. */
  readonly heardFrom: number | null
  readonly heardTo: number | null
}

export type Piece =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'part'; readonly index: number; readonly part: Part }
  | { readonly kind: 'end'; readonly epochSeconds: number | null }
  /** Bytes after the end. */
  | { readonly kind: 'echo'; readonly bytes: Uint8Array }
  | { readonly kind: 'wrong'; readonly detail: string }

export interface FrameStream {
  /** `at`: when the chunk was heard, in milliseconds of any one clock. */
  readonly push: (chunk: Uint8Array, at?: number) => readonly Piece[]
}

const LONGEST_LINE = 200

/**
 * One stream of the collector, cut into its pieces. Outside a command only our own lines count and anything else (banners, warnings of a
 * shell) is passed over; inside one, everything up to its end line is the command's, of which `keep(index)` bytes are kept. Linear in
 * the input: every byte is searched once, and only a possible beginning of a mark waits for the next chunk. Nothing follows `wrong`.
 */
export function frameStream(nonce: string, keep: (index: number) => number): FrameStream {
  const mark = Buffer.from(`${nonce} `, 'latin1')
  const endMark = Buffer.from(`\n${nonce} E `, 'latin1')
  let rest: Buffer = Buffer.alloc(0)
  let at = 0
  let heard: number | null = null
  let inside: Inside | null = null
  let state: 'reading' | 'ended' | 'wrong' = 'reading'

  /** Leaves the last bytes for later, when a mark may have begun in them. */
  const leave = (from: number): 'wait' => {
    at = from
    return 'wait'
  }
  const wrong = (detail: string): Piece => {
    state = 'wrong'
    return { kind: 'wrong', detail }
  }
  /** The words of the line from `start` to its newline, or null while the newline is not here. */
  const lineFrom = (start: number): readonly string[] | null => {
    const newline = rest.indexOf(0x0a, start)
    if (newline < 0 || newline - start > LONGEST_LINE) return null
    at = newline + 1
    return rest.toString('latin1', start, newline).split(' ')
  }
  const unfinished = (start: number): Piece | 'wait' =>
    rest.length - start > LONGEST_LINE ? wrong('a frame line has no end') : leave(start)

  const outside = (): Piece | 'wait' | 'again' => {
    const found = rest.indexOf(mark, at)
    if (found < 0) return leave(Math.max(at, rest.length - mark.length + 1))
    const words = lineFrom(found)
    if (words === null) return unfinished(found)
    const [, kind, first = '', second = '', epoch = '', timeout = '-', cap = '-'] = words
    if (kind === 'H')
      return {
        kind: 'header',
        header: { uid: whole(second), epochSeconds: whole(epoch), hasTimeout: timeout !== '-', hasCap: cap !== '-' },
      }
    if (kind === 'Z') {
      state = 'ended'
      return { kind: 'end', epochSeconds: whole(first) }
    }
    const index = whole(first)
    if (kind !== 'B' || index === null) return wrong('a frame line is not one of ours')
    inside = { index, started: seconds(second), heardFrom: heard, body: [], room: keep(index) }
    return 'again'
  }

  const within = (current: Inside): Piece | 'wait' => {
    const found = rest.indexOf(endMark, at)
    const end = found < 0 ? Math.max(at, rest.length - endMark.length + 1) : found
    const kept = rest.subarray(at, Math.min(end, at + current.room))
    if (kept.length > 0) current.body.push(kept)
    current.room -= kept.length
    if (found < 0) return leave(end)
    const words = lineFrom(found + 1)
    if (words === null) return unfinished(found)
    const [, , index = '', exit = '', uptime = ''] = words
    if (Number(index) !== current.index) return wrong(`command ${current.index} was ended as another`)
    inside = null
    const bytes = new Uint8Array(Buffer.concat(current.body))
    const { index: ended, started, heardFrom } = current
    return {
      kind: 'part',
      index: ended,
      part: { exit, bytes, started, ended: seconds(uptime), heardFrom, heardTo: heard },
    }
  }

  const next = (): Piece | 'wait' | 'again' => {
    if (state === 'wrong' || (state === 'ended' && at === rest.length)) return leave(rest.length)
    if (state === 'reading') return inside === null ? outside() : within(inside)
    const bytes = new Uint8Array(rest.subarray(at))
    at = rest.length
    return { kind: 'echo', bytes }
  }

  return {
    push(chunk, heardAt) {
      heard = heardAt ?? null
      rest = Buffer.concat([rest.subarray(at), chunk])
      at = 0
      const pieces: Piece[] = []
      for (let piece = next(); piece !== 'wait'; piece = next()) if (piece !== 'again') pieces.push(piece)
      return pieces
    },
  }
}

interface Inside {
  readonly index: number
  readonly started: number
  readonly heardFrom: number | null
  readonly body: Uint8Array[]
  /** How many more bytes are kept. */
  room: number
}

const whole = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null)
const seconds = (text: string): number => (/^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : 0)
