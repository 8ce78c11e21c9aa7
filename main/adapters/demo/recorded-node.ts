import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from 'ssh2'
import type { Capture, DeclaredLocation, DeclaredNode } from '../../../schemas/types.ts'
import { OFFER_LISTS, type SshOffer } from '../../core/fleet/ssh-methods.ts'

/**
 * A recorded node as one text file NAME.txt that reads well in a diff: its settings as JSON, then a section per capture.
 * The demo fleet and the test fixtures consist of these; test/support/keep-fixtures.ts writes them.
 *
 *     { "privilege": "sudo", "synthetic": null }
 *
 *     == sshd.effective/settings
 *     exit 127
 *     stderr
 *     |sh: 1: sshd: not found
 *
 * `== PROBE/COMMAND` is followed by the values that differ from their default (in parentheses): `exit N` (0),
 * `status WORD` (done), `stdout` and `stderr` (empty), with the form of their lines where it is not text: see
 * StreamForm. Live tests also have `seconds NODE AUDITOR`: the duration by the clocks of the node and of the collecting
 * computer, which a replaying server does not reproduce. Every line of a stream begins with `|`.
 */
export interface NodeSettings {
  /** Inherits the captures and settings of another node in the same folder. */
  readonly extends?: string
  /** Omits some of them: "probe" or "probe/command". */
  readonly omit?: readonly string[]
  /** How the captures were created; null for captures of a real machine. */
  readonly synthetic?: string | null
  readonly privilege?: 'root' | 'sudo' | 'none'
  /** Time of the captures by the collecting computer's clock; the demo fleet counts from here. */
  readonly recordedAt?: string
  readonly node?: Partial<DeclaredNode>
  /** Used by tests: location evidence from outside the node. */
  readonly location?: DeclaredLocation
  /** Used by tests: check id → the verdict that these captures must give. */
  readonly expected?: Readonly<Record<string, string>>
}

export interface RecordedAnswer {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly exitCode: number
  readonly status: Capture['status']
  readonly seconds?: { readonly node: number; readonly collectingComputer: number }
}

/** The content of one file, without what it inherits. */
interface RecordedNode {
  readonly settings: NodeSettings
  /** By "probe/command". */
  readonly answers: ReadonlyMap<string, RecordedAnswer>
}

const EXTENSION = '.txt'
/** The states of a command that was run on the node. The other states are the collector's and are not recorded here. */
type AnsweredStatus = Extract<Capture['status'], 'done' | 'timed-out' | 'truncated' | 'no-path'>
const isStatus = (word: string): word is AnsweredStatus => ['done', 'timed-out', 'truncated', 'no-path'].includes(word)

export const recordedNodeFile = (root: string, name: string): string => join(root, name + EXTENSION)

/** Reads the file of one node, and no other. Throws where it is not in the format above. */
export function readRecordedNode(root: string, name: string): RecordedNode {
  const file = recordedNodeFile(root, name)
  try {
    return parseRecordedNode(readFileSync(file, 'utf8'))
  } catch (problem) {
    throw new Error(`${file}: ${problem instanceof Error ? problem.message : problem}`)
  }
}

/** Settings of a node with those it extends, nearest first. */
export function nodeSettings(root: string, name: string): NodeSettings {
  const own = readRecordedNode(root, name).settings
  if (own.extends === undefined) return own
  const base = nodeSettings(root, own.extends)
  return { ...base, ...own, node: { ...base.node, ...own.node } }
}

/** Captures by "probe/command". */
export function nodeAnswers(root: string, name: string): ReadonlyMap<string, RecordedAnswer> {
  const own = readRecordedNode(root, name)
  const { extends: base, omit = [] } = own.settings
  const isLeftOut = (key: string): boolean => omit.some((left) => key === left || key.startsWith(`${left}/`))
  const inherited = base === undefined ? [] : [...nodeAnswers(root, base)].filter(([key]) => !isLeftOut(key))
  return new Map([...inherited, ...own.answers])
}

/** Throws where the text is not in the format above; the message names the section. */
export function parseRecordedNode(text: string): RecordedNode {
  const [settings = '', ...sections] = text.split(/^== /m)
  const answers = new Map<string, RecordedAnswer>()
  for (const section of sections) {
    const [key = '', ...lines] = section.split('\n')
    try {
      if (!/^[a-z0-9.-]+\/[A-Za-z0-9-]+$/.test(key)) throw new Error('this names no capture')
      if (answers.has(key)) throw new Error('this capture occurs twice')
      answers.set(key, parseAnswer(lines))
    } catch (problem) {
      throw new Error(`${key}: ${problem instanceof Error ? problem.message : problem}`)
    }
  }
  return { settings: JSON.parse(settings) as NodeSettings, answers }
}

/** A line such as `exit 1` or `stdout hex`, with the lines of a stream below it. */
interface Entry {
  readonly word: string
  readonly value: string
  readonly stream: string[]
}

function parseAnswer(lines: readonly string[]): RecordedAnswer {
  const entries: Entry[] = []
  for (const line of lines.filter((one) => one !== '')) {
    const last = entries.at(-1)
    if (/^[|\\]/.test(line) && last !== undefined) last.stream.push(line)
    else entries.push({ word: line.replace(/ .*/, ''), value: line.replace(/^\S+ ?/, ''), stream: [] })
  }
  const none: RecordedAnswer = { stdout: new Uint8Array(), stderr: new Uint8Array(), exitCode: 0, status: 'done' }
  return Object.assign(none, ...entries.map(parseEntry))
}

