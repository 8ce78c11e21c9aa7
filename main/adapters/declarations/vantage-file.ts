import type { VantageRecord } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { decodeUtf8, quote } from '../../core/plain-text.ts'
import type { SealReader } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { vantageStands } from '../../verify/steps/location.ts'
import { createSchemaValidator, placeName } from '../schema-validator.ts'
import { placeOf, readNamed } from './document.ts'

/** The largest fleet that a file may contain, each node timed as often as we time it, takes three quarters of it. */
const LARGEST_MIB = 64

/** Built at first use: compiling the schemas takes some 30 ms. */
let validator: ReturnType<typeof createSchemaValidator> | null = null

/**
 * A vantage record, as `vantage measure` wrote it, whose signature stands: whose key that is, is for the reader to find out. Fails with
 * input.not-found where it cannot be read, and with input.refused where it is no such record, or was changed since it was signed.
 */
export async function readVantage(
  seal: SealReader,
  file: string,
  beside: string | null,
): Promise<Outcome<VantageRecord>> {
  const path = placeOf(file, beside)
  const bytes = await readNamed(path, LARGEST_MIB)
  if (typeof bytes === 'string')
    return fail(bytes.startsWith('could') ? 'input.not-found' : 'input.refused', `${path} ${bytes}`)
  const value = jsonIn(bytes)
  if (value === null) return fail('input.refused', `${path} is not JSON in UTF-8`)
  validator ??= createSchemaValidator()
  const [misfit] = validator.placed('vantage', value)
  if (misfit !== undefined)
    return fail('input.refused', `${path} is not a vantage record: ${placeName(misfit.path)} ${misfit.text}`)
  const record = value as VantageRecord
  const [problem] = (await vantageStands(seal, record)).problems
  return problem === undefined
    ? ok(record)
    : fail('input.refused', `${path}: the vantage record of ${quote(record.vantage.name)} cannot be used. ${problem}`)
}

/** Null for anything that is not JSON; the value null itself is no record either. */
function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes) ?? '')
  } catch {
    return null
  }
}
