import type { PortalRequest } from '../../schemas/ipc-portal.ts'
import type { SearchEntry } from '../../schemas/ipc-views.ts'
import type { Route } from '../models/routes.ts'
import { placeOf } from './palette.ts'

/** A part of a request or an answer; with `to`, a reference that opens this screen. */
interface Piece {
  readonly text: string
  readonly to: Route | null
}

/** The screens of the run that is shown, by reference: findings, checks, controls, evidence requests, documents, and nodes by name. */
export function runPlaces(found: readonly SearchEntry[], nodes: readonly string[]): ReadonlyMap<string, Route> {
  const places = new Map<string, Route>(nodes.map((node) => [node, { screen: 'node', of: 'run', node }]))
  for (const { reference, to } of found) if (!places.has(reference)) places.set(reference, placeOf(to, 'run'))
  return places
}

/**
 * The pack in which an auditor opens the references of a request: the first pack of the latest answer that names one.
 * Null without one.
 */
export const packOfAnswers = ({ entries }: Pick<PortalRequest, 'entries'>): string | null =>
  entries.findLast(({ packs }) => packs.length > 0)?.packs[0]?.id ?? null

const FINDING = /(?<![\w-])F-[0-9A-F]{6}(?![\w-])/g

/**
 * The screens of that pack by reference: findings, recognized by their form, documents named by an answer, and the
 * node of the request. Empty without a pack. Other references of the pack are known only once it is open.
 */
export function packPlaces(request: Pick<PortalRequest, 'about' | 'text' | 'entries'>): ReadonlyMap<string, Route> {
  const { about, text, entries } = request
  if (packOfAnswers(request) === null) return new Map()
  const texts = [...Object.values(about), text, ...entries.map(({ comment }) => comment)]
  const found = texts.flatMap((one) => [...one.matchAll(FINDING)].map(([reference]) => reference))
  const filed = entries.flatMap(({ documents }) => documents.map(({ label }) => documentName(label)))
  return new Map<string, Route>([
    ...(about.node === '' ? [] : [[about.node, { screen: 'node', of: 'pack', node: about.node }] as const]),
    ...filed.map((find) => [find, { screen: 'documents', of: 'pack', find }] as const),
    ...found.map((reference) => [reference, { screen: 'finding', of: 'pack', reference }] as const),
  ])
}

/** Everything between white space, quotes and commas: references contain points, hyphens and brackets. */
const WORD = /[^\s,;"“”‘’<>]+/g
/** Characters that enclose a reference or end a sentence, and that can also be part of a reference. */
const STARTS = /^[([]+/
const ENDS = '.:!?)]'

/**
 * Splits a text so that its references can be opened. The pieces joined are the text. Only whole words are
 * references.
 */
export function piecesOf(text: string, places: ReadonlyMap<string, Route>): readonly Piece[] {
  const pieces: Piece[] = []
  let plain = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const [start, reference] = referenceIn(word, places)
    const to = reference === '' ? undefined : places.get(reference)
    if (to === undefined) continue
    const at = index + start
    if (at > plain) pieces.push({ text: text.slice(plain, at), to: null })
    pieces.push({ text: reference, to })
    plain = at + reference.length
  }
  return plain < text.length ? [...pieces, { text: text.slice(plain), to: null }] : pieces
}

/**
 * The longest reference in a word, with or without enclosing characters, and its position; empty where there is none.
 */
function referenceIn(word: string, places: ReadonlyMap<string, Route>): readonly [start: number, reference: string] {
  for (const start of new Set([0, STARTS.exec(word)?.[0].length ?? 0])) {
    let end = word.length
    while (end > start && !places.has(word.slice(start, end)) && ENDS.includes(word.charAt(end - 1))) end -= 1
    const reference = word.slice(start, end)
    if (places.has(reference)) return [start, reference]
  }
  return [0, '']
}

const DOCUMENT = /^(.+), SHA-256 [0-9a-f]{64}$/

/** The name of a document in the label that the server gave it in an answer. */
export const documentName = (label: string): string => DOCUMENT.exec(label)?.[1] ?? label