function parseEntry({ word, value, stream }: Entry): Partial<RecordedAnswer> {
  const form = value === '' ? 'text' : value
  if ((word === 'stdout' || word === 'stderr') && isStreamForm(form)) return { [word]: decodeStream(form, stream) }
  if (stream.length === 0) {
    if (word === 'exit' && /^\d+$/.test(value)) return { exitCode: Number(value) }
    if (word === 'status' && isStatus(value)) return { status: value }
    const [, node, collectingComputer] = /^([\d.]+) ([\d.]+)$/.exec(value) ?? []
    if (word === 'seconds' && node !== undefined)
      return { seconds: { node: Number(node), collectingComputer: Number(collectingComputer) } }
  }
  throw new Error(`this line cannot be read: ${word} ${value}`)
}

/**
 * The bytes of a stream as lines of a recorded node's file, in the first of these forms that can express them:
 * - `text`: `|` and the line as it is, in UTF-8 without control characters but tab.
 * - `escaped`: the same in printable ASCII and tab; a backslash is `\\`, a carriage return `\r`, any other byte `\xHH`.
 * - `hex`: `|`, 16 bytes as hex pairs, ` xN` for N equal lines, then two blanks and the same bytes as ASCII, which is
 *   not parsed.
 * In text and escaped, a line stands for itself and a line feed; a last line without a line feed is followed by `\`.
 */
export type StreamForm = 'text' | 'escaped' | 'hex'

const isStreamForm = (word: string): word is StreamForm => ['text', 'escaped', 'hex'].includes(word)

const NO_LINE_FEED = '\\'

/** Throws where the lines are not in the form. */
function decodeStream(form: StreamForm, lines: readonly string[]): Uint8Array {
  if (form === 'hex') return Buffer.concat(lines.map(hexLine))
  const isOpen = lines.at(-1) === NO_LINE_FEED
  const closed = isOpen ? lines.slice(0, -1) : lines
  const odd = closed.find((line) => !(form === 'text' ? line.startsWith('|') : ESCAPED_LINE.test(line)))
  if (odd !== undefined) throw new Error(`not a line of ${form}: ${odd.slice(0, 40)}`)
  const text = closed.map((line) => line.slice(1)).join('\n') + (isOpen || closed.length === 0 ? '' : '\n')
  return form === 'text' ? Buffer.from(text, 'utf8') : Buffer.from(text.replace(ESCAPE, unescaped), 'latin1')
}

const ESCAPED_LINE = /^\|(?:[\t -[\]-~]|\\(?:\\|r|x[0-9a-f]{2}))*$/
const ESCAPE = /\\(\\|r|x[0-9a-f]{2})/g

const unescaped = (_: string, escaped: string): string => {
  if (escaped === 'r') return '\r'
  return escaped === '\\' ? '\\' : String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
}

function hexLine(line: string): Buffer {
  const found = /^\|([0-9a-f]{2}(?: [0-9a-f]{2})*)(?: x(\d+))?(?: {2}.*)?$/.exec(line)
  if (found === null) throw new Error(`not a line of hex: ${line.slice(0, 40)}`)
  const bytes = Buffer.from((found[1] ?? '').replaceAll(' ', ''), 'hex')
  return Buffer.concat(Array.from({ length: Number(found[2] ?? '1') }, () => bytes))
}

interface Names {
  array: readonly string[]
}

interface Offer {
  totalSize: number
  copyAllTo: (buffer: Uint8Array, at: number) => void
  readonly lists: {
    readonly kex: Names
    readonly serverHostKey: Names
    readonly cs: { readonly cipher: Names; readonly mac: Names; readonly compress: Names }
    readonly sc: { readonly cipher: Names; readonly mac: Names; readonly compress: Names }
  }
}

/**
 * Makes a demo server propose the algorithms of the recorded node in its key exchange, including those that ssh2 lacks:
 * a client of this program never selects them. Host key and compression stay those of this server. ssh2 has no option
 * for this; where its private field is absent, the server proposes its own defaults.
 */
export function offerRecorded(client: Connection, recorded: RecordedAnswer | undefined): void {
  if (recorded !== undefined) offerLists(client, JSON.parse(Buffer.from(recorded.stdout).toString()) as SshOffer)
}

/** The same from the lists themselves. */
export function offerLists(client: Connection, lists: Readonly<Partial<SshOffer>>): void {
  const offer = (client as unknown as { _protocol?: { _offer?: Offer } })._protocol?._offer
  if (offer === undefined || typeof offer.copyAllTo !== 'function') return
  const own: Readonly<Record<string, readonly string[]>> = {
    hostKey: offer.lists.serverHostKey.array,
    compressionToNode: offer.lists.cs.compress.array,
    compressionFromNode: offer.lists.sc.compress.array,
  }
  const names = [...OFFER_LISTS.map((key) => own[key] ?? lists[key] ?? []), [], []]
  const bytes = Buffer.concat(
    names.map((list) => {
      const text = Buffer.from(list.join(','), 'latin1')
      const length = Buffer.alloc(4)
      length.writeUInt32BE(text.length)
      return Buffer.concat([length, text])
    }),
  )
  // These decide the negotiated algorithms, so they contain only proposed ones.
  const { kex, cs, sc } = offer.lists
  for (const [held, key] of [
    [kex, 'kex'],
    [cs.cipher, 'cipherToNode'],
    [sc.cipher, 'cipherFromNode'],
    [cs.mac, 'macToNode'],
    [sc.mac, 'macFromNode'],
  ] as const)
    held.array = held.array.filter((name) => lists[key]?.includes(name) === true)
  // The object is shared by all connections of this server, which all propose the same.
  offer.totalSize = bytes.length
  offer.copyAllTo = (buffer, at) => buffer.set(bytes, at)
}
