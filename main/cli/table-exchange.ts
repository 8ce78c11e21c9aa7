import type { Register } from '../../schemas/types.ts'
import type { Sheet } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { plural } from '../core/phrases.ts'
import { ok } from '../core/result.ts'
import type { TableRow } from '../core/table.ts'
import type { Context } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { change, type SignedOptions } from './register-changes.ts'
import { printLine } from './terminal.ts'

/** Tables that go out to people and come back into the register: responses to findings, requests of auditors. */
export type ImportOptions = SignedOptions & { readonly by: string }

type Rows = readonly (readonly string[])[]

/** Fails with input.refused unless the name is one of a table; asked before anything is evaluated. */
export const tableNameProblem = (out: string): Outcome<null> =>
  /\.(csv|xlsx)$/.test(out) ? ok(null) : fail('input.refused', `--out ${out} must end in .csv or .xlsx`)

/** Writes rows in the form that the name of the file asks for. Fails with store.failed. */
export async function writeTable(
  { ports }: Context,
  out: string,
  rows: Rows,
  sheetOf: (rows: Rows) => Sheet,
): Promise<Outcome<unknown>> {
  return await ports.files.write(out, out.endsWith('.csv') ? ports.csv(rows) : await ports.xlsx([sheetOf(rows)]))
}

interface Imported {
  readonly register: Register
  readonly added: readonly unknown[]
  readonly unchanged: number
}

/** Reads a table into the register, all rows or none, and prints what changed. Fails as the reader and the register do. */
export async function importRows(
  context: Context,
  path: string,
  options: ImportOptions,
  {
    what,
    into,
  }: {
    readonly what: string
    readonly into: (register: Register, rows: readonly TableRow[]) => Promise<Outcome<Imported>>
  },
): Promise<Outcome<null>> {
  const rows = await context.ports.readTable(path)
  if (!rows.ok) return rows
  let counts = { added: 0, unchanged: 0 }
  const changed = await change(context, options, {
    begin: true,
    next: async (register) => {
      const imported = await into(register, rows.value)
      if (!imported.ok) return imported
      counts = { added: imported.value.added.length, unchanged: imported.value.unchanged }
      return ok(imported.value.register)
    },
  })
  if (!changed.ok) return changed
  printLine(`${plural(counts.added, what)} recorded; ${plural(counts.unchanged, 'row')} unchanged. No verdict changes.`)
  if (counts.added > 0 && options.identity === undefined) printLine('  Not digitally signed. To sign, use --identity.')
  context.exit(EXIT.done)
  return ok(null)
}
