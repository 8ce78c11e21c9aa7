import { realpath, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Inventory } from '../../../schemas/types.ts'
import type { InventoryTable } from '../../core/all-ports.ts'
import { sha256 } from '../../core/digest.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { oneLine, quote } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { readPlain } from '../store/durable.ts'
import { inventoryRows } from './inventory-csv.ts'

const MIB = 1024 * 1024
const LARGEST_MIB = 16
const LONGEST_NAME = 200

/**
 * A provider inventory as a separate table, with common headings. Fails with input.refused; every problem names its
 * line.
 */
export async function readInventoryTable(path: string): Promise<Outcome<InventoryTable>> {
  const name = oneLine(basename(path), LONGEST_NAME)
  const bytes = await readList(path)
  if (typeof bytes === 'string') return fail('input.refused', `${quote(name)} ${bytes}`)
  const { rows, problems } = inventoryRows(bytes, {})
  if (problems.length === 0) return ok({ file: inventoryFileOf(name, bytes), rows, bytes })
  const told = problems.map(({ line, text }) => `${quote(name)}${line === null ? '' : `, line ${line},`} ${text}`)
  return fail('input.refused', told.join('; '))
}

export const inventoryFileOf = (name: string, bytes: Uint8Array): Inventory['file'] => ({
  name,
  size: bytes.length,
  sha256: sha256(bytes),
})

/**
 * The bytes of the provider inventory, or the error. Links are followed; pipes, devices and folders are refused, never
 * opened.
 */
export async function readList(path: string): Promise<Uint8Array | string> {
  try {
    const real = await realpath(path)
    if ((await stat(real)).size > LARGEST_MIB * MIB) return `is larger than ${LARGEST_MIB} MiB`
    return new Uint8Array(await readPlain(real, LARGEST_MIB * MIB))
  } catch (problem) {
    return problem instanceof Error && 'code' in problem ? 'could not be read' : 'is not a regular file'
  }
}
