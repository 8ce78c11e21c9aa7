import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Notify, Schedule } from '../../../schemas/types.ts'
import { type UnattendedUse, unattendedUse, type Works } from '../../app/collect/credentials.ts'
import { attemptWords } from '../../app/engine/schedules/schedule-words.ts'
import type { Attempt } from '../../app/scheduled/plan-run.ts'
import { sendingText } from '../../app/scheduled/send-packs.ts'
import { type ScheduleStatus, scheduleStatus, type TimerStatus } from '../../app/schedules/schedule-status.ts'
import {
  addSchedule,
  installSchedule,
  removeSchedule,
  type ScheduleDraft,
  unitsOf,
} from '../../app/schedules/schedules.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { stated } from '../../core/base/optional.ts'
import { plain } from '../../core/base/plain-text.ts'
import { shellQuote } from '../../core/pack/verify-text.ts'
import { type StartedBy, TIMER_KINDS, type TimerKind } from '../../core/schedule/schedule.ts'
import { DEADLINE, deadlineSeconds } from '../parts/collecting.ts'
import {
  type Context,
  DEVIATIONS_EXIT_ZERO,
  emit,
  emitText,
  endWith,
  FRAMEWORKS,
  JSON_OUTPUT,
  LIVE_TESTS,
  printLine,
} from '../parts/options.ts'
import { scopeFor } from '../parts/scope.ts'
import { askableAddress, type KeyOptions, keyOptions, openSigner } from '../parts/sealing.ts'

/** `schedule …`: scheduled runs, and the timers of the operating system that start them. */
export function scheduleCommand(context: Context): void {
  const command = context.program.command('schedule').description('Manage scheduled runs')
  addCommand(context, command)
  listCommand(context, command)
  removeCommand(context, command)
  installCommand(context, command)
  statusCommand(context, command)
}

function listCommand(context: Context, command: Command): void {
  withFile(command.command('list'))
    .description('List schedules')
    .option(...JSON_OUTPUT)
    .action(async (options: FileOption & { readonly json?: true }) => {
      const file = fileOf(context, options)
      const read = await context.ports.schedules.read(file)
      if (!read.ok) return endWith(context, read.error)
      if (options.json === true) emit(read.value)
      if (read.value.schedules.length === 0) printLine(`${file} contains no schedules.`)
      for (const { name, cadence, zone, fleetName, out, options: chosen, integrations } of read.value.schedules) {
        printLine(`${name}: ${plain(fleetName)}, ${cadence} in ${zone}, into ${plain(out, 400)}${deadlineText(chosen)}`)
        if (integrations !== undefined) printLine(`  Packs are sent as ${plain(integrations, 400)} states.`)
      }
    })
}

const deadlineText = ({ deadlineSeconds }: Schedule['options']): string =>
  deadlineSeconds === undefined ? '' : `; time limit ${deadlineSeconds} seconds per node`

function removeCommand(context: Context, command: Command): void {
  keyOptions(withFile(command.command('remove').argument('<name>', 'Name of the schedule')))
    .description('Delete a schedule and its timers')
    .action(async (name: string, options: FileOption & KeyOptions) => {
      const file = fileOf(context, options)
      const named = await scheduleNamed(context, file, name)
      if (!named.ok) return endWith(context, named.error)
      const key = { ...named.value.options, ...options }
      const removed = await removeSchedule(context.ports, name, { file, openSigner: () => openSigner(context, key) })
      if (!removed.ok) return endWith(context, removed.error)
      printLine(
        `Deleted: ${name}. The run chain records it. Collected evidence stays in ${plain(removed.value.out, 400)}.`,
      )
    })
}

type AddOptions = FileOption &
  KeyOptions & {
    readonly fleet: string
    readonly out: string
    readonly every: string
    readonly zone: string
    readonly randomDelay: string
    readonly retries: string
    readonly retryWait: string
    readonly skipMissed?: true
    readonly deviationsExitZero?: true
    readonly register?: string
    readonly framework?: string
    readonly timestamp?: string
    readonly formats?: string
    readonly liveTests?: true
    readonly deadline?: string
    readonly notifyCommand?: readonly string[]
    readonly notifyWebhook?: string
    readonly notifySecretFile?: string
    readonly notifySyslog?: true
    readonly integrations?: string
  }

