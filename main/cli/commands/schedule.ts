import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Notify, Schedule } from '../../../schemas/types.ts'
import { unattendedUse } from '../../app/credentials.ts'
import { addSchedule, removeSchedule, type ScheduleDraft } from '../../app/schedules.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { DEADLINE, deadlineSeconds } from '../collecting.ts'
import { type Context, endWith } from '../context.ts'
import { DEVIATIONS_EXIT_ZERO, FRAMEWORKS, LIVE_TESTS } from '../options.ts'
import { type FileOption, fileOf, scheduleNamed, withFile } from '../schedule-file.ts'
import { scopeFor } from '../scope.ts'
import { askableAddress, type KeyOptions, keyOptions, openSigner } from '../sealing.ts'
import { emit, printLine } from '../terminal.ts'
import { installCommand, printUnattended, statusCommand } from './schedule-timers.ts'

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
    .option('--json', 'Print JSON')
    .action(async (options: FileOption & { readonly json?: true }) => {
      const file = fileOf(context, options)
      const read = await context.ports.schedules.read(file)
      if (!read.ok) return endWith(context, read.error)
      if (options.json === true) emit(read.value)
      if (read.value.schedules.length === 0) printLine(`${file} contains no schedules.`)
      for (const { name, cadence, zone, fleetName, out, options: chosen } of read.value.schedules)
        printLine(`${name}: ${plain(fleetName)}, ${cadence} in ${zone}, into ${plain(out, 400)}${deadlineText(chosen)}`)
    })
}

const deadlineText = ({ deadlineSeconds }: Schedule['options']): string =>
  deadlineSeconds === undefined ? '' : `; time limit ${deadlineSeconds} seconds per node`

type RemoveOptions = FileOption & KeyOptions

function removeCommand(context: Context, command: Command): void {
  keyOptions(withFile(command.command('remove').argument('<name>', 'Name of the schedule')))
    .description('Delete a schedule and its timers')
    .action(async (name: string, options: RemoveOptions) => {
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
    .action(async (name: string, options: AddOptions) => {
      const added = await add(context, name, options)
      if (!added.ok) return endWith(context, added.error)
      const { cadence, zone, fleetName, fleet, options: chosen } = added.value
      printLine(`Schedule created: ${name}, ${cadence} in ${zone}. It is recorded in the run chain of ${fleetName}.`)
      const read = await context.ports.fleets.read(fleet)
      printUnattended(await unattendedUse(context.ports, read.ok ? read.value.targets({}) : [], chosen))
      printLine(`  No timer starts it yet. Next: barewitness schedule install ${name}`)
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
    options: {
      ...(identity === undefined ? {} : { identity }),
      ...(identityFolder === undefined ? {} : { identityFolder: resolve(identityFolder) }),
      ...(passphraseFile === undefined ? {} : { passphraseFile: resolve(passphraseFile) }),
      ...(register === undefined ? {} : { register: resolve(register) }),
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(framework === undefined ? {} : { framework }),
      ...(also === undefined ? {} : { also }),
      ...(liveTests === undefined ? {} : { liveTests }),
      ...(deadline.value === null ? {} : { deadlineSeconds: deadline.value }),
    },
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
