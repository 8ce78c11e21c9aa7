import { createInterface } from 'node:readline/promises'
import type { SealerConfig, SealingRequest } from '../../../schemas/types.ts'
import { createSealingClient } from '../../adapters/jobs/team-client.ts'
import { readProgramSecrets, readSealerConfig } from '../../adapters/program-config.ts'
import { remoteSigning } from '../../adapters/seal/remote-signing.ts'
import { runSealer, type SealerEvent } from '../../app/export/sealer.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { AuditHead } from '../../core/team/audit-head.ts'
import { type Context, endWith, printFailure, printLine } from './options.ts'
import { type KeyOptions, openSigner } from './sealing.ts'
import { waitFor, whenAskedToEnd } from './waiting.ts'

export { readProgramSecrets, readSealerConfig }

/** Signs until the process is asked to end. Each export and each entry is confirmed on the terminal. */
export async function runSealerUntilStopped(
  context: Context,
  config: SealerConfig,
  options: KeyOptions,
): Promise<void> {
  const { ports } = context
  const secrets = readProgramSecrets(config)
  if (!secrets.ok) return endWith(context, secrets.error)
  const signer = await openSigner(context, options)
  if (!signer.ok) return endWith(context, signer.error)
  const stop = new AbortController()
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // Without a terminal, and at the end of its input, nothing is confirmed.
  const ended = new Promise<null>((resolve) => lines.once('close', () => resolve(null)))
  const end = (): void => {
    stop.abort()
    lines.close()
  }
  whenAskedToEnd(end)
  lines.once('SIGINT', end)
  printLine(`Signing as ${plain(signer.value.subject)}, key ${signer.value.fingerprint}.`)
  printLine(`Waiting for exports and entries of ${config.server} until this process is ended.`)
  const auditLogOf = config.signAuditLog === false ? null : config.server
  let isAfterWithdrawn = false
  if (auditLogOf !== null) printLine('Signs size and digest of its audit log every ten minutes, without a question.')
  await runSealer(
    {
      ports,
      signer: signer.value,
      signing: remoteSigning,
      server: createSealingClient({ server: config.server, ...secrets.value }),
      catalog,
      confirm: async (request, entry, withdrawn) => {
        for (const line of describe(request, entry)) printLine(line)
        // An answer typed for a withdrawn question must not confirm the next one.
        const wanted = isAfterWithdrawn ? `yes ${request.order.slice(0, 4)}` : 'yes'
        isAfterWithdrawn = false
        const question = lines.question(`Sign it? Type ${wanted} to confirm: `, { signal: withdrawn })
        const answer = await Promise.race([question, ended]).catch(() => null)
        isAfterWithdrawn = withdrawn.aborted
        return answer?.trim().toLowerCase() === wanted
      },
      wait: waitFor,
    },
    { record: config.record, auditLogOf, signal: stop.signal, onEvent: printEvent },
  )
  lines.close()
}

const describe = (
  { purpose, requestedBy, requestedAt, engagement, order, digest }: SealingRequest,
  entry: readonly string[] | null,
): readonly string[] => [
  '',
  ...(entry ?? [plain(purpose, 500)]),
  ...(entry === null ? [] : ['Request']),
  `  Engagement:   ${engagement}`,
  `  Requested by: ${plain(requestedBy, 300)}, as the server states`,
  `  Requested at: ${plain(requestedAt, 40)}`,
  `  Order:        ${order}`,
  entry === null
    ? '  You sign digests that the server computed. Verify the pack before you give it to others.'
    : `  You sign what is shown above, SHA-256 ${digest}, computed on this computer.`,
]

const headText = ({ size, digest }: AuditHead): string => `${size} entries, digest ${digest}`

function printEvent(event: SealerEvent): void {
  if (event.kind === 'signed')
    printLine(
      `Signed: SHA-256 ${event.request.digest}${event.request.content === undefined ? ` (signature ${event.count} of this export)` : ', an entry'}.`,
    )
  else if (event.kind === 'head-signed') printLine(`Audit log signed: ${headText(event.head)}.`)
  else if (event.kind === 'log-shortened')
    printLine(
      `The audit log was shortened: it has ${headText(event.head)}; signed before: ${headText(event.before)}. It was not signed.`,
    )
  else if (event.kind === 'withdrawn')
    printLine('\nWithdrawn: the server no longer waits for this. Nothing was signed; it can be requested again.')
  else if (event.kind === 'refused') printLine(`Not signed: ${plain(event.reason, 300)}.`)
  else printFailure(event.failure)
}
