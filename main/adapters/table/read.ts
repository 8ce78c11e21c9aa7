import { open, readFile } from 'node:fs/promises'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import type { TableRow } from '../../core/table.ts'
import { isCode } from '../store/durable.ts'
import { rowsOfCsv } from './csv.ts'
import { rowsOfWorkbook } from './workbook.ts'

/** A table of findings takes some hundred kilobytes. */
const LARGEST = 8 * 1024 * 1024

/**
 * The rows of a table that a person filled in: a CSV file, or the first sheet of a workbook (.xlsx). Fails with input.not-found, and with
 * input.refused for another kind of file, one that is too large, and one that cannot be read.
 */
export async function readTable(path: string): Promise<Outcome<readonly TableRow[]>> {
  const read = path.endsWith('.csv') ? rowsOfCsvFile : path.endsWith('.xlsx') ? rowsOfWorkbook : null
  if (read === null) return fail('input.refused', `${path} must end in .csv or .xlsx`)
  try {
    const file = await open(path, 'r')
    try {
      const stat = await file.stat()
      if (!stat.isFile()) return fail('input.refused', `${path} is not a file`)
      if (stat.size > LARGEST) return fail('input.refused', `${path} is larger than ${LARGEST / 1024 ** 2} MiB`)
      return ok(await read(file, stat.size))
    } finally {
      await file.close()
    }
  } catch (problem) {
    if (isCode(problem, 'ENOENT')) return fail('input.not-found', `${path} does not exist`)
    return fail('input.refused', `${path}: ${plain(problem instanceof Error ? problem.message : String(problem), 300)}`)
  }
}

const rowsOfCsvFile = async (file: Parameters<typeof readFile>[0]): Promise<readonly TableRow[]> =>
  rowsOfCsv(new Uint8Array(await readFile(file)))
