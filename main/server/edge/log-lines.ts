import { createReadStream } from 'node:fs'

const BATCH_BYTES = 1024 * 1024
/** Larger than any entry. A file without line ends is not read into memory. */
const LARGEST_LINE = 64 * 1024 * 1024
const LINE_FEED = 0x0a

/**
 * The complete lines of a log without their ends, in batches, because a log can be longer than any text. What follows the last line feed is
 * omitted. Rejects as the file system does, and for a line that is larger than any entry.
 */
export async function* completeLines(path: string, batchBytes = BATCH_BYTES): AsyncGenerator<readonly string[]> {
  let rest: Buffer[] = []
  let held = 0
  for await (const chunk of createReadStream(path, { highWaterMark: batchBytes }) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_FEED)
    if (end !== -1) {
      yield Buffer.concat([...rest, chunk.subarray(0, end)])
        .toString('utf8')
        .split('\n')
      rest = []
      held = 0
    }
    rest.push(chunk.subarray(end + 1))
    held += chunk.length - end - 1
    if (held > LARGEST_LINE) throw new Error(`${path} has a line of more than ${LARGEST_LINE} bytes`)
  }
}

/** Lines of a log that are read once, from the first to the last. */
export interface LinesInOrder {
  /** Lines `first` to `last`, from 1, each with its end; fewer where the log has fewer. `first` must not decrease. */
  readonly between: (first: number, last: number) => Promise<readonly string[]>
  /** The number of lines. Reads to the end. */
  readonly count: () => Promise<number>
  readonly close: () => Promise<void>
}

export function linesInOrder(batches: AsyncIterable<readonly string[]>): LinesInOrder {
  const reading = batches[Symbol.asyncIterator]()
  let held: string[] = []
  /** Lines that were read and are held no longer. */
  let passed = 0
  let isOver = false
  const drop = (before: number): void => {
    const gone = Math.min(held.length, Math.max(0, before - passed))
    held = held.slice(gone)
    passed += gone
  }
  const more = async (): Promise<void> => {
    const next = await reading.next()
    if (next.done === true) isOver = true
    else held = held.concat(next.value.map((line) => `${line}\n`))
  }
  return {
    between: async (first, last) => {
      drop(first - 1)
      while (!isOver && passed + held.length < last) {
        await more()
        drop(first - 1)
      }
      return held.slice(Math.max(0, first - 1 - passed), Math.max(0, last - passed))
    },
    count: async () => {
      while (!isOver) {
        drop(Number.POSITIVE_INFINITY)
        await more()
      }
      return passed + held.length
    },
    close: async () => {
      await reading.return?.()
    },
  }
}
