import type { Command } from 'commander'
import type { Schedule } from '../../../schemas/types.ts'
import { outcomeOf } from '../../app/collect/run.ts'
import { summaryText } from '../../app/evaluate/summary.ts'
import { collectAgain } from '../../app/scheduled/plan-run.ts'
import { runScheduled } from '../../app/scheduled/scheduled-run.ts'
import type { ScheduledOutcome } from '../../app/scheduled/states.ts'
import { catalog } from '../../catalog/definition/index.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { stated } from '../../core/base/optional.ts'
import { collectFleet, collectOptions } from '../parts/collecting.ts'
import {
  AS_OF,
  type Context,
  codeOf,
  DEVIATIONS_EXIT_ZERO,
  EXIT,
  type ExitCode,
  emit,
  endWith,
  FRAMEWORKS,
  type PassphraseOptions,
  POPULATION,
  printFailure,
  printLine,
  worst,
  worstOf,
} from '../parts/options.ts'
import { codeOfRan, printRan, type Ran, type RunOptions, runOnce } from '../parts/running.ts'
import { assessFolders } from '../parts/scope.ts'
import { openSigner, signingOptions } from '../parts/sealing.ts'
import { waitFor, whenAskedToEnd } from '../parts/waiting.ts'

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

interface ScheduleOptions extends PassphraseOptions {
  readonly schedule: string
  readonly schedules: string
  readonly now: true
  readonly json: true
}

/** All other options are part of the schedule: a scheduled run must not depend on its caller. */
const OWN: readonly string[] = ['schedule', 'schedules', 'now', 'json', 'passphraseFd', 'passphraseFile']

/** `run --schedule`: the scheduled run that is due, as a timer starts it. `given` names the options on the command line. */
async function runSchedule(
  context: Context,
  options: Partial<ScheduleOptions>,
  given: readonly string[],
): Promise<void> {
  const chosen = await chosenSchedule(context, options, given)
  if (!chosen.ok) return endWith(context, chosen.error)
  const schedule = chosen.value
  const runOptions = optionsOf(schedule, options)
  const stop = new AbortController()
  const stopListening = whenAskedToEnd(() => stop.abort())
  const wait = (milliseconds: number): Promise<void> => waitFor(milliseconds, stop.signal)
  const exitOf = (outcome: ScheduledOutcome<Ran>): ExitCode => codeOfOutcome(runOptions, outcome)
  try {
    const outcome = await runScheduled<Ran>(context.ports, {
      schedule,
      now: options.now === true,
      signal: stop.signal,
      wait,
      openSigner: () => openSigner(context, runOptions),
      // Loaded when needed: most schedules send nothing.
      send: async (file, pack) => (await import('../parts/sending.ts')).sendScheduled(context, wait, file, pack),
      claimOf: (id) => catalog.checks.find((check) => check.id === id)?.expected ?? `${id}.`,
      exitOf,
      report: printLine,
      run: async (planned) => {
        // Checked before a node is contacted: at sealing time, the whole collection would be lost.
        const given = options.passphraseFd ?? options.passphraseFile
        const file = given === undefined ? schedule.options.passphraseFile : undefined
        const readable = file === undefined ? ok(null) : await context.ports.schedules.secret(file)
        if (!readable.ok) return readable
        const named = await withItsName(context.ports, schedule)
        if (!named.ok) return named
        const ran = await runOnce(context, runOptions, planned, () =>
          collectAgain({
            first: () => collectFleet(context, runOptions, 'sealed'),
            again: (run, nodes) => collectFleet(context, { ...runOptions, node: [...nodes], goOnWith: run }, 'sealed'),
            retries: schedule.retries,
            wait,
            signal: stop.signal,
            report: printLine,
          }),
        )
        if (ran.ok) printRan(runOptions, ran.value)
        return ran
      },
    })
    if (!outcome.ok) return endWith(context, outcome.error)
    for (const failure of outcome.value.failures) printFailure(failure)
    context.exit(exitOf(outcome.value))
  } finally {
    stopListening()
  }
}

