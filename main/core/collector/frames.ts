/** What a node's answer is made of, as it arrives. See script.ts for the frames. */
export interface Header {
  readonly uid: number | null
  readonly epochSeconds: number | null
  readonly hasTimeout: boolean
  readonly hasCap: boolean
}

export interface Frame {
  readonly index: number
  /** null: it was not run, since it needs rights that we have not. */
  readonly exitCode: number | null
  readonly notRun: boolean
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly startedUptime: number
  readonly endedUptime: number
}

export type FrameEvent =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'end'; readonly epochSeconds: number | null }
  /** Bytes after the end, from a script that ends in `cat`. */
  | { readonly kind: 'echo'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'broken'
      readonly code: 'collector.no-answer' | 'collector.garbled' | 'collector.output-too-large'
      readonly detail: string
    }

export interface FrameReader {
  readonly push: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => readonly FrameEvent[]
}

/** More than this before the header is not a login banner; more than this in all is not an answer. */
export const LARGEST_BANNER = 1024 * 1024
export const LARGEST_ANSWER = 64 * 1024 * 1024
const LONGEST_MARK = 200

interface Part {
  readonly exit: string
  readonly bytes: Uint8Array
  readonly started: number
  readonly ended: number
}

/**
 * Splits the two streams of a collector into frames, however the bytes are cut into chunks. Linear in the input; never throws. A
 * command is complete when both streams ended it. Frames out of order, repeated or unknown break the answer: nothing later counts.
 */
export function createFrameReader(nonce: string, commands: number): FrameReader {
  const out = streamSplitter(nonce)
  const err = streamSplitter(nonce)
  const waiting = new Map<number, { out?: Part; err?: Part }>()
  let total = 0
  let broken = false
  let started = false

  const join = (index: number, side: 'out' | 'err', part: Part): FrameEvent[] => {
    const pair = waiting.get(index) ?? {}
    if (index >= commands || pair[side] !== undefined)
      return [breakWith('collector.garbled', `frame ${index} came twice or was never asked for`)]
    pair[side] = part
    waiting.set(index, pair)
    if (pair.out === undefined || pair.err === undefined) return []
    const notRun = pair.out.exit === 'n'
    const exit = /^\d{1,3}$/.test(pair.out.exit) ? Number(pair.out.exit) : null
    const frame: Frame = {
      index,
      exitCode: exit !== null && exit <= 255 ? exit : null,
      notRun,
      stdout: pair.out.bytes,
      stderr: pair.err.bytes,
      startedUptime: pair.out.started,
      endedUptime: pair.out.ended,
    }
    pair.out = { ...pair.out, bytes: EMPTY }
    pair.err = { ...pair.err, bytes: EMPTY }
    return [{ kind: 'frame', frame }]
  }

  const breakWith = (
    code: 'collector.no-answer' | 'collector.garbled' | 'collector.output-too-large',
    detail: string,
  ): FrameEvent => {
    broken = true
    return { kind: 'broken', code, detail }
  }

  return {
    push(stream, chunk) {
      if (broken) return []
      total += chunk.length
      if (total > LARGEST_ANSWER)
        return [breakWith('collector.output-too-large', `more than ${LARGEST_ANSWER} bytes in all`)]
      const side = stream === 'stdout' ? 'out' : 'err'
      const events: FrameEvent[] = []
      for (const piece of (side === 'out' ? out : err).push(chunk)) {
        if (broken) break
        if (piece.kind === 'header') {
          started = true
          events.push({ kind: 'header', header: piece.header })
        } else if (piece.kind === 'part') events.push(...join(piece.index, side, piece.part))
        else if (piece.kind === 'wrong') events.push(breakWith('collector.garbled', piece.detail))
        else if (side === 'out') events.push(piece)
      }
      if (!broken && !started && total > LARGEST_BANNER)
        events.push(breakWith('collector.no-answer', `${LARGEST_BANNER} bytes came before our header`))
      return events
    },
  }
}

const EMPTY = new Uint8Array()

type Piece =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'part'; readonly index: number; readonly part: Part }
  | { readonly kind: 'end'; readonly epochSeconds: number | null }
  | { readonly kind: 'echo'; readonly bytes: Uint8Array }
  | { readonly kind: 'wrong'; readonly detail: string }

/**
 * One stream. Outside a command only our own lines count and anything else (banners, warnings of a shell) is passed over; inside one,
 * everything up to the end mark is the command's.
 */
