import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Notify, Schedule } from '../../../schemas/types.ts'
import { unattendedUse } from '../../app/credentials.ts'
import { addSchedule, type ScheduleDraft } from '../../app/schedules.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { ok } from '../../core/result.ts'
import { DEADLINE, deadlineSeconds } from '../collecting.ts'
import { type Context, endWith } from '../context.ts'
import { FRAMEWORKS, LIVE_TESTS } from '../options.ts'
import { type FileOption, fileOf, withFile } from '../schedule-file.ts'
import { scopeFor } from '../scope.ts'
import { askableAddress, type KeyOptions, keyOptions, openSigner } from '../sealing.ts'
import { say } from '../terminal.ts'
import { sayUnattended } from './schedule-timers.ts'

type AddOptions = FileOption &
  KeyOptions & {
    readonly fleet: string
    readonly out: string
    readonly every: string
    readonly zone: string
    readonly jitter: string
    readonly retries: string
    readonly retryWait: string
    readonly catchUp: boolean
    readonly gapsExitZero?: true
    readonly register?: string
    readonly framework?: string
    readonly timestamp?: string
    readonly also?: string
    readonly liveTests?: true
    readonly deadline?: string
    readonly notifyCommand?: readonly string[]
    readonly notifyWebhook?: string
    readonly notifySecretFile?: string
    readonly notifySyslog?: true
  }

/** `schedule add`: plans runs; nothing is planned that the chain of runs does not say, signed. */
export function addCommand(context: Context, command: Command): void {
  keyOptions(withFile(command.command('add <name>')))
    .description('plan runs of a fleet, and say so, signed, in its chain of runs')
    .requiredOption('--fleet <file>', 'the fleet file')
    .requiredOption('--out <folder>', 'where evidence, packs and the chain of runs go')
    .requiredOption(
      '--every <words>',
      'such as “every day at 02:00”, “every 6 hours at :15”, “every monday at 02:00”, “on day 1 of every month at 02:00”',
    )
    .option('--zone <name>', 'the time zone that this is told in, such as Europe/Berlin', 'UTC')
    .option('--jitter <minutes>', 'start up to so many minutes later, by chance', '0')
    .option('--retries <times>', 'go on so many times with nodes that were not reached', '2')
    .option('--retry-wait <minutes>', 'and wait so long before each time', '10')
    .option('--no-catch-up', 'do not run late when the computer was off at the time')
    .option('--gaps-exit-zero', 'exit 0 when gaps are the only finding')
    .option(...FRAMEWORKS)
    .option(...LIVE_TESTS)
    .option(...DEADLINE)
    .option('--register <file>', 'accepted exceptions and attached records')
    .option('--timestamp <url>', 'ask this time-stamp authority; default the fleet file’s timestampAuthority')
    .option('--also <list>', 'what else is written; see “run”')
    .option(
      '--notify-command <words...>',
      'tell of changes through this program; for words that begin with a dash, name a script',
    )
    .option('--notify-webhook <url>', 'tell of changes at this address')
    .option('--notify-secret-file <file>', 'the key that signs what is told there; only you can read the file')
    .option('--notify-syslog', 'tell of changes in the system’s log')
    .action(async (name: string, options: AddOptions) => {
      const added = await add(context, name, options)
      if (!added.ok) return endWith(context, added.error)
      const { cadence, zone, fleetName, fleet, options: chosen } = added.value
      say(`Planned: ${name}, ${cadence} in ${zone}. The chain of runs of ${fleetName} says so from now on.`)
      const read = await context.world.fleets.read(fleet)
      sayUnattended(await unattendedUse(context.world, read.ok ? read.value.targets({}) : [], chosen))
      say(`  Nothing starts it yet. Next: barewitness schedule install ${name}`)
    })
}

async function add(context: Context, name: string, options: AddOptions): Promise<Outcome<Schedule>> {
  const draft = draftOf(name, options)
  if (!draft.ok) return draft
  const { timestamp } = options
  const address = timestamp === undefined ? ok(null) : askableAddress('--timestamp', timestamp)
  if (!address.ok) return address
  // Frameworks that do not exist are told now, and not in the middle of the night.
  const scope = await scopeFor(context.world, { ...options, fleet: draft.value.fleet }, [])
  if (!scope.ok) return scope
  return await addSchedule(context.world, draft.value, {
    file: fileOf(context, options),
    openSigner: () => openSigner(context, options),
  })
}

function draftOf(name: string, options: AddOptions): Outcome<ScheduleDraft> {
  const { every, zone, catchUp, identity, identityFolder, passphraseFile, register } = options
  const { timestamp, framework, also, liveTests } = options
  const numbers: number[] = []
  for (const [option, text] of [
    ['--jitter', options.jitter],
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
    catchUp,
    gapsExitZero: options.gapsExitZero === true,
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

/** A path from the root, since a timer starts in another folder; a mere name is looked for wherever the job looks. */
const located = (program: string): string => (/[/\\]/.test(program) ? resolve(program) : program)

function notifyOf({
  notifyCommand,
  notifyWebhook: url,
  notifySecretFile: secret,
  notifySyslog,
}: AddOptions): Outcome<readonly Notify[]> {
  if (secret !== undefined && url === undefined)
    return fail('input.refused', '--notify-secret-file goes with --notify-webhook')
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
