/** The answer to one command. script.ts describes the frames. */
export interface Frame {
  readonly index: number
  /** Null where the command was not run (`notRun`, `noPath`, `notAsked`), or the node sent no exit status. */
  readonly exitCode: number | null
  /** The command needs root, and the session has no right to it. */
  readonly notRun: boolean
  /** A device or file that the command reads does not exist; stderr names its path. */
  readonly noPath: boolean
  /** The command was skipped because sudo had exceeded its time limit before. */
  readonly notAsked: boolean
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly startedUptime: number
  readonly endedUptime: number
  /** Milliseconds between the arrival of its first and its last line, by the reader's clock; null where the reader has none. */
  readonly heardMs: number | null
}

export type FrameEvent =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'end'; readonly epochSeconds: number | null }
  /** Bytes after the end frame, from a script that ends in `cat`. */
  | { readonly kind: 'echo'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'broken'
      readonly code: 'collector.no-answer' | 'collector.garbled' | 'collector.output-too-large'
      readonly detail: string
    }

type Broken = Extract<FrameEvent, { kind: 'broken' }>

interface FrameReader {
  /** `at`: time of arrival of the chunk, in milliseconds of one clock; without it, `heardMs` of every frame is null. */
  readonly push: (stream: 'stdout' | 'stderr', chunk: Uint8Array, at?: number) => readonly FrameEvent[]
}

/** Limit of bytes before the header, which login banners stay below, and limit of bytes in all. */
const LARGEST_BANNER = 1024 * 1024
const LARGEST_ANSWER = 64 * 1024 * 1024

/**
 * Joins the two streams of a collector into frames, independent of how the bytes are cut into chunks. Linear in the input; never throws.
 * A command is complete when both streams have ended it. A frame before the header, a repeated one and one that was not requested break
 * the answer: nothing after it counts. Of each stream of a command, `keep` bytes are kept, because a node without `head -c` may send more.
 */
export function createFrameReader(
  nonce: string,
  commands: number,
  keep: (index: number, stream: 'stdout' | 'stderr') => number = () => LARGEST_ANSWER,
): FrameReader {
  const streams = {
    stdout: frameStream(nonce, (index) => keep(index, 'stdout')),
    stderr: frameStream(nonce, (index) => keep(index, 'stderr')),
  }
  const waiting = new Map<number, { stdout?: Part; stderr?: Part }>()
  const answered = new Set<number>()
  let total = 0
  let broken = false
  let hasHeader = false

  const breakWith = (code: Broken['code'], detail: string): Broken => {
    broken = true
    return { kind: 'broken', code, detail }
  }
  const garbled = (detail: string): Broken => breakWith('collector.garbled', detail)

  const join = (index: number, side: 'stdout' | 'stderr', part: Part): FrameEvent | null => {
    const pair = waiting.get(index) ?? {}
    if (index >= commands) return garbled(`command ${index} was never asked for`)
    if (answered.has(index) || pair[side] !== undefined) return garbled(`command ${index} was answered twice`)
    pair[side] = part
    waiting.set(index, pair)
    if (pair.stdout === undefined || pair.stderr === undefined) return null
    waiting.delete(index)
    answered.add(index)
    return { kind: 'frame', frame: frameOf(index, pair.stdout, pair.stderr) }
  }

  return {
    push(stream, chunk, at) {
      if (broken) return []
      total += chunk.length
      if (total > LARGEST_ANSWER)
        return [breakWith('collector.output-too-large', `more than ${LARGEST_ANSWER} bytes in all`)]
      const events: FrameEvent[] = []
      for (const piece of streams[stream].push(chunk, at)) {
        if (broken) break
        if (piece.kind === 'wrong') events.push(garbled(piece.detail))
        else if (piece.kind === 'header') {
          if (hasHeader || stream === 'stderr') events.push(garbled('a header where none belongs'))
          else events.push(piece)
          hasHeader = true
        } else if (piece.kind === 'part') {
          if (!hasHeader && stream === 'stdout') events.push(garbled('an answer came before the header'))
          else events.push(...[join(piece.index, stream, piece.part)].filter((event) => event !== null))
        } else if (stream === 'stdout') events.push(piece)
      }
      if (!broken && !hasHeader && total > LARGEST_BANNER)
        events.push(breakWith('collector.no-answer', `${LARGEST_BANNER} bytes came before our header`))
      return events
    },
  }
}

