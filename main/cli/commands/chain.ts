import { recordGap } from '../../app/history/append-signed.ts'
import { plain } from '../../core/base/plain-text.ts'
import { type Context, emit, endWith, instant, printLine } from '../parts/options.ts'
import { type KeyOptions, keyOptions, openSigner } from '../parts/sealing.ts'

type Options = KeyOptions & {
  readonly fleet: string
  readonly due: string
  readonly reason: string
  readonly chain: string
  readonly json?: true
}

/** `chain missed-run`: entries of the run chain other than runs. */
export function chainCommand(context: Context): void {
  const command = context.program.command('chain').description('Maintain the run chain')
  keyOptions(
    command
      .command('missed-run')
      .description('Record why a scheduled run did not take place')
      .requiredOption('--chain <folder>', 'Folder of the run chain')
      .requiredOption('--fleet <name>', 'Fleet name')
      .requiredOption('--due <time>', 'Scheduled time of the run (UTC, ISO 8601)')
      .requiredOption('--reason <text>', 'Reason why the run did not take place')
      .option('--json', 'Print the entry as JSON'),
  ).action(async (options: Options) => {
    const due = instant('--due', options.due, context.ports.clock)
    if (!due.ok) return endWith(context, due.error)
    const { fleet, reason: why, chain: chainFolder } = options
    const recorded = await recordGap(context.ports, {
      fleet,
      due: due.value,
      why,
      chainFolder,
      openSigner: () => openSigner(context, options),
    })
    if (!recorded.ok) return endWith(context, recorded.error)
    if (options.json === true) emit({ fleet, due: due.value, why, entries: recorded.value.entries.length })
    printLine(
      `Recorded missed run: ${due.value}, ${plain(why)}. The run chain has ${recorded.value.entries.length} entries.`,
    )
  })
}
