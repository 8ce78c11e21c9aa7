import type { Command } from 'commander'
import { collectOptions } from '../collecting.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { FRAMEWORKS } from '../options.ts'
import { codeOfRan, type RunOptions, runOnce, sayRan } from '../running.ts'
import { runSchedule, type ScheduleOptions } from '../scheduled.ts'
import { signingOptions } from '../sealing.ts'

/** `run`: collect, assess and export in one go; with `--schedule`, what a timer calls. */
export function runCommand(context: Context): void {
  const command = context.program
    .command('run')
    .description('collect + assess + export')
    .option(...FRAMEWORKS)
    .option('--json', 'print the assessment')
    .option('--gaps-exit-zero', 'exit 0 when gaps are the only finding')
    .option('--schedule <name>', 'the planned run of this schedule that is due now, with the options of the schedule')
    .option('--schedules <file>', 'with --schedule: the file of schedules; default the one that “schedule” keeps')
    .option('--now', 'with --schedule: at once, also when nothing is due')
  signingOptions(collectOptions(command)).action(
    async (options: RunOptions & Partial<ScheduleOptions>, acting: Command) => {
      const { schedule } = options
      if (schedule !== undefined || options.schedules !== undefined || options.now !== undefined)
        return await runSchedule(context, options, givenOptions(acting))
      const ran = await runOnce(context, options, null)
      if (!ran.ok) return endWith(context, ran.error)
      sayRan(options, ran.value)
      context.exit(codeOfRan(options, ran.value))
    },
  )
}

/** Names of the options that stand on the command line, as commander calls them. */
const givenOptions = (command: Command): readonly string[] =>
  command.options.map((option) => option.attributeName()).filter((name) => command.getOptionValueSource(name) === 'cli')