function frameOf(index: number, stdout: Part, stderr: Part): Frame {
  const exit = /^\d{1,3}$/.test(stdout.exit) ? Number(stdout.exit) : null
  return {
    index,
    exitCode: exit !== null && exit <= 255 ? exit : null,
    notRun: stdout.exit === 'n',
    noPath: stdout.exit === 'a',
    notAsked: stdout.exit === 's',
    stdout: stdout.bytes,
    stderr: stderr.bytes,
    startedUptime: stdout.started,
    endedUptime: stdout.ended,
    heardMs: heardMs(stdout),
  }
}

const heardMs = ({ heardFrom, heardTo }: Part): number | null =>
  heardFrom === null || heardTo === null ? null : Math.max(0, Math.round(heardTo - heardFrom))

/** A recorded answer, for servers that replay recordings. */
interface ReplayedFrame {
  readonly index: number
  readonly exit: string
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
}

/** The bytes that the script would have written for a recorded answer. */
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

/** User id and clock of the node, and whether it has `timeout` and `head -c`. */
export interface Header {
  readonly uid: number | null
  readonly epochSeconds: number | null
  readonly hasTimeout: boolean
  readonly hasCap: boolean
}

/** One command's part on one stream. */
interface Part {
  /** As written: a number, `n` (not run), or `-` on stderr. */
  readonly exit: string
  readonly bytes: Uint8Array
  readonly started: number
  readonly ended: number
  /** Arrival of its first and its last line, by the reader's clock, in milliseconds; null where the reader has none. */
  readonly heardFrom: number | null
  readonly heardTo: number | null
}

type Piece =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'part'; readonly index: number; readonly part: Part }
  | { readonly kind: 'end'; readonly epochSeconds: number | null }
  /** Bytes after the end frame. */
  | { readonly kind: 'echo'; readonly bytes: Uint8Array }
  | { readonly kind: 'wrong'; readonly detail: string }

interface FrameStream {
  /** `at`: time of arrival of the chunk, in milliseconds of one clock. */
  readonly push: (chunk: Uint8Array, at?: number) => readonly Piece[]
}

const LONGEST_LINE = 200

/**
 * Cuts one stream of the collector into its pieces. Outside a command, only lines with the nonce count; anything else (banners, warnings
 * of a shell) is ignored. Inside one, everything up to its end line is output of the command, of which `keep(index)` bytes are kept. Linear
 * in the input: every byte is searched once, and only a possible beginning of a mark is kept for the next chunk. Nothing follows `wrong`.
 */
function frameStream(nonce: string, keep: (index: number) => number): FrameStream {
  const mark = Buffer.from(`${nonce} `, 'latin1')
  const endMark = Buffer.from(`\n${nonce} E `, 'latin1')
  let rest: Buffer = Buffer.alloc(0)
  let at = 0
  let heard: number | null = null
  let inside: Inside | null = null
  let state: 'reading' | 'ended' | 'wrong' = 'reading'

  /** Keeps the bytes from here on for the next chunk: a mark may begin in them. */
  const leave = (from: number): 'wait' => {
    at = from
    return 'wait'
  }
  const wrong = (detail: string): Piece => {
    state = 'wrong'
    return { kind: 'wrong', detail }
  }
  /** The words of the line from `start` to its newline; null while the newline has not arrived. */
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
  /** Number of further bytes to keep. */
  room: number
}

const whole = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null)
const seconds = (text: string): number => (/^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : 0)
