import { plain } from '../../core/plain-text.ts'

/** Characters around a difference that are read for the statement that contains it. */
const AROUND = 600

/**
 * The first statement in which a sealed HTML report differs from the one that the evidence gives, both quoted; null where all bytes are the
 * same. Pieces are compared one by one, so that the second report is never held.
 */
export function firstDifference(sealed: Uint8Array, pieces: Iterable<string>): string | null {
  const encoder = new TextEncoder()
  let at = 0
  let before = ''
  let differs: { readonly at: number; readonly within: number } | null = null
  let rendered = ''
  for (const piece of pieces) {
    if (differs !== null) {
      rendered += piece
      if (rendered.length > differs.within + AROUND) break
      continue
    }
    const bytes = encoder.encode(piece)
    const length = equalLength(sealed.subarray(at, at + bytes.length), bytes)
    if (length < bytes.length) {
      const same = decoded(bytes.subarray(0, length))
      differs = { at: at + length, within: before.length + same.length }
      rendered = before + piece
      continue
    }
    at += bytes.length
    before = (before + piece).slice(-AROUND)
  }
  if (differs === null)
    return at === sealed.length ? null : 'It continues after the end of the report that the evidence gives.'
  const from = Math.max(0, differs.at - AROUND)
  const head = decoded(sealed.subarray(from, differs.at))
  const own = statementAt(head + decoded(sealed.subarray(differs.at, differs.at + AROUND)), head.length)
  return `It reads ${own} where the evidence gives ${statementAt(rendered, differs.within)}.`
}

function equalLength(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length)
  for (let index = 0; index < most; index += 1) if (a[index] !== b[index]) return index
  return most
}

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** The text between two tags around a position, or the tag itself where the position is inside one. */
function statementAt(html: string, position: number): string {
  const open = html.lastIndexOf('<', position - 1)
  const close = html.lastIndexOf('>', position - 1)
  const isInTag = open > close
  const from = isInTag ? open : close + 1
  const end = html.indexOf(isInTag ? '>' : '<', Math.max(position, from))
  const text = html.slice(from, end === -1 ? undefined : isInTag ? end + 1 : end).trim()
  return text === '' ? 'nothing' : `“${plain(text, 300)}”`
}