/** A fleet file with another name would put the run into a chain in which nothing was scheduled. */
async function withItsName({ fleets }: Ports, { name, fleet, fleetName }: Schedule): Promise<Outcome<null>> {
  const read = await fleets.read(fleet)
  if (!read.ok) return read
  const found = read.value.fleet.name
  if (found === fleetName) return ok(null)
  return fail(
    'input.refused',
    `the fleet file is now named “${found}”, but the schedule ${name} is in the run chain of “${fleetName}”; restore the name, or remove the schedule and add it again`,
  )
}

async function chosenSchedule(
  { ports }: Context,
  { schedule: name, schedules: file = ports.schedules.defaultFile }: Partial<ScheduleOptions>,
  given: readonly string[],
): Promise<Outcome<Schedule>> {
  if (name === undefined) return fail('input.refused', '--schedules and --now require --schedule NAME')
  const other = given.find((option) => !OWN.includes(option))
  if (other !== undefined) {
    const flag = other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return fail('input.refused', `--${flag} cannot be used with --schedule: the schedule contains its value`)
  }
  const read = await ports.schedules.read(file)
  if (!read.ok) return read
  const found = read.value.schedules.find((one) => one.name === name)
  return found === undefined ? fail('input.refused', `${file} contains no schedule ${name}`) : ok(found)
}

/** A schedule as options of `run`. The caller may still supply the passphrase. */
export function optionsOf(
  { fleet, out, gapsExitZero, options }: Schedule,
  { json, passphraseFd, passphraseFile }: Partial<ScheduleOptions>,
): RunOptions {
  const { liveTests, deadlineSeconds, also: formats, passphraseFile: planned, ...rest } = options
  const file = passphraseFile ?? (passphraseFd === undefined ? planned : undefined)
  return {
    ...rest,
    fleet,
    out,
    whenStopped: 'sealed',
    ...(liveTests === true ? { liveTests } : {}),
    ...(deadlineSeconds === undefined ? {} : { deadline: `${deadlineSeconds}` }),
    ...(gapsExitZero ? { deviationsExitZero: true } : {}),
    ...stated({ formats, json, passphraseFd, passphraseFile: file }),
  }
}

/** As `run`; a missed scheduled run and an undelivered notification are incomplete. */
const codeOfOutcome = (options: RunOptions, { code, ran, failures }: ScheduledOutcome<Ran>): ExitCode =>
  worst([
    ran === null ? EXIT.done : codeOfRan(options, ran),
    code === 'ran' || code === 'nothing-due' ? EXIT.done : EXIT.incomplete,
    // A failed notification must not hide the result of the run itself.
    ...failures.map((failure) => (ran === null ? codeOf(failure) : EXIT.incomplete)),
  ])

interface AssessOptions {
  readonly fleet?: string
  readonly asOf?: string
  readonly framework?: string
  readonly register?: string
  readonly json?: true
  readonly deviationsExitZero?: true
}

/** `assess RECORDINGS…`: evaluates recordings without contacting a node. */
export function assessCommand(context: Context): void {
  context.program
    .command('assess')
    .description('Evaluate recordings and print results')
    .argument('<recordings...>', 'Folders of recordings')
    .option(...POPULATION)
    .option(...AS_OF)
    .option(...FRAMEWORKS)
    .option('--register <file>', 'Register of risk acceptances, control decisions and documents')
    .option('--json', 'Print the assessment as JSON')
    .option(...DEVIATIONS_EXIT_ZERO)
    .action(async (folders: string[], options: AssessOptions) => {
      const assessed = await assessFolders(context.ports, folders, options)
      if (!assessed.ok) return endWith(context, assessed.error)
      const { assessment, register, recordings } = assessed.value
      if (options.json === true) emit(assessment)
      printLine(summaryText({ assessment, catalog, register, recordings }))
      const { gaps, incomplete } = outcomeOf(assessment, register)
      context.exit(worstOf({ gaps: gaps && options.deviationsExitZero !== true, incomplete }))
    })
}
