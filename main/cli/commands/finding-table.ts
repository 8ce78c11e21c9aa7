import type { Command } from 'commander'
import { findingChecks } from '../../app/findings.ts'
import { importResponses } from '../../app/register/respond.ts'
import type { Outcome } from '../../core/failure.ts'
import { plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { responseSheet, responseTable } from '../../present/formats/response-table.ts'
import { type Context, endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { type FindingOptions, findingScope, readFindings, withEvaluation } from '../findings.ts'
import { withFleet, withKey, withRegister } from '../register-changes.ts'
import { openSigner } from '../sealing.ts'
import { type ImportOptions, importRows, tableNameProblem, writeTable } from '../table-exchange.ts'
import { say } from '../terminal.ts'

/** `finding export` and `import`: every finding as a table in which people enter their responses, and back. */
export function findingTableCommands(context: Context, command: Command): void {
  withEvaluation(command.command('export').argument('<recordings...>', 'Folders of recordings'))
    .description('Write all findings as a table in which responses are entered')
    .requiredOption('--out <file>', 'Table to write: .csv or .xlsx')
    .action(async (folders: string[], options: FindingOptions & { readonly out: string }) => {
      const written = await exportTable(context, folders, options)
      if (!written.ok) return endWith(context, written.error)
      say(`Wrote ${plain(options.out, 300)}: ${plural(written.value, 'finding')}.`)
      say('  Enter Status, Owner, Due, Plan and Cause; leave the other columns. Next: barewitness finding import')
      context.exit(EXIT.done)
    })
  withKey(withFleet(withRegister(command.command('import').argument('<table>', 'Table to read: .csv or .xlsx'))))
    .description('Read responses from a table, all or none')
    .requiredOption('--by <name>', 'Person who states the responses')
    .action(async (path: string, options: ImportOptions) => {
      const scope = await findingScope(context, options)
      if (!scope.ok) return endWith(context, scope.error)
      const done = await importRows(context, path, options, {
        what: 'response',
        into: (register, rows) =>
          importResponses(context.ports, register, rows, {
            fleet: scope.value.fleet,
            checks: findingChecks(scope.value.catalog),
            statedBy: options.by,
            openSigner: options.identity === undefined ? null : () => openSigner(context, options),
          }),
      })
      if (!done.ok) endWith(context, done.error)
    })
}

async function exportTable(
  context: Context,
  folders: readonly string[],
  { out, ...options }: FindingOptions & { readonly out: string },
): Promise<Outcome<number>> {
  const fits = tableNameProblem(out)
  if (!fits.ok) return fits
  const read = await readFindings(context, folders, options)
  if (!read.ok) return read
  const { findings, assessment } = read.value
  const written = await writeTable(context, out, responseTable(findings, assessment.scope.fleet), responseSheet)
  return written.ok ? ok(findings.length) : written
}
