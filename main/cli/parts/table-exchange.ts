import type { Command } from 'commander'
import type { Register } from '../../../schemas/types.ts'
import type { Sheet } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain, plural } from '../../core/base/plain-text.ts'
import type { TableRow } from '../../core/base/table.ts'
import { paperOf } from '../../present/report.ts'
import { type FindingOptions, readFindings, type ShownFindings, withEvaluation } from './findings.ts'
import { type Context, EXIT, endWith, printLine } from './options.ts'
import { change, type SignedOptions } from './register-changes.ts'

/** Options of importing a table into the register: responses to findings, or requests of auditors. */
export type ImportOptions = SignedOptions & { readonly by: string }

interface Exported {
  /** The heading first. */
  readonly rows: readonly (readonly string[])[]
  readonly sheet: Sheet
}

interface TableExport {
  readonly description: string
  /** The name of a row, in the singular. */
  readonly what: string
  /** The next step, printed after the export. */
  readonly next: string
  readonly table: (read: ShownFindings) => Exported
}

/** Adds a command `export`, which evaluates recordings and writes a table of them: CSV or a workbook, by the ending of the file’s name. */
export function addExport(context: Context, command: Command, { description, what, next, table }: TableExport): void {
  withEvaluation(command.command('export').argument('<recordings...>', 'Folders of recordings'))
    .description(description)
    .requiredOption('--out <file>', 'Table to write: .csv or .xlsx')
    .action(async (folders: string[], options: FindingOptions & { readonly out: string }) => {
      const written = await writeTable(context, folders, options, table)
      if (!written.ok) return endWith(context, written.error)
      printLine(`Wrote ${plain(options.out, 300)}: ${plural(written.value, what)}.`)
      printLine(`  ${next}`)
      context.exit(EXIT.done)
    })
}

/** Writes the table and returns the number of its rows without the heading. The name of the file is checked first. */
async function writeTable(
  context: Context,
  folders: readonly string[],
  { out, ...options }: FindingOptions & { readonly out: string },
  table: TableExport['table'],
): Promise<Outcome<number>> {
  if (!/\.(csv|xlsx)$/.test(out)) return fail('input.refused', `--out ${out} must end in .csv or .xlsx`)
  const read = await readFindings(context, folders, options)
  if (!read.ok) return read
  const { ports } = context
  const { scope, asOf } = read.value.assessment
  const { rows, sheet } = table(read.value)
  const print = { paper: paperOf(scope), foot: `${plain(scope.fleet, 80)}, as of ${asOf}` }
  const written = await ports.files.write(
    out,
    out.endsWith('.csv') ? ports.csv(rows) : await ports.xlsx([sheet], print),
  )
  return written.ok ? ok(rows.length - 1) : written
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
