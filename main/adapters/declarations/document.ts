import { realpath } from 'node:fs/promises'
import { type Document, LineCounter, parseDocument } from 'yaml'
import { decodeUtf8 } from '../../core/disclosure/text.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { beside as besideFile, offsetOf } from '../fleet-file.ts'
import { createSchemaValidator, type PlacedProblem, placeName, type SchemaName } from '../schema-validator.ts'
import { readPlain } from '../store/durable.ts'

const MIB = 1024 * 1024
const LARGEST_MIB = 8
const MOST_ALIASES = 100
const MOST_PROBLEMS = 20
/** Made at first use: compiling the schemas takes some 30 ms. */
let validator: ReturnType<typeof createSchemaValidator> | null = null

/** A YAML or JSON document that fits a schema, and the way to name a place in it. */
export interface PlacedDocument<T> {
  readonly value: T
  /** Where it lies: what relative paths in it start from. */
  readonly path: string
  /** input.refused, each problem as `file:line:column: field text`; several are separated by “; ”. */
  readonly refuse: (problems: readonly PlacedProblem[]) => Outcome<never>
}

/** Where a named file lies: a relative path starts at the folder of `beside`, or at the working folder. `~/` is the home folder. */
export const placeOf = (file: string, beside: string | null): string =>
  beside === null && !file.startsWith('~') ? file : besideFile(beside ?? '', file)

/** The bytes of an ordinary file, or what is wrong with it, to go on after its name. Links are followed; pipes and devices are never opened. */
export async function readNamed(path: string, largestMib: number): Promise<Uint8Array | string> {
  try {
    const { buffer, byteOffset, length } = await readPlain(await realpath(path), largestMib * MIB)
    // No copy: a database of addresses may be half a gigabyte.
    return new Uint8Array(buffer, byteOffset, length)
  } catch (problem) {
    if (problem instanceof Error && 'code' in problem) return 'could not be read'
    return String(problem).includes('larger') ? `is larger than ${largestMib} MiB` : 'is not an ordinary file'
  }
}

/**
 * Reads a document that people write by hand. Fails with input.not-found where it cannot be read, and with input.refused where it is too
 * large, is no YAML in UTF-8, or does not fit the schema; then every problem names line, column and field.
 */
export async function readDocument<T>(schema: SchemaName, path: string): Promise<Outcome<PlacedDocument<T>>> {
  const read = await readNamed(path, LARGEST_MIB)
  if (typeof read === 'string')
    return fail(read.startsWith('could') ? 'input.not-found' : 'input.refused', `${path} ${read}`)
  const text = decodeUtf8(read)
  return text === null || text.includes('\0')
    ? fail('input.refused', `${path}:1:1: is no text in UTF-8`)
    : parseDeclared<T>(schema, text, path)
}

/** The same for a text at hand; `path` names it in problems. */
function parseDeclared<T>(schema: SchemaName, text: string, path: string): Outcome<PlacedDocument<T>> {
  const lines = new LineCounter()
  const document = documentOf(text.replace(/^\uFEFF/, ' '), lines)
  if (document === null)
    return fail(
      'input.refused',
      `${path}:1:1: the document has too many parts, or parts that lie too deep in each other`,
    )
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${line}:${col}`
  }
  const [syntax] = document.errors
  if (syntax !== undefined) return fail('input.refused', `${at(syntax.pos[0])}: ${plain(syntax.message)}`)
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES })
  } catch {
    return fail('input.refused', `${path}:1:1: the document repeats itself through more aliases than we follow`)
  }
  const refuse = (problems: readonly PlacedProblem[]): Outcome<never> => {
    const told = problems
      .slice(0, MOST_PROBLEMS)
      .map((problem) => `${at(offsetOf(document, problem.path))}: ${placeName(problem.path)} ${problem.text}`)
    const more = problems.length - told.length
    return fail('input.refused', [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; '))
  }
  validator ??= createSchemaValidator()
  const misfits = validator.placed(schema, value)
  return misfits.length > 0 ? refuse(misfits) : ok({ value: value as T, path, refuse })
}

/**
 * Null where there are more parts, or they lie deeper in each other, than in any document of ours. Told before it is parsed: deep ones end the program, not only the
 * parser. Brackets in texts count as well.
 */
function documentOf(text: string, lineCounter: LineCounter): Document | null {
  if (DEEP_LINE.test(text) || depthOf(text) > DEEPEST || (text.match(/[\n,:]/g)?.length ?? 0) > MOST_MARKS) return null
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false })
  } catch {
    return null
  }
}

const DEEPEST = 100
/** Lines, commas and colons: reading more would take longer than somebody waits. Twenty thousand nodes take a tenth of it. */
const MOST_MARKS = 400_000
/** Far indented, or with many marks of lists and keys one after the other. */
const DEEP_LINE = /^(?: {400}|[ \t]{0,400}(?:[-?:][ \t]{1,40}){100})/m

function depthOf(text: string): number {
  let [depth, deepest] = [0, 0]
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1)
    deepest = Math.max(deepest, depth)
  }
  return deepest
}
