import type { Command } from 'commander'
import type { UnattendedUse, Works } from '../../app/credentials.ts'
import { installSchedule, type ScheduleStatus, scheduleStatus, type TimerStatus } from '../../app/schedule-status.ts'
import { unitsOf } from '../../app/schedules.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { TIMER_KINDS, type TimerKind } from '../../core/schedule/units.ts'
import { type Context, endWith } from '../context.ts'
import { type FileOption, fileOf, scheduleNamed, startedBy, withFile } from '../schedule-file.ts'
import { emit, emitText, say } from '../terminal.ts'

type InstallOptions = FileOption & { readonly with?: string; readonly print?: true }

/** `schedule install`: has a timer of the operating system start a schedule’s runs. */
export function installCommand(context: Context, command: Command): void {
  withFile(command.command('install <name>'))
    .description('have a timer of the operating system start a planned run')
    .option('--with <timer>', `of ${TIMER_KINDS.join(', ')}; default the first of them that is here`)
    .option('--print', 'print what would be written, and install nothing')
    .action(async (name: string, options: InstallOptions) => {
      const schedule = await scheduleNamed(context, fileOf(context, options), name)
      if (!schedule.ok) return endWith(context, schedule.error)
      const kind = await kindOf(context, options)
      if (!kind.ok) return endWith(context, kind.error)
      const by = startedBy(context, options)
      if (options.print === true) {
        const units = unitsOf(context.world, kind.value, schedule.value, by)
        if (!units.ok) return endWith(context, units.error)
        const { units: files, warnings } = units.value
        const several = files.length > 1
        emitText(files.map((file) => `${several ? `# ${file.name}\n` : ''}${file.text}`).join('\n'))
        for (const warning of warnings) say(warning)
        return
      }
      const installed = await installSchedule(context.world, kind.value, schedule.value, by)
      if (!installed.ok) return endWith(context, installed.error)
      say(`Installed: ${name}, with ${kind.value}.`)
      for (const warning of installed.value) say(`  ${warning}`)
    })
}

async function kindOf({ world }: Context, { with: wanted }: InstallOptions): Promise<Outcome<TimerKind>> {
  if (wanted !== undefined) {
    const known = TIMER_KINDS.find((kind) => kind === wanted)
    return known === undefined ? fail('input.refused', `--with must be one of ${TIMER_KINDS.join(', ')}`) : ok(known)
  }
  const [first] = await world.timers.kinds()
  return first === undefined
    ? fail('input.refused', 'no timer that we know answers here; name one with --with, and --print what it would need')
    : ok(first)
}

type StatusOptions = FileOption & { readonly json?: true }

/** `schedule status`: when runs are due, how the last start ended, what is installed, and what a job can use. */
export function statusCommand(context: Context, command: Command): void {
  withFile(command.command('status [name]'))
    .description('when runs are due, how the last one went, and what a job can log in and seal with')
    .option('--json', 'print it')
    .action(async (name: string | undefined, options: StatusOptions) => {
      const file = fileOf(context, options)
      const read = await context.world.schedules.read(file)
      if (!read.ok) return endWith(context, read.error)
      const named = read.value.schedules.filter((one) => name === undefined || one.name === name)
      if (name !== undefined && named.length === 0)
        return endWith(context, { code: 'input.refused', detail: `there is no schedule ${name} in ${file}` })
      const by = startedBy(context, options)
      const statuses: ScheduleStatus[] = []
      for (const schedule of named) statuses.push(await scheduleStatus(context.world, schedule, by))
      if (options.json === true) emit(statuses)
      if (statuses.length === 0) say(`No runs are planned in ${file}.`)
      for (const status of statuses) sayStatus(status)
    })
}

const TIMER_WORDS: Readonly<Record<TimerStatus['state'], string>> = {
  installed: 'installed',
  other: 'installed, and not as it would be written today',
  inactive: 'written, and not active',
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
  say(`${name}: ${plain(fleetName)}, ${cadence} in ${zone}, into ${plain(out, 400)}`)
  say(`  Next due ${nextDue ?? 'never'}; last due ${lastDue ?? 'not yet'}.`)
  if (awaited !== null) say(`  Overdue: the run due ${awaited.due} may still arrive until ${awaited.until}.`)
  if (lastAttempt !== null)
    say(
      `  Last start ${lastAttempt.startedAt}: ${lastAttempt.code}${lastAttempt.exit === null ? '' : `, exit code ${lastAttempt.exit}`}${lastAttempt.detail === '' ? '' : `. ${plain(lastAttempt.detail, 500)}`}`,
    )
  for (const { kind, state } of timers) say(`  Timer: ${kind}, ${TIMER_WORDS[state]}.`)
  for (const note of notes) say(`  ${plain(note, 1000)}`)
  sayUnattended(unattended)
}

const WORKS: Readonly<Record<Works, string>> = {
  yes: 'A job can',
  unclear: 'Not known before it is tried',
  no: 'A job cannot',
}
const MOST_NODES = 5

/** What works, what may, and what does not while nobody is there. */
export function sayUnattended(uses: readonly UnattendedUse[]): void {
  for (const { works, text, nodes } of uses) {
    const more = nodes.length > MOST_NODES ? ` and ${nodes.length - MOST_NODES} more` : ''
    const whose = nodes.length === 0 ? '' : ` (${nodes.slice(0, MOST_NODES).join(', ')}${more})`
    say(`  ${WORKS[works]}${whose}: ${text}`)
  }
}
