import { recordGap } from '../../app/record-gap.ts'
import { plain } from '../../core/plain-text.ts'
import { type Context, endWith } from '../context.ts'
import { instant } from '../options.ts'
import { type KeyOptions, keyOptions, openSigner } from '../sealing.ts'
import { emit, say } from '../terminal.ts'

type Options = KeyOptions & {
  readonly fleet: string
  readonly due: string
  readonly why: string
  readonly chain: string
  readonly json?: true
}

/** `chain gap`: what belongs into the chain of runs beside runs. */
export function chainCommand(context: Context): void {
  const command = context.program.command('chain').description('the chain of a fleet’s runs')
  keyOptions(
    command
      .command('gap')
      .description('record, signed, that a scheduled run did not happen')
      .requiredOption('--chain <folder>', 'the chain of runs')
      .requiredOption('--fleet <name>', 'the fleet’s name')
      .requiredOption('--due <time>', 'when the run should have been, ISO 8601')
      .requiredOption('--why <words>', 'why it did not happen')
      .option('--json', 'print what was recorded'),
  ).action(async (options: Options) => {
    const due = instant('--due', options.due, context.world.clock)
    if (!due.ok) return endWith(context, due.error)
    const { fleet, why, chain: chainFolder } = options
    const recorded = await recordGap(context.world, {
      fleet,
      due: due.value,
      why,
      chainFolder,
      openSigner: () => openSigner(context, options),
    })
    if (!recorded.ok) return endWith(context, recorded.error)
    if (options.json === true) emit({ fleet, due: due.value, why, entries: recorded.value.entries.length })
    say(`Recorded: no run at ${due.value}, ${plain(why)}. The chain has ${recorded.value.entries.length} entries.`)
  })
}
