import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Capture, DeclaredLocation, DeclaredNode } from '../../../schemas/types.ts'
import { decodeStream, isStreamForm } from './recorded-stream.ts'

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
 * After `== PROBE/COMMAND` follow, each only where it differs from the default: `exit N` (0), `status WORD` (done), for
 * live tests `seconds NODE AUDITOR` (the duration by the node's clock and by the auditor's, which a replaying server
 * does not reproduce), `stdout` and `stderr` (empty), with the form of their lines where it is not text: see
 * recorded-stream.ts. Every line of a stream begins with `|`.
 */
export interface NodeSettings {
  /** Inherits the captures and settings of another node in the same folder. */
  readonly extends?: string
  /** Omits some of them: "probe" or "probe/command". */
  readonly omit?: readonly string[]
  /** How the captures were made up; null for captures of a real machine. */
  readonly synthetic?: string | null
  readonly privilege?: 'root' | 'sudo' | 'none'
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
  readonly seconds?: { readonly node: number; readonly auditor: number }
}

/** What one file states, without what it inherits. */
export interface RecordedNode {
  readonly settings: NodeSettings
  /** By "probe/command". */
  readonly answers: ReadonlyMap<string, RecordedAnswer>
}

const EXTENSION = '.txt'
/** The states in which a command was run on the node; the others are the collector's, and are not recorded here. */
type AnsweredStatus = Extract<Capture['status'], 'done' | 'timed-out' | 'truncated' | 'no-path'>
const isStatus = (word: string): word is AnsweredStatus => ['done', 'timed-out', 'truncated', 'no-path'].includes(word)

export const recordedNodeFile = (root: string, name: string): string => join(root, name + EXTENSION)

export const recordedNodeNames = (root: string): readonly string[] =>
  readdirSync(root)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .sort()

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
    const [, node, auditor] = /^([\d.]+) ([\d.]+)$/.exec(value) ?? []
    if (word === 'seconds' && node !== undefined) return { seconds: { node: Number(node), auditor: Number(auditor) } }
  }
  throw new Error(`this line cannot be read: ${word} ${value}`)
}
