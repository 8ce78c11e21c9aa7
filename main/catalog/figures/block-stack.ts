import type { Figure, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import { compare } from '../../core/recording/recording.ts'
import { count } from '../base/steps.ts'
import { OUTCOMES, type Outcome, rank } from '../data-protection/disk-encryption/graph.ts'
import { exemptMounts, listed, quoted, type Root, type Storage } from '../data-protection/disk-encryption/roots.ts'
import { box, drawn, FIGURE_HEIGHT, FIGURE_WIDTH, link, linkKey, squareKey, widthOf, words } from './marks.ts'
import { type Layer, type Way, waysOf } from './ways.ts'

interface Placed {
  readonly layer: Layer
  readonly row: number
  readonly depth: number
  /** Null at the drives' end. */
  readonly below: Placed | null
  /** It holds the data and is at the left edge. */
  readonly isPlace: boolean
  /** Every way that comes down to here has passed an encrypting layer. */
  readonly isCovered: boolean
}

/** Longer ways are drawn with their middle in one box. */
const MAX_LAYERS = 6

interface Draft {
  readonly layer: Layer
  readonly above: Map<string, Draft>
  readonly places: Layer[]
}

const draft = (layer: Layer): Draft => ({ layer, above: new Map(), places: [] })

/**
 * Ways that end in the same layers, joined from the drives up, so that each layer is drawn once however many things are on it. Rows are
 * numbered from `firstRow` on, one for each way.
 */
function placedWays(ways: readonly Way[], firstRow: number): readonly Placed[] {
  const root = draft({ names: [], kind: '', encrypts: false })
  for (const [index, way] of ways.entries()) {
    const [place, ...layers] = shortened(way.layers)
    let at = root
    for (const layer of layers.reverse()) {
      const key = JSON.stringify([layer.names, layer.kind, layer.isOpen === true ? index : null])
      const next = at.above.get(key) ?? draft(layer)
      at.above.set(key, next)
      at = next
    }
    if (place !== undefined) at.places.push(place)
  }
  const placed: Placed[] = []
  let row = firstRow
  const visit = (here: Draft, below: Placed | null, depth: number): void => {
    const self = { layer: here.layer, row, depth, below, isPlace: false, isCovered: isCovered(here) }
    if (depth >= 0) placed.push(self)
    const lower = depth < 0 ? null : self
    for (const layer of here.places) {
      placed.push({ layer, row, depth: depth + 1, below: lower, isPlace: true, isCovered: layer.encrypts })
      row += 1
    }
    for (const next of here.above.values()) visit(next, lower, depth + 1)
  }
  visit(root, null, -1)
  return placed
}

const isCovered = ({ layer, above, places }: Draft): boolean =>
  layer.encrypts || (places.every(({ encrypts }) => encrypts) && [...above.values()].every(isCovered))

function shortened(layers: readonly Layer[]): readonly Layer[] {
  if (layers.length <= MAX_LAYERS) return layers
  const left = Math.ceil(MAX_LAYERS / 2)
  const right = MAX_LAYERS - left - 1
  const middle = layers.slice(left, layers.length - right)
  const encrypts = middle.some((layer) => layer.encrypts)
  const merged = { names: [`${middle.length} layers`], kind: encrypts ? 'one encrypts' : 'in between', encrypts }
  return [...layers.slice(0, left), merged, ...layers.slice(layers.length - right)]
}

interface State {
  /** Label at the link into the drive. */
  readonly word: string
  readonly head: string
  readonly tone: FigureTone
  /** The state begins at the encrypting layer; what is above it is plain. */
  readonly fromCover?: true
}

const STATES: Readonly<Record<Outcome, State>> = {
  exposed: { word: 'not encrypted', head: 'Not encrypted: data reaches a drive in clear', tone: 'against' },
  'encrypted-broken': {
    word: 'broken cipher',
    head: 'An encrypting layer that does not hide what is stored',
    tone: 'against',
    fromCover: true,
  },
  unknown: { word: 'not known', head: 'Not known: the way down could not be followed', tone: 'unclear' },
  'external-unverified': { word: 'elsewhere', head: 'Stored on another system', tone: 'unclear' },
  'layer-present-cipher-unverified': {
    word: 'cipher not read',
    head: 'An encrypting layer whose cipher was not read',
    tone: 'unclear',
    fromCover: true,
  },
  'encrypted-weak': {
    word: 'weak cipher',
    head: 'Encrypted by a cipher that is weak or not on our list',
    tone: 'unclear',
    fromCover: true,
  },
  encrypted: { word: 'encrypted', head: 'Encrypted on the way to the drive', tone: 'for', fromCover: true },
  volatile: { word: 'in memory', head: 'In memory only', tone: 'quiet' },
}

const ROW = 31
const BOX = 26
const HEAD = 19
const NOTE = 12
const GAP = 10
/** The last gap holds the word of the link. */
const LAST_GAP = 70
const MIN_COLUMN = 40
/** Room for headings and notes. */
const MIN_WIDTH = 400
const INSET = 3
/** Below the rows: a line for what is left out, a line for what is next to the stack, and an edge. */
const BELOW = 3 * NOTE + 5
/** Maximum number of rows that a person reads in a table. */
const MAX_TABLE = 400

/** From what holds data down to the drives, layer by layer, with what is encrypted on the way; null where nothing reaches a drive. */
export function blockStack(storage: Storage, roots: readonly Root[]): Figure | null {
  const all = waysOf(storage, roots)
  if (all.length === 0) return null
  const ways = all.slice(0, fitting(all))
  const sections = [...OUTCOMES].reverse().flatMap((outcome): readonly Section[] => {
    const own = ways.filter((way) => way.outcome === outcome)
    return own.length === 0 ? [] : [{ outcome, placed: placedWays(own, 0), ways: own }]
  })
  const columns = columnsFor(sections.flatMap(({ placed }) => placed))
  const marks: FigureMark[] = []
  let top = 0
  for (const section of sections) {
    marks.push(...drawSection(section, top, columns))
    top += HEAD + section.ways.length * ROW
  }
  const notes = [...leftOut(all.slice(ways.length)), ...beside(storage, roots)]
  for (const note of notes) {
    top += NOTE
    marks.push(...words(note, 0, top, columns.width, { tone: 'quiet' }))
  }
  const used = new Set(sections.map(({ outcome }) => STATES[outcome].tone))
  return {
    kind: 'block-stack',
    title: 'Data location, down to the drives',
    caption:
      'Layers as the kernel lists them, from what holds data to the drives. A drive that encrypts itself counts as open here.',
    width: columns.width,
    height: top + 5,
    marks,
    legend: [
      ...KEYS.filter(({ tone }) => used.has(tone)).map(({ tone, text }) => linkKey(tone, text)),
      ...(ways.some(({ layers }) => layers.some(({ encrypts }) => encrypts)) ? [ENCRYPTING] : []),
    ],
    table: tableOf(roots),
  }
}

/** How many of the ways have room, with one heading for each outcome among them. */
function fitting(ways: readonly Way[]): number {
  const outcomes = new Set<Outcome>()
  let height = BELOW
  for (const [index, { outcome }] of ways.entries()) {
    height += ROW + (outcomes.has(outcome) ? 0 : HEAD)
    if (height > FIGURE_HEIGHT) return index
    outcomes.add(outcome)
  }
  return ways.length
}

const ENCRYPTING = squareKey([box(1, 0.5, 22, 9), box(3, 2.5, 18, 5)], 'Layer that encrypts')
const KEYS: readonly { readonly tone: FigureTone; readonly text: string }[] = [
  { tone: 'against', text: 'Not encrypted' },
  { tone: 'unclear', text: 'Not known, or not enough' },
  { tone: 'for', text: 'Encrypted' },
]

interface Section {
  readonly outcome: Outcome
  readonly ways: readonly Way[]
  readonly placed: readonly Placed[]
}

interface Span {
  readonly x: number
  readonly width: number
}

interface Columns {
  readonly width: number
  /** Left edge and width by depth; places have their own at the left. */
  readonly at: (placed: Placed) => Span
}

/** Mounts on the left, drives on the right; each column as wide as its texts, within the available space. */
function columnsFor(placed: readonly Placed[]): Columns {
  const between = Math.max(0, ...placed.map(({ depth }) => depth - 1))
  const needed = (own: readonly Placed[]): number => Math.max(MIN_COLUMN, ...own.map(({ layer }) => widthNeeded(layer)))
  const atDepth = (wanted: number): number =>
    needed(placed.filter(({ isPlace, depth }) => !isPlace && depth === wanted))
  const middles = Array.from({ length: between }, (_, index) => atDepth(between - index))
  const room = FIGURE_WIDTH - LAST_GAP - between * GAP
  const widths = sharedWidths([needed(placed.filter(({ isPlace }) => isPlace)), ...middles, atDepth(0)], room)
  const width = widths.reduce((sum, one) => sum + one, 0) + LAST_GAP + between * GAP
  return {
    width: Math.max(width, MIN_WIDTH),
    at: ({ isPlace, depth }) => {
      const column = isPlace ? 0 : depth === 0 ? widths.length - 1 : between - depth + 1
      const before = widths.slice(0, column).reduce((sum, one) => sum + one + GAP, 0)
      return { x: before + (!isPlace && depth === 0 ? LAST_GAP - GAP : 0), width: widths[column] ?? 0 }
    },
  }
}

function drawSection({ outcome, placed, ways }: Section, top: number, columns: Columns): readonly FigureMark[] {
  const { tone, head } = STATES[outcome]
  const places = ways.reduce((sum, way) => sum + way.places, 0)
  const middle = ({ row }: Placed): number => top + HEAD + row * ROW + BOX / 2
  return [
    ...words(`${head} (${places})`, 0, top + 12, columns.width, { size: 9, bold: true, tone }),
    ...placed.flatMap((one) => [
      ...drawLayer(one.layer, columns.at(one), middle(one) - BOX / 2),
      ...drawLink(one, columns, middle, STATES[outcome]),
    ]),
  ]
}

function drawLink(
  from: Placed,
  { at }: Columns,
  middle: (placed: Placed) => number,
  { tone, word, fromCover }: State,
): readonly FigureMark[] {
  const { below, isCovered } = from
  if (below === null) return []
  const [own, next] = [at(from), at(below)]
  const [startX, startY, endX, endY] = [own.x + own.width, middle(from), next.x, middle(below)]
  const turn = endX - (below.depth === 0 ? LAST_GAP : GAP) + GAP / 2
  const corners: readonly (readonly [number, number])[] = [
    [turn, startY],
    [turn, endY],
  ]
  const isStraight = startY === endY
  const points = [[startX, startY] as const, ...(isStraight ? [] : corners), [endX, endY] as const]
  return [
    ...link(points, fromCover !== true || isCovered ? tone : 'plain'),
    ...(isStraight && below.depth === 0
      ? words(word, endX - 5, endY - 5, LAST_GAP - GAP, { anchor: 'end', bold: true, tone })
      : []),
  ]
}

/** The two lines of a box, within the available space. */
function linesOf({ names, kind, isOpen }: Layer, room: number): Lines {
  const isOne = names.length === 1
  const name = isOne ? (names[0] ?? '') : rangeOf(names, room)
  // Proportional letters are narrower: a name that has no room otherwise stays whole.
  const mono = isOne && isOpen !== true && widthOf(drawn(name), 8, true) <= room
  return { name, mono, what: isOne ? kind : `${names.length} × ${kind}` }
}

interface Lines {
  readonly name: string
  readonly mono: boolean
  readonly what: string
}

function widthNeeded(layer: Layer): number {
  const { name, mono, what } = linesOf(layer, FIGURE_WIDTH)
  return Math.max(widthOf(drawn(name), 8, mono), widthOf(drawn(what), 8)) + 2 * INSET + 1
}

function drawLayer(layer: Layer, { x, width }: Span, top: number): readonly FigureMark[] {
  const room = width - 2 * INSET
  const { name, mono, what } = linesOf(layer, room)
  return [
    box(x, top, width, BOX, layer.isOpen === true ? 'unclear' : 'plain'),
    ...(layer.encrypts ? [box(x + 2, top + 2, width - 4, BOX - 4)] : []),
    ...words(name, x + INSET, top + (what === '' ? 16 : 11.5), room, { mono }),
    ...words(what, x + INSET, top + 21, room, { tone: 'quiet' }),
  ]
}

/** The first and the last by number, so that nvme10n1 comes after nvme2n1; the first alone where both have no room. */
function rangeOf(names: readonly string[], room: number): string {
  const key = (name: string): string => name.replaceAll(/\d{1,12}/g, (digits) => digits.padStart(12, '0'))
  const sorted = [...names].sort((a, b) => compare(key(a), key(b)) || compare(a, b))
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)]
  const range = `${first} … ${last}`
  return widthOf(drawn(range), 8) <= room ? range : `${first} …`
}