function streamSplitter(nonce: string): { readonly push: (chunk: Uint8Array) => readonly Piece[] } {
  const mark = Buffer.from(`${nonce} `, 'latin1')
  const endMark = Buffer.from(`\n${nonce} E `, 'latin1')
  let rest = Buffer.alloc(0)
  let inside: { readonly index: number; readonly started: number } | null = null
  let body: Buffer[] = []
  let ended = false

  const lineEnd = (from: number): number => rest.indexOf(0x0a, from)

  const step = (): Piece | 'wait' | 'again' => {
    if (ended) {
      if (rest.length === 0) return 'wait'
      const bytes = new Uint8Array(rest)
      rest = Buffer.alloc(0)
      return { kind: 'echo', bytes }
    }
    if (inside !== null) return stepInside(inside)
    const at = rest.indexOf(mark)
    if (at < 0) {
      rest = rest.subarray(Math.max(0, rest.length - mark.length))
      return 'wait'
    }
    const end = lineEnd(at)
    if (end < 0) {
      rest = rest.subarray(at)
      return rest.length > LONGEST_MARK ? { kind: 'wrong', detail: 'a frame line has no end' } : 'wait'
    }
    const words = rest.toString('latin1', at + mark.length, end).split(' ')
    rest = rest.subarray(end + 1)
    return begin(words)
  }

  const stepInside = (current: { readonly index: number; readonly started: number }): Piece | 'wait' | 'again' => {
    const at = rest.indexOf(endMark)
    if (at < 0) {
      const keep = Math.min(rest.length, endMark.length - 1)
      if (rest.length > keep) body.push(Buffer.from(rest.subarray(0, rest.length - keep)))
      rest = Buffer.from(rest.subarray(rest.length - keep))
      return 'wait'
    }
    const end = lineEnd(at + 1)
    if (end < 0) return rest.length - at > LONGEST_MARK ? { kind: 'wrong', detail: 'a frame line has no end' } : 'wait'
    const [index = '', exit = '', uptime = ''] = rest.toString('latin1', at + endMark.length, end).split(' ')
    body.push(Buffer.from(rest.subarray(0, at)))
    rest = Buffer.from(rest.subarray(end + 1))
    if (Number(index) !== current.index)
      return { kind: 'wrong', detail: `command ${current.index} was ended as ${index.slice(0, 20)}` }
    const part: Part = {
      exit,
      bytes: new Uint8Array(Buffer.concat(body)),
      started: current.started,
      ended: seconds(uptime),
    }
    inside = null
    body = []
    return { kind: 'part', index: current.index, part }
  }

  const begin = (words: readonly string[]): Piece | 'again' => {
    const [kind, first = '', second = '', ...more] = words
    if (kind === 'H') {
      const [epoch = '', timeout = '-', cap = '-'] = more
      return {
        kind: 'header',
        header: { uid: whole(second), epochSeconds: whole(epoch), hasTimeout: timeout !== '-', hasCap: cap !== '-' },
      }
    }
    if (kind === 'Z') {
      ended = true
      return { kind: 'end', epochSeconds: whole(first) }
    }
    const index = whole(first)
    if (kind !== 'B' || index === null) return { kind: 'wrong', detail: 'a frame line is not one of ours' }
    inside = { index, started: seconds(second) }
    return 'again'
  }

  return {
    push(chunk) {
      rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
      const pieces: Piece[] = []
      for (let next = step(); next !== 'wait'; next = step()) {
        if (next !== 'again') pieces.push(next)
        if (next !== 'again' && next.kind === 'wrong') break
      }
      return pieces
    },
  }
}

const whole = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null)
const seconds = (text: string): number => (/^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : 0)

/** A recorded answer as frames, for servers that replay: what the script would have written. */
export interface ReplayedFrame {
  readonly index: number
  readonly exit: string
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
}
export function framesOf(
  nonce: string,
  { index, exit, stdout, stderr }: ReplayedFrame,
): { readonly stdout: Uint8Array; readonly stderr: Uint8Array } {
  const wrap = (bytes: Uint8Array, status: string): Uint8Array =>
    Buffer.concat([
      Buffer.from(`${nonce} B ${index} 1.00\n`),
      bytes,
      Buffer.from(`\n${nonce} E ${index} ${status} 1.01\n`),
    ])
  return { stdout: wrap(stdout, exit), stderr: wrap(stderr, '-') }
}