/** `schedule add`: creates a schedule and signs it into the run chain; a schedule takes effect only with this entry. */
function addCommand(context: Context, command: Command): void {
  keyOptions(withFile(command.command('add').argument('<name>', 'Name of the schedule')))
    .description('Create a schedule and record it in the run chain')
    .requiredOption('--fleet <file>', 'Fleet file')
    .requiredOption('--out <folder>', 'Folder for evidence, packs and the run chain')
    .requiredOption(
      '--every <text>',
      'For example “every day at 02:00”, “every 6 hours at :15”, “every monday at 02:00”, “on day 1 of every month at 02:00”',
    )
    .option('--zone <name>', 'Time zone of --every, such as Europe/Berlin', 'UTC')
    .option('--random-delay <minutes>', 'Delay each start at random by up to this many minutes', '0')
    .option('--retries <times>', 'Retry unreachable nodes this many times', '2')
    .option('--retry-wait <minutes>', 'Wait this long before each retry', '10')
    .option('--skip-missed', 'Do not run late if the computer was off at the scheduled time')
    .option(...DEVIATIONS_EXIT_ZERO)
    .option(...FRAMEWORKS)
    .option(...LIVE_TESTS)
    .option(...DEADLINE)
    .option('--register <file>', 'Register of risk acceptances and documents')
    .option('--timestamp <url>', 'RFC 3161 time-stamp authority; default timestampAuthority of the fleet file')
    .option('--formats <list>', 'Additional outputs; see “run”')
    .option(
      '--notify-command <words...>',
      'Send notifications through this program; for arguments that begin with a dash, use a script',
    )
    .option('--notify-webhook <url>', 'Send notifications to this address')
    .option('--notify-secret-file <file>', 'Key that signs webhook notifications, in a file that only you can read')
    .option('--notify-syslog', 'Write notifications to the system log')
    .option('--integrations <file>', 'Send the pack of each run as this configuration states; see “send”')
    .action(async (name: string, options: AddOptions) => {
      const added = await add(context, name, options)
      if (!added.ok) return endWith(context, added.error)
      const { cadence, zone, fleetName, fleet, options: chosen } = added.value
      printLine(`Schedule created: ${name}, ${cadence} in ${zone}. It is recorded in the run chain of ${fleetName}.`)
      const read = await context.ports.fleets.read(fleet)
      printUnattended(await unattendedUse(context.ports, read.ok ? read.value.targets({}) : [], chosen))
      const where = options.schedules === undefined ? '' : ` --schedules ${plain(shellQuote(options.schedules), 1000)}`
      printLine(`  No timer starts it yet. Next: barewitness schedule install ${name}${where}`)
    })
}

async function add(context: Context, name: string, options: AddOptions): Promise<Outcome<Schedule>> {
  const draft = draftOf(name, options)
  if (!draft.ok) return draft
  const { timestamp } = options
  const address = timestamp === undefined ? ok(null) : askableAddress('--timestamp', timestamp)
  if (!address.ok) return address
  // Unknown frameworks are refused now instead of at the first scheduled run.
  const scope = await scopeFor(context.ports, { ...options, fleet: draft.value.fleet }, [])
  if (!scope.ok) return scope
  return await addSchedule(context.ports, draft.value, {
    file: fileOf(context, options),
    openSigner: () => openSigner(context, options),
  })
}

const path = (named: string | undefined): string | undefined => (named === undefined ? named : resolve(named))

function draftOf(name: string, options: AddOptions): Outcome<ScheduleDraft> {
  const { every, zone, skipMissed, identity, identityFolder, passphraseFile, register } = options
  const { timestamp, framework, formats: also, liveTests } = options
  const numbers: number[] = []
  for (const [option, text] of [
    ['--random-delay', options.randomDelay],
    ['--retries', options.retries],
    ['--retry-wait', options.retryWait],
  ] as const) {
    if (!/^\d{1,4}$/.test(text)) return fail('input.refused', `${option}: “${text}” is not a whole number`)
    numbers.push(Number(text))
  }
  const [jitterMinutes = 0, times = 0, waitMinutes = 1] = numbers
  const notify = notifyOf(options)
  if (!notify.ok) return notify
  const deadline = options.deadline === undefined ? ok(null) : deadlineSeconds(options.deadline)
  if (!deadline.ok) return deadline
  return ok({
    name,
    fleet: resolve(options.fleet),
    out: resolve(options.out),
    cadence: every.trim().toLowerCase().replaceAll(/\s+/g, ' '),
    zone,
    jitterMinutes,
    retries: { times, waitMinutes },
    catchUp: skipMissed !== true,
    gapsExitZero: options.deviationsExitZero === true,
    notify: notify.value,
    ...stated({ integrations: path(options.integrations) }),
    options: stated({
      identity,
      identityFolder: path(identityFolder),
      passphraseFile: path(passphraseFile),
      register: path(register),
      timestamp,
      framework,
      also,
      liveTests,
      deadlineSeconds: deadline.value ?? undefined,
    }),
  })
}

/** An absolute path, because a timer starts in another folder; a plain name is left for the search path of the job. */
const located = (program: string): string => (/[/\\]/.test(program) ? resolve(program) : program)

