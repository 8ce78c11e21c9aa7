import { createHash } from 'node:crypto'
import { closeSync, constants, createReadStream, fstatSync, openSync, readFileSync } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { LineCounter, parseDocument } from 'yaml'
import type { Register } from '../../schemas/types.ts'
import type { CsvReader } from '../core/all-ports.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { plain } from '../core/base/plain-text.ts'
import type { StoredBytes } from '../core/recording/recording.ts'
import { offsetOf } from './fleet-file.ts'
import { placedProblems, placeName } from './schema-validator.ts'
import { bytesIfThere, isCode, messageOf, readPlain } from './store/durable.ts'

/**
 * A file on this computer as bytes of known size and digest. Links are not followed; the reader compares the result.
 */
export const storedFile = (path: string, size: number, sha256: string): StoredBytes =>
  new StoredFile(dirname(path), basename(path), size, sha256)

/** As storedFile, for a file named by its digest. */
export const storedBlob = (folder: string, size: number, sha256: string): StoredBytes =>
  new StoredFile(folder, sha256, size, sha256)

/**
 * A class, with its path in two parts, only because a pack has some hundred thousand of these: functions and a path of
 * its own for each would take more memory than the rest.
 */
class StoredFile implements StoredBytes {
  readonly folder: string
  readonly name: string
  readonly size: number
  readonly sha256: string
  constructor(folder: string, name: string, size: number, sha256: string) {
    this.folder = folder
    this.name = name
    this.size = size
    this.sha256 = sha256
  }
  async read(): Promise<Uint8Array> {
    return readWhole(join(this.folder, this.name), this.size)
  }
  open(): AsyncIterable<Uint8Array> {
    return opened(join(this.folder, this.name))
  }
}

/** Synchronously: for many small files, switching takes longer than reading them. */
function readWhole(path: string, size: number): Uint8Array {
  const file = openSync(path, READ_ONLY)
  try {
    const { size: there } = fstatSync(file)
    if (there !== size) throw new Error(`${path} has ${there} bytes, not ${size}`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

async function* opened(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, READ_ONLY)
  yield* handle.createReadStream()
}

/** Opening a link fails, a pipe does not wait for a writer. Where the system has no such flags, 0 omits them. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Size and SHA-256 of a file, read as a stream. Rejects as the file system does. */
export async function digestOfFile(path: string): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer)
  return { size: (await stat(path)).size, sha256: hash.digest('hex') }
}

/**
 * Appends one line, its end included, to an append-only file. It is on the disk when this resolves. Throws past
 * `largest` bytes.
 */
export async function appendLine(path: string, line: string, largest: number): Promise<void> {
  const handle = await open(path, 'a', 0o600)
  try {
    const { size } = await handle.stat()
    if (size + Buffer.byteLength(line) > largest) throw new Error(`${path} would be larger than ${largest} bytes`)
    await handle.appendFile(line)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

/** A line without its end was being written when a process was killed: its writer never confirmed it. */
export async function cutTornLine(path: string, largest: number): Promise<void> {
  const bytes = await bytesIfThere(path, largest)
  const whole = (bytes?.lastIndexOf(0x0a) ?? -1) + 1
  if (bytes === null || whole === bytes.length) return
  const handle = await open(path, 'r+')
  try {
    await handle.truncate(whole)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const MIB = 1024 * 1024

/**
 * The bytes of a regular file that a person named, or the error, worded to follow its name. Links are followed; pipes and devices are never
 * opened.
 */
export async function readNamed(path: string, largestMib: number): Promise<Uint8Array | string> {
  try {
    const { buffer, byteOffset, length } = await readPlain(await realpath(path), largestMib * MIB)
    // No copy: an address database may be half a gigabyte.
    return new Uint8Array(buffer, byteOffset, length)
  } catch (problem) {
    if (problem instanceof Error && 'code' in problem) return 'could not be read'
    return String(problem).includes('larger') ? `is larger than ${largestMib} MiB` : 'is not a regular file'
  }
}

/** The error of readNamed() as a failure: input.not-found, or input.refused. */
export const unread = (path: string, why: string): Outcome<never> =>
  fail(why.startsWith('could') ? 'input.not-found' : 'input.refused', `${path} ${why}`)

const LARGEST = 128 * MIB
const MOST_PROBLEMS = 5

/** A register file; null where there is none. Fails with input.refused, naming file, line and field. */
export async function readRegister(path: string): Promise<Outcome<Register | null>> {
  try {
    return parseRegister(new TextDecoder('utf-8', { fatal: true }).decode(await readPlain(path, LARGEST)), path)
  } catch (problem) {
    if (isCode(problem, 'ENOENT')) return ok(null)
    return fail('input.refused', `${path}: ${plain(messageOf(problem))}`)
  }
}

/** The text of a register file. `path` names it in problems. */
function parseRegister(text: string, path: string): Outcome<Register> {
  const lines = new LineCounter()
  // JSON is YAML as well, and the YAML reader gives positions. It is slow, so only a file with problems is passed to
  // it.
  const document = (): ReturnType<typeof parseDocument> =>
    parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${line}:${col}`
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const [stopped] = document().errors
    return fail('input.refused', `${stopped === undefined ? path : at(stopped.pos[0])}: not valid JSON`)
  }
  const problems = placedProblems('register', value).slice(0, MOST_PROBLEMS)
  if (problems.length === 0) return ok(value as Register)
  const placed = document()
  const sentences = problems.map((one) => `${at(offsetOf(placed, one.path))}: ${placeName(one.path)} ${one.text}`)
  return fail('input.refused', sentences.join('; '))
}

// What spreadsheet programs treat as the start of a formula, also full width, and also after blanks and quotation
// marks. A program that splits at semicolons, tabs or line ends starts a new cell there, whatever surrounds it.
const INSIDE = /[;\t\r\n](?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const AT_START = /^(?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/

/** The same text, with an apostrophe before anything that could be read as a formula (OWASP, CSV injection). */
export const defused = (cell: string): string => cell.replace(INSIDE, "$&'").replace(AT_START, "'")

/** Reverts defused(). A text that begins with a tab or a line end, as no entry does, keeps its apostrophe. */
export function fused(cell: string): string {
  const inside = cell.replace(FUSED_INSIDE, '$1')
  return inside.startsWith("'") && FORMULA.test(inside.slice(1)) ? inside.slice(1) : inside
}

const FUSED_INSIDE = /([;\t\r\n])'(?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const FORMULA = /^[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]/

/**
 * A table as CSV (RFC 4180) with a byte order mark for spreadsheets; a cell that could be read as a formula is
 * neutralized.
 */
export const csvOf = (rows: Iterable<readonly string[]>): string => [...csvPieces(rows)].join('')

/**
 * The text of csvOf() in pieces of some lines. Importers, such as those of Jira and ServiceNow, find columns by their exact names and
 * would read a byte order mark as part of the first one.
 */
export function* csvPieces(rows: Iterable<readonly string[]>, reader: CsvReader = 'spreadsheet'): Generator<string> {
  if (reader === 'spreadsheet') yield '\ufeff'
  let piece: string[][] = []
  for (const row of rows) {
    piece.push(row.map(defused))
    if (piece.length < ROWS_AT_ONCE) continue
    yield pieceOf(piece)
    piece = []
  }
  yield pieceOf(piece)
}

// More rows would survive the collection of young objects, and be freed late.
const ROWS_AT_ONCE = 50

// Readers accept either half of a line end as a line end, so a cell with one is quoted.
const pieceOf = (rows: string[][]): string => stringify(rows, { record_delimiter: '\r\n', quoted_match: /[\r\n\t;]/ })
