import type { Command } from 'commander'
import { auditorStatusWords } from '../../../schemas/words.ts'
import { importAuditorList } from '../../app/register/named.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { fail } from '../../core/base/failure.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import { currentAuditorRequests, withdrawAuditorRequest } from '../../core/register/requests.ts'
import { requestSheet, requestTable } from '../../present/formats/response-table.ts'
import { type Context, EXIT, endWith, printLine } from '../parts/options.ts'
import { readRegister } from '../parts/register.ts'
import { change, type RegisterOptions, withKey, withRegister } from '../parts/register-changes.ts'
import { openSigner } from '../parts/sealing.ts'
import { addExport, type ImportOptions, importRows } from '../parts/table-exchange.ts'

/** `request export|import|list|withdraw`: the request list of an auditor (PBC list), with the statuses of the auditor. Verdicts never change. */
export function requestCommand(context: Context): void {
  const command = context.program
    .command('request')
    .description('Exchange the request list of an auditor (PBC list); verdicts never change')
  addExport(context, command, {
    description: 'Write the request list with its statuses, and what is on file for each',
    what: 'request',
    next: 'Enter Status, Owner, Due and Comment; keep Reference. Next: barewitness request import',
    table: (read) => {
      const { assessment, register } = read
      const rows = requestTable(read, [...currentAuditorRequests(register, assessment.asOf).values()])
      return { rows, sheet: requestSheet(rows) }
    },
  })
  importCommand(context, command)
  listCommand(context, command)
  withdrawCommand(context, command)
}

function importCommand(context: Context, command: Command): void {
  withKey(withRegister(command.command('import').argument('<table>', 'Table to read: .csv or .xlsx')))
    .description('Read a request list with its statuses, all or none')
    .requiredOption('--by <name>', 'Person who states what the list contains')
    .action(async (path: string, options: ImportOptions) => {
      const done = await importRows(context, path, options, {
        what: 'request',
        into: (register, rows) =>
          importAuditorList(context.ports, register, rows, {
            requests: catalog.requests.map(({ id }) => id),
            statedBy: options.by,
            openSigner: options.identity === undefined ? null : () => openSigner(context, options),
          }),
      })
      if (!done.ok) endWith(context, done.error)
    })
}

function listCommand(context: Context, command: Command): void {
  withRegister(command.command('list'))
    .description('List the requests of auditors with status, owner and due day')
    .action(async ({ register: path }: RegisterOptions) => {
      const read = await readRegister(context.ports, path)
      if (!read.ok) return endWith(context, read.error)
      const current = currentAuditorRequests(read.value.register, context.ports.clock.now())
      for (const { reference, title, status, owner, due, signatures = [] } of current.values()) {
        printLine(`${plain(reference, 60)}  ${auditorStatusWords[status]}  ${plain(title, 200)}`)
        printLine(
          `  ${owner === null ? 'Owner not assigned' : `Owner: ${plain(owner, 200)}`}${due === null ? '' : `, due ${due.slice(0, 10)}`}; ${signatures.length === 0 ? 'not signed' : 'signed'}`,
        )
      }
      if (current.size === 0) printLine('The register contains no request of an auditor.')
      context.exit(EXIT.done)
    })
}

interface WithdrawOptions extends RegisterOptions {
  readonly by: string
  readonly reason: string
}

function withdrawCommand(context: Context, command: Command): void {
  withRegister(command.command('withdraw'))
    .description('Withdraw the current entry of a request; it remains in the register')
    .argument('<reference>', 'Reference of the request')
    .requiredOption('--by <name>', 'Person who decides')
    .requiredOption('--reason <text>', 'Reason')
    .action(async (reference: string, { by, reason, ...options }: WithdrawOptions) => {
      const now = context.ports.clock.now()
      const changed = await change(context, options, {
        begin: false,
        next: (register) => {
          const entry = currentAuditorRequests(register, now).get(reference)
          return entry === undefined
            ? fail('input.refused', `the register contains no request ${quote(reference)} of an auditor`)
            : withdrawAuditorRequest(register, { id: entry.id, by, reason }, now)
        },
      })
      if (!changed.ok) return endWith(context, changed.error)
      printLine(`Withdrawn: ${plain(reference, 60)}. The entry remains in the register.`)
      context.exit(EXIT.done)
    })
}