function notifyOf({
  notifyCommand,
  notifyWebhook: url,
  notifySecretFile: secret,
  notifySyslog,
}: AddOptions): Outcome<readonly Notify[]> {
  if (secret !== undefined && url === undefined)
    return fail('input.refused', '--notify-secret-file requires --notify-webhook')
  const [program, ...words] = notifyCommand ?? []
  return ok([
    ...(program === undefined
      ? []
      : [{ kind: 'command' as const, argv: [located(program), ...words] as [string, ...string[]] }]),
    ...(url === undefined
      ? []
      : [{ kind: 'webhook' as const, url, secretFile: secret === undefined ? null : resolve(secret) }]),
    ...(notifySyslog === true ? [{ kind: 'syslog' as const }] : []),
  ])
}

type InstallOptions = FileOption & { readonly with?: string; readonly print?: true }

/** `schedule install`: installs the operating system timer that starts the runs of a schedule. */
function installCommand(context: Context, command: Command): void {
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

/** `schedule status`: next and last run, installed timers, and the credentials available to an unattended run. */
function statusCommand(context: Context, command: Command): void {
  withFile(command.command('status').argument('[name]', 'Name of the schedule; default all'))
    .description('Show next run, last result, timers and credential readiness')
    .option(...JSON_OUTPUT)
    .action(async (name: string | undefined, options: FileOption & { readonly json?: true }) => {
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
      for (const status of statuses) printStatus(status)
    })
}

const TIMER_WORDS: Readonly<Record<TimerStatus['state'], string>> = {
  installed: 'installed',
  other: 'installed, but different from the current definition',
  inactive: 'written, but not active',
}

function printStatus({
  schedule,
  nextDue,
  lastDue,
  awaited,
  lastAttempt,
  lastResult,
  timers,
  unattended,
  notes,
}: ScheduleStatus): void {
  const { name, cadence, zone, fleetName, out } = schedule
  printLine(`${name}: ${plain(fleetName)}, ${cadence} in ${zone}, into ${plain(out, 400)}`)
  printLine(`  Next run ${nextDue ?? 'never'}; last due ${lastDue ?? 'none yet'}.`)
  if (awaited !== null) printLine(`  Overdue: the run due ${awaited.due} can still take place until ${awaited.until}.`)
  if (lastResult !== null)
    printLine(`  Last result, of the start at ${lastResult.startedAt}: ${resultText(lastResult)}`)
  if (lastAttempt !== null && lastAttempt.id !== lastResult?.id)
    printLine(`  Last start ${lastAttempt.startedAt}: ${attemptWords(lastAttempt)}`)
  const sending = (lastResult ?? lastAttempt)?.sending
  if (sending !== undefined) printLine(`  ${plain(sendingText(sending), 2000)}`)
  for (const { kind, state } of timers) printLine(`  Timer: ${kind}, ${TIMER_WORDS[state]}.`)
  for (const note of notes) printLine(`  ${plain(note, 1000)}`)
  printUnattended(unattended)
}

/** The result of a start in words, with its exit code, and what failed besides. */
function resultText(attempt: Attempt): string {
  const { code, exit, detail } = attempt
  const besides = code === 'ran' && detail !== '' ? ` ${plain(detail, 500).replace(/\.?$/, '.')}` : ''
  return `${attemptWords(attempt)}${exit === null ? '' : ` (exit code ${exit})`}${besides}`
}

const WORKS: Readonly<Record<Works, string>> = {
  yes: 'Available unattended',
  unclear: 'Unknown until first use',
  no: 'Not available unattended',
}

const MOST_NODES = 5

/** Prints the credentials that an unattended run can use, may be able to use, and cannot use. */
function printUnattended(uses: readonly UnattendedUse[]): void {
  for (const { works, text, nodes } of uses) {
    const more = nodes.length > MOST_NODES ? ` and ${nodes.length - MOST_NODES} more` : ''
    const whose = nodes.length === 0 ? '' : ` (${nodes.slice(0, MOST_NODES).join(', ')}${more})`
    printLine(`  ${WORKS[works]}${whose}: ${text}`)
  }
}

interface FileOption {
  readonly schedules?: string
}

const withFile = (command: Command): Command =>
  command.option('--schedules <file>', 'Schedule file; default schedules.json next to the identities')

/** The absolute path of the schedule file, because timer units name it. */
const fileOf = ({ ports }: Context, { schedules }: FileOption): string =>
  schedules === undefined ? ports.schedules.defaultFile : resolve(schedules)

/** One schedule of the file. Fails with input.refused if there is none with this name, otherwise as reading does. */
async function scheduleNamed(context: Context, file: string, name: string): Promise<Outcome<Schedule>> {
  const read = await context.ports.schedules.read(file)
  if (!read.ok) return read
  const found = read.value.schedules.find((one) => one.name === name)
  return found === undefined ? fail('input.refused', `there is no schedule ${name} in ${file}`) : ok(found)
}

/** The command that a timer unit starts: this program at its real path, links resolved. */
const startedBy = (context: Context, options: FileOption): Pick<StartedBy, 'program' | 'file'> => ({
  program: [process.execPath, realpathSync(process.argv[1] ?? '')],
  file: fileOf(context, options),
})
