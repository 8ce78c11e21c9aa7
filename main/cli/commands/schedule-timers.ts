import type { Command } from 'commander'
import type { UnattendedUse, Works } from '../../app/credentials.ts'
import { installSchedule, type ScheduleStatus, scheduleStatus, type TimerStatus } from '../../app/schedule-status.ts'
import { unitsOf } from '../../app/schedules.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { TIMER_KINDS, type TimerKind } from '../../core/schedule/store.ts'
import { type Context, endWith } from '../context.ts'
import { type FileOption, fileOf, scheduleNamed, startedBy, withFile } from '../schedule-file.ts'
import { emit, emitText, printLine } from '../terminal.ts'

type InstallOptions = FileOption & { readonly with?: string; readonly print?: true }

/** `schedule install`: installs the operating system timer that starts the runs of a schedule. */
export function installCommand(context: Context, command: Command): void {
  withFile(command.command('install').argument('<name>', 'Name of the schedule'))
    .description('Install the operating system timer')
    .option('--with <timer>', `Timer: ${TIMER_KINDS.join(', ')}; default the first one available`)
    .option('--print', 'Print the timer files and install nothing')
    .action(async (name: string, options: InstallOptions) => {
      const schedule = await scheduleNamed(context, fileOf(context, options), name)
      if (!schedule.ok) return endWith(context, schedule.error)
      const kind = await kindOf(context, options)
      if (!kind.ok) return endWith(context, kind.error)
      const by = startedBy(context, options)
      if (options.print === true) {
        const units = unitsOf(context.ports, kind.value, schedule.value, by)
        if (!units.ok) return endWith(context, units.error)
        const { units: files, warnings } = units.value
        const several = files.length > 1
        emitText(files.map((file) => `${several ? `# ${file.name}\n` : ''}${file.text}`).join('\n'))
        for (const warning of warnings) printLine(warning)
        return
      }
      const installed = await installSchedule(context.ports, kind.value, schedule.value, by)
      if (!installed.ok) return endWith(context, installed.error)
      printLine(`Installed: ${name}, with ${kind.value}.`)
      for (const warning of installed.value) printLine(`  ${warning}`)
    })
}

async function kindOf({ ports }: Context, { with: wanted }: InstallOptions): Promise<Outcome<TimerKind>> {
  if (wanted !== undefined) {
    const known = TIMER_KINDS.find((kind) => kind === wanted)
    return known === undefined ? fail('input.refused', `--with must be one of ${TIMER_KINDS.join(', ')}`) : ok(known)
  }
  const [first] = await ports.timers.kinds()
  return first === undefined
    ? fail('input.refused', 'no supported timer is available here; select one with --with and use --print')
    : ok(first)
}

type StatusOptions = FileOption & { readonly json?: true }

/** `schedule status`: next and last run, installed timers, and the credentials available to an unattended run. */
export function statusCommand(context: Context, command: Command): void {
  withFile(command.command('status').argument('[name]', 'Name of the schedule; default all'))
    .description('Show next run, last result, timers and credential readiness')
    .option('--json', 'Print JSON')
    .action(async (name: string | undefined, options: StatusOptions) => {
      const file = fileOf(context, options)
      const read = await context.ports.schedules.read(file)
      if (!read.ok) return endWith(context, read.error)
      const named = read.value.schedules.filter((one) => name === undefined || one.name === name)
      if (name !== undefined && named.length === 0)
        return endWith(context, { code: 'input.refused', detail: `there is no schedule ${name} in ${file}` })
      const by = startedBy(context, options)
      const statuses: ScheduleStatus[] = []
      for (const schedule of named) statuses.push(await scheduleStatus(context.ports, schedule, by))
      if (options.json === true) emit(statuses)
      if (statuses.length === 0) printLine(`${file} contains no schedules.`)
      for (const status of statuses) sayStatus(status)
    })
}

const TIMER_WORDS: Readonly<Record<TimerStatus['state'], string>> = {
  installed: 'installed',
  other: 'installed, but different from the current definition',
  inactive: 'written, but not active',
}

function sayStatus({
  schedule,
  nextDue,
  lastDue,
  awaited,
  lastAttempt,
  timers,
  unattended,
  notes,
}: ScheduleStatus): void {
  const { name, cadence, zone, fleetName, out } = schedule
  printLine(`${name}: ${plain(fleetName)}, ${cadence} in ${zone}, into ${plain(out, 400)}`)
  printLine(`  Next run ${nextDue ?? 'never'}; last due ${lastDue ?? 'none yet'}.`)
  if (awaited !== null) printLine(`  Overdue: the run due ${awaited.due} can still take place until ${awaited.until}.`)
  if (lastAttempt !== null)
    printLine(
      `  Last start ${lastAttempt.startedAt}: ${lastAttempt.code}${lastAttempt.exit === null ? '' : `, exit code ${lastAttempt.exit}`}${lastAttempt.detail === '' ? '' : `. ${plain(lastAttempt.detail, 500)}`}`,
    )
  for (const { kind, state } of timers) printLine(`  Timer: ${kind}, ${TIMER_WORDS[state]}.`)
  for (const note of notes) printLine(`  ${plain(note, 1000)}`)
  printUnattended(unattended)
}

const WORKS: Readonly<Record<Works, string>> = {
  yes: 'Available unattended',
  unclear: 'Unknown until first use',
  no: 'Not available unattended',
}

const MOST_NODES = 5

/** Prints the credentials that an unattended run can use, may be able to use, and cannot use. */
export function printUnattended(uses: readonly UnattendedUse[]): void {
  for (const { works, text, nodes } of uses) {
    const more = nodes.length > MOST_NODES ? ` and ${nodes.length - MOST_NODES} more` : ''
    const whose = nodes.length === 0 ? '' : ` (${nodes.slice(0, MOST_NODES).join(', ')}${more})`
    printLine(`  ${WORKS[works]}${whose}: ${text}`)
  }
}