/** What the limit on rows omits, in words: the worst are drawn first, so omitted ones are no worse than drawn ones. */
function leftOut(ways: readonly Way[]): readonly string[] {
  if (ways.length === 0) return []
  const exposed = ways.filter(({ outcome }) => outcome === 'exposed').length
  const of = exposed === 0 ? '' : `, ${exposed} of them not encrypted`
  return [`Not drawn: ${count(ways.length, 'more way')}${of}.`]
}

/** Mounts without content on a drive, and those that are not evaluated. */
function beside(storage: Storage, roots: readonly Root[]): readonly string[] {
  const volatile = roots.filter(({ walked }) => walked.outcome === 'volatile').length
  const exempt = exemptMounts(storage).map(({ point }) => quoted(point))
  return [
    ...(volatile === 0 ? [] : [`In memory only: ${count(volatile, 'place')}.`]),
    ...(exempt.length === 0 ? [] : [`Not evaluated, because the machine starts from there: ${listed(exempt)}.`]),
  ]
}

function tableOf(roots: readonly Root[]): Figure['table'] {
  const ordered = [...roots].sort((a, b) => rank(b.walked) - rank(a.walked) || compare(a.name, b.name))
  const more = ordered.length - MAX_TABLE
  return {
    head: ['Holds data', 'State', 'Why', 'Way down to the drive'],
    rows: [
      ...ordered.slice(0, MAX_TABLE).map(({ name, walked: { outcome, why, path } }) => {
        const { word } = STATES[outcome]
        return [name, word.charAt(0).toUpperCase() + word.slice(1), why, outcome === 'volatile' ? '' : path.join(' → ')]
      }),
      ...(more > 0 ? [[`${more} more`, '', 'Not listed here', '']] : []),
    ],
  }
}

/**
 * The widths of columns side by side in `room`: each what it needs where there is room for all; else the narrow ones what they need, and the
 * others the same of what is left.
 */
function sharedWidths(needs: readonly number[], room: number): readonly number[] {
  const widths = needs.map(() => 0)
  let [left, open] = [room, needs.length]
  const narrowFirst = [...needs.keys()].sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0) || a - b)
  for (const index of narrowFirst) {
    // Whole numbers: sums of fractions end a little outside of the room.
    const width = Math.min(Math.ceil(needs[index] ?? 0), Math.floor(left / open))
    widths[index] = width
    left -= width
    open -= 1
  }
  return widths
}
