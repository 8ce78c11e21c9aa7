import { writeFileSync } from 'node:fs'
import {
  type NodeSettings,
  type RecordedAnswer,
  readRecordedNode,
  recordedNodeFile,
  type StreamForm,
} from '../../main/adapters/demo/recorded-node.ts'
import { FIXTURE_NODES } from './fixtures.ts'

/** Tests that know what a fixture has to hold write it, in place of comparing. */
export const KEEP_FIXTURES = process.env.KEEP_FIXTURES === '1'

export const keepFixture = (name: string, settings: NodeSettings, answers: ReadonlyMap<string, RecordedAnswer>): void =>
  writeFileSync(recordedNodeFile(FIXTURE_NODES, name), writeRecordedNode(settings, answers))

/** Replaces the stdout of one capture, which a fixture has already. */
export function keepAnswer(name: string, key: string, stdout: string): void {
  const { settings, answers } = readRecordedNode(FIXTURE_NODES, name)
  const kept = answers.get(key)
  if (kept === undefined) throw new Error(`${name} has no capture ${key}`)
  keepFixture(name, settings, new Map([...answers, [key, { ...kept, stdout: Buffer.from(stdout) }]]))
}

/** The file of a recorded node, in the format of main/adapters/demo/recorded-node.ts; captures in the order of their names. */
export function writeRecordedNode(settings: NodeSettings, answers: ReadonlyMap<string, RecordedAnswer>): string {
  const keys = [...answers.keys()].sort()
  const sections = keys.map((key) => {
    const answer = answers.get(key)
    return answer === undefined
      ? ''
      : `\n== ${key}\n${answerLines(answer)
          .map((line) => `${line}\n`)
          .join('')}`
  })
  return `${JSON.stringify(settings, null, 2)}\n${sections.join('')}`
}

const answerLines = ({ exitCode, status, seconds, stdout, stderr }: RecordedAnswer): readonly string[] => [
  ...(exitCode === 0 ? [] : [`exit ${exitCode}`]),
  ...(status === 'done' ? [] : [`status ${status}`]),
  ...(seconds === undefined ? [] : [`seconds ${seconds.node} ${seconds.collectingComputer}`]),
  ...streamLines('stdout', stdout),
  ...streamLines('stderr', stderr),
]

function streamLines(name: string, bytes: Uint8Array): readonly string[] {
  if (bytes.length === 0) return []
  const form = formOf(bytes)
  return [form === 'text' ? name : `${name} ${form}`, ...encodeStream(form, bytes)]
}

/** Characters that no editor shows as they are, or that change how their line is shown. */
const UNSEEN = /[^\P{C}\t\n]|\p{Zl}|\p{Zp}/u

/** Text wherever it is seen as it is; escaped where a tenth of the bytes or less have to be. */
function formOf(bytes: Uint8Array): StreamForm {
  const text = Buffer.from(bytes).toString('utf8')
  if (Buffer.from(text, 'utf8').equals(bytes) && !UNSEEN.test(text)) return 'text'
  const odd = bytes.filter((byte) => !isPlain(byte)).length
  return odd * 10 <= bytes.length ? 'escaped' : 'hex'
}

const isPlain = (byte: number): boolean => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x09

function encodeStream(form: StreamForm, bytes: Uint8Array): readonly string[] {
  if (form === 'hex') return hexLines(bytes)
  const text = form === 'text' ? Buffer.from(bytes).toString('utf8') : Array.from(bytes, escaped).join('')
  const lines = text.split('\n').map((line) => `|${line}`)
  return text.endsWith('\n') ? lines.slice(0, -1) : [...lines, '\\']
}

function escaped(byte: number): string {
  if (byte === 0x0d) return '\\r'
  if (byte === 0x5c) return '\\\\'
  return isPlain(byte) ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`
}

/** Rows of 16 bytes; rows that follow each other alike are one line. */
function hexLines(bytes: Uint8Array): readonly string[] {
  const runs: { readonly row: string; readonly shown: string; times: number }[] = []
  for (let start = 0; start < bytes.length; start += 16) {
    const chunk = bytes.slice(start, start + 16)
    const row = Array.from(chunk, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const shown = Array.from(chunk, (byte) => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    const last = runs.at(-1)
    if (last?.row === row) last.times += 1
    else runs.push({ row, shown, times: 1 })
  }
  return runs.map(({ row, shown, times }) => `|${row}${times === 1 ? '' : ` x${times}`}  ${shown}`)
}
