import { LineCounter, parseDocument } from 'yaml'
import type { Register } from '../../schemas/types.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { plain } from '../core/plain-text.ts'
import { ok } from '../core/result.ts'
import { offsetOf } from './fleet-file.ts'
import { createSchemaValidator, placeName } from './schema-validator.ts'
import { isCode, readPlain } from './store/durable.ts'

const LARGEST = 128 * 1024 * 1024
const MOST_PROBLEMS = 5
let validator: ReturnType<typeof createSchemaValidator> | null = null

/** A register file; null where there is none. Fails with input.refused, naming file, line and field. */
export async function readRegister(path: string): Promise<Outcome<Register | null>> {
  try {
    return parseRegister(new TextDecoder('utf-8', { fatal: true }).decode(await readPlain(path, LARGEST)), path)
  } catch (problem) {
    if (isCode(problem, 'ENOENT')) return ok(null)
    return fail('input.refused', `${path}: ${plain(problem instanceof Error ? problem.message : String(problem))}`)
  }
}

/** The text of a register file. `path` names it in problems. */
export function parseRegister(text: string, path: string): Outcome<Register> {
  const lines = new LineCounter()
  // JSON is YAML as well, and the YAML reader knows positions. It is slow, so only a file with problems is passed to
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
  validator ??= createSchemaValidator()
  const problems = validator.placed('register', value).slice(0, MOST_PROBLEMS)
  if (problems.length === 0) return ok(value as Register)
  const placed = document()
  const told = problems.map((one) => `${at(offsetOf(placed, one.path))}: ${placeName(one.path)} ${one.text}`)
  return fail('input.refused', told.join('; '))
}
