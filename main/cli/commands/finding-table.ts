import type { Command } from 'commander'
import { findingChecks } from '../../app/findings.ts'
import { importResponses } from '../../app/register/respond.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { responseSheet, responseTable } from '../../present/formats/response-table.ts'
import { type Context, endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { type FindingOptions, findingScope, readFindings, withEvaluation } from '../findings.ts'
import { change, type SignedOptions, withFleet, withKey, withRegister } from '../register-changes.ts'
import { openSigner } from '../sealing.ts'
import { say } from '../terminal.ts'

/** `finding export` and `import`: every finding as a table in which people enter their responses, and back. */
export function findingTableCommands(context: Context, command: Command): void {
  withEvaluation(command.command('export').argument('<recordings...>', 'Folders of recordings'))
    .description('Write all findings as a table in which responses are entered')
    .requiredOption('--out <file>', 'Table to write: .csv or .xlsx')
    .action(async (folders: string[], options: FindingOptions & { readonly out: string }) => {
      const written = await writeTable(context, folders, options)
      if (!written.ok) return endWith(context, written.error)
      say(`Wrote ${plain(options.out, 300)}: ${plural(written.value, 'finding')}.`)
      say('  Enter Status, Owner, Due, Plan and Cause; leave the other columns. Next: barewitness finding import')
      context.exit(EXIT.done)
    })
  withKey(withFleet(withRegister(command.command('import').argument('<table>', 'Table to read: .csv or .xlsx'))))
    .description('Read responses from a table, all or none')
    .requiredOption('--by <name>', 'Person who states the responses')
    .action(async (path: string, options: ImportOptions) => {
      const done = await readBack(context, path, options)
      if (!done.ok) return endWith(context, done.error)
      const { added, unchanged } = done.value
      say(`${plural(added, 'response')} recorded; ${plural(unchanged, 'row')} unchanged. No verdict changes.`)
      if (added > 0 && options.identity === undefined) say('  Not digitally signed. To sign, use --identity.')
      context.exit(EXIT.done)
    })
}

async function writeTable(
  context: Context,
  folders: readonly string[],
  { out, ...options }: FindingOptions & { readonly out: string },
): Promise<Outcome<number>> {
  const { ports } = context
  if (!/\.(csv|xlsx)$/.test(out)) return fail('input.refused', `--out ${out} must end in .csv or .xlsx`)
  const read = await readFindings(context, folders, options)
  if (!read.ok) return read
  const { findings, assessment } = read.value
  const rows = responseTable(findings, assessment.scope.fleet)
  const written = await ports.files.write(
    out,
    out.endsWith('.csv') ? ports.csv(rows) : await ports.xlsx([responseSheet(rows)]),
  )
  return written.ok ? ok(findings.length) : written
}

type ImportOptions = SignedOptions & { readonly by: string }

async function readBack(
  context: Context,
  path: string,
  { by: statedBy, ...options }: ImportOptions,
): Promise<Outcome<{ readonly added: number; readonly unchanged: number }>> {
  const scope = await findingScope(context, options)
  if (!scope.ok) return scope
  const rows = await context.ports.readTable(path)
  if (!rows.ok) return rows
  let counts = { added: 0, unchanged: 0 }
  const changed = await change(context, options, {
    begin: true,
    next: async (register) => {
      const imported = await importResponses(context.ports, register, rows.value, {
        fleet: scope.value.fleet,
        checks: findingChecks(scope.value.catalog),
        statedBy,
        openSigner: options.identity === undefined ? null : () => openSigner(context, options),
      })
      if (!imported.ok) return imported
      counts = { added: imported.value.added.length, unchanged: imported.value.unchanged }
      return ok(imported.value.register)
    },
  })
  return changed.ok ? ok(counts) : changed
}
