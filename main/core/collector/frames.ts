import { frameStream, type Header, type Part } from './frame-stream.ts'

export type { Header } from './frame-stream.ts'

/** One command's answer, as it arrived. See script.ts for how it is framed. */
export interface Frame {
  readonly index: number
  /** null: it was not run, since it needs rights that we have not. */
  readonly exitCode: number | null
  readonly notRun: boolean
  /** It was not run, since the path it asks of does not exist; stderr names it. exitCode is null. */
  readonly noPath: boolean
  /** It was not asked, since sudo had not answered in time before. exitCode is null. */
  readonly notAsked: boolean
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly startedUptime: number
  readonly endedUptime: number
  /** Milliseconds between hearing its first and its last line, by the reader's clock; null where the reader has none. */
  readonly heardMs: number | null
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

type Broken = Extract<FrameEvent, { kind: 'broken' }>

export interface FrameReader {
  /** `at`: when the chunk was heard, in milliseconds of any one clock. Without it no frame tells how long it was heard. */
  readonly push: (stream: 'stdout' | 'stderr', chunk: Uint8Array, at?: number) => readonly FrameEvent[]
}

/** More than this before the header is not a login banner; more than this in all is not an answer. */
export const LARGEST_BANNER = 1024 * 1024
export const LARGEST_ANSWER = 64 * 1024 * 1024

/**
 * Joins the two streams of a collector into frames, however the bytes are cut into chunks. Linear in the input; never throws. A
 * command is complete when both streams ended it. A frame before the header, repeated or never asked for breaks the answer: nothing
 * later counts. Of each stream of a command `keep` bytes are kept, whatever a node without `head -c` sends.
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
