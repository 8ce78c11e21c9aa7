import type { CaptureChange } from '../../../schemas/drift.ts'
import { plain } from '../plain-text.ts'
import type { CapturedAnswer } from '../recording.ts'

/** As many lines of each side are shown, each of so many characters. */
const MOST_LINES = 5
const LONGEST_LINE = 200

/** The streams of an answer whose bytes are others than before, with the lines that only one of them has. */
export function changedStreams(
  asked: Pick<CaptureChange, 'probe' | 'command'>,
  then: CapturedAnswer | undefined,
  now: CapturedAnswer | undefined,
): readonly CaptureChange[] {
  return (['stdout', 'stderr'] as const).flatMap((stream) => {
    const [before, after] = [then?.meta[stream].sha256 ?? null, now?.meta[stream].sha256 ?? null]
    if (before === after) return []
    return [{ ...asked, stream, before, after, ...linesOf(then?.[stream], now?.[stream]) }]
  })
}

function linesOf(
  then: Uint8Array | undefined,
  now: Uint8Array | undefined,
): Pick<CaptureChange, 'removed' | 'added' | 'more'> {
  const [old, young] = [textLines(then), textLines(now)]
  if (old === null || young === null) return { removed: [], added: [], more: 0 }
  const [removed, added] = [beyond(old, young), beyond(young, old)]
  const shown = (lines: readonly string[]): readonly string[] =>
    lines.slice(0, MOST_LINES).map((line) => plain(line, LONGEST_LINE))
  const more = Math.max(0, removed.length - MOST_LINES) + Math.max(0, added.length - MOST_LINES)
  return { removed: shown(removed), added: shown(added), more }
}

/** Lines of the first that the second has less often, in the order of the first. */
function beyond(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

/** Null for what is no text: no UTF-8, or with a zero byte. */
function textLines(bytes: Uint8Array | undefined): readonly string[] | null {
  if (bytes === undefined || bytes.length === 0) return []
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text.replace(/\n$/, '').split('\n')
  } catch {
    return null
  }
}
