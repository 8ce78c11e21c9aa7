import type { Command } from 'commander'
import { collectOptions } from '../collecting.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { DEVIATIONS_EXIT_ZERO, FRAMEWORKS } from '../options.ts'
import { codeOfRan, printRan, type RunOptions, runOnce } from '../running.ts'
import { runSchedule, type ScheduleOptions } from '../scheduled.ts'
import { signingOptions } from '../sealing.ts'

/** `run`: collect, evaluate and export; with `--schedule`, the command that a timer starts. */
export function runCommand(context: Context): void {
  const command = context.program
    .command('run')
    .description('Collect, evaluate and export in one step')
    .option(...FRAMEWORKS)
    .option('--json', 'Print the assessment as JSON')
    .option(...DEVIATIONS_EXIT_ZERO)
    .option('--schedule <name>', 'Start the run of this schedule that is due now, with the options of the schedule')
    .option('--schedules <file>', 'With --schedule: schedule file; default the file that “schedule” uses')
    .option('--now', 'With --schedule: start immediately, even if no run is due')
  signingOptions(collectOptions(command)).action(
    async (options: RunOptions & Partial<ScheduleOptions>, acting: Command) => {
      const { schedule } = options
      if (schedule !== undefined || options.schedules !== undefined || options.now !== undefined)
        return await runSchedule(context, options, givenOptions(acting))
      const ran = await runOnce(context, options, null)
      if (!ran.ok) return endWith(context, ran.error)
      printRan(options, ran.value)
      context.exit(codeOfRan(options, ran.value))
    },
  )
}

/** Attribute names of the options given on the command line. */
const givenOptions = (command: Command): readonly string[] =>
  command.options.map((option) => option.attributeName()).filter((name) => command.getOptionValueSource(name) === 'cli')
