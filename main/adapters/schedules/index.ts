import { execFile, spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { ScheduleFile } from '../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { SchemaValidator } from '../../core/ports/ports.ts'
import type {
  InstalledTimer,
  ScheduleStore,
  TimerKind,
  Timers,
  TimerUnits,
  Unit,
} from '../../core/schedule/schedule.ts'
import { cronBlock, launchdLabel, taskName, withCronBlock } from '../../present/timers/task-scheduler.ts'
import { lockFolder } from '../folder-lock.ts'
import { ownersFile } from '../secret-file.ts'
import { isCode, makeFolder, messageOf, readPlain, writeWhole } from '../store/durable.ts'

/** The timers of this computer. `config` is our folder below the user's settings. */
export function hostTimers(config: string): Timers {
  const { username, uid } = userInfo()
  const { XDG_CONFIG_HOME: xdg, USERDOMAIN: domain } = process.env
  const { platform } = process
  return createTimers(
    {
      platform,
      folders: {
        systemd: join(xdg ?? join(homedir(), '.config'), 'systemd/user'),
        'systemd-system': '/etc/systemd/system',
        launchd: join(homedir(), 'Library/LaunchAgents'),
        'task-scheduler': join(config, 'tasks'),
      },
      lingering: '/var/lib/systemd/linger',
      uid: uid < 0 ? null : uid,
      host: {
        // Read when needed: the first use of Intl takes some ten milliseconds, which every command would pay.
        get zone() {
          return Intl.DateTimeFormat().resolvedOptions().timeZone
        },
        user: platform === 'win32' && domain !== undefined ? `${domain}\\${username}` : username,
        // Without it, a job would search other folders for identities and schedules than the person who added it.
        environment: xdg === undefined || platform === 'win32' ? {} : { XDG_CONFIG_HOME: xdg },
      },
    },
    runProgram,
  )
}

/** Location of units, and their user. */
interface TimerPlaces {
  readonly platform: NodeJS.Platform
  /** Units of the user's systemd, of the whole computer's, of launchd; and the tasks registered with Task Scheduler. */
  readonly folders: Readonly<Record<Exclude<TimerKind, 'cron'>, string>>
  /** Users with lingering enabled have a file of their name here (loginctl(1)). */
  readonly lingering: string
  readonly uid: number | null
  readonly host: Timers['host']
}

type Manager = Pick<Timers, 'install' | 'remove' | 'installed'>

/** The timers of this computer, through its own programs: `systemctl`, `crontab`, `launchctl` and `schtasks`. */
export function createTimers(places: TimerPlaces, run: RunProgram): Timers {
  const managers: Readonly<Record<TimerKind, Manager>> = {
    systemd: systemd(['systemctl', '--user'], places.folders.systemd, run),
    'systemd-system': systemd(['systemctl'], places.folders['systemd-system'], run),
    cron: cron(run),
    launchd: launchd(places, run),
    'task-scheduler': taskScheduler(places, run),
  }
  return {
    host: places.host,
    kinds: async () => {
      if (places.platform === 'darwin') return ['launchd']
      if (places.platform === 'win32') return ['task-scheduler']
      const answers = async (...argv: [string, ...string[]]): Promise<boolean> => (await run(argv))?.code === 0
      const found: TimerKind[] = []
      if (await answers('systemctl', '--user', 'show', '--property=Version')) found.push('systemd')
      if (await answers('systemctl', 'show', '--property=Version')) found.push('systemd-system')
      const listed = await run(['crontab', '-l'])
      if (listed !== null && crontabIn(listed).ok) found.push('cron')
      return found
    },
    lingers: async () => {
      if (places.platform !== 'linux') return null
      return (await textOf(join(places.lingering, places.host.user))) !== null
    },
    install: (units) => guarded(() => managers[units.kind].install(units)),
    remove: (kind, schedule) => guarded(() => managers[kind].remove(kind, schedule)),
    start: (argv) => startProgram(argv, places.host.environment),
    installed: (kind, schedule) => guarded(() => managers[kind].installed(kind, schedule)),
  }
}

/** Files that cannot be read or written are failures, not bugs. */
async function guarded<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work()
  } catch (problem) {
    if (!(problem instanceof Error && 'syscall' in problem)) throw problem
    return fail('store.failed', plain(problem.message, 300))
  }
}

/** Runs commands in turn until one fails, which is reported in its own words. */
async function inTurn(run: RunProgram, ...commands: readonly [string, ...string[]][]): Promise<Outcome<null>> {
  for (const argv of commands) {
    const answered = await run(argv)
    if (answered === null) return fail('input.refused', `program ${argv[0]} not found`)
    if (answered.code !== 0) return refusal(argv.join(' '), answered)
  }
  return ok(null)
}

const refusal = (command: string, { code, stdout, stderr }: Answered): Outcome<never> =>
  fail(
    'input.refused',
    plain(`${command} ended with ${code}: ${(stderr.trim() || stdout.trim()).replaceAll(/\s+/g, ' ')}`, 600),
  )

async function textOf(path: string, encoding: 'utf8' | 'utf16le' = 'utf8'): Promise<string | null> {
  try {
    return (await readFile(path, encoding)).replace(/^\uFEFF/, '')
  } catch (problem) {
    if (isCode(problem, 'ENOENT') || isCode(problem, 'ENOTDIR')) return null
    throw problem
  }
}

async function write(folder: string, { name, text }: Unit, encoding: 'utf8' | 'utf16le' = 'utf8'): Promise<void> {
  await makeFolder(folder)
  const marked = encoding === 'utf16le' ? `\uFEFF${text}` : text
  await writeWhole(join(folder, name), Buffer.from(marked, encoding))
}

function systemd(systemctl: readonly [string, ...string[]], folder: string, run: RunProgram): Manager {
  const names = (schedule: string) => ['service', 'timer'].map((end) => `barewitness-${schedule}.${end}`)
  const timer = (schedule: string): string => `barewitness-${schedule}.timer`
  return {
    install: async ({ schedule, units }) => {
      for (const unit of units) await write(folder, unit)
      // Restarted, so that the times of an earlier one are discarded.
      return await inTurn(
        run,
        [...systemctl, 'daemon-reload'],
        [...systemctl, 'enable', timer(schedule)],
        [...systemctl, 'restart', timer(schedule)],
      )
    },
    remove: async (_, schedule) => {
      const texts = await Promise.all(names(schedule).map((name) => textOf(join(folder, name))))
      if (texts.every((text) => text === null)) return ok(null)
      const disabled = await inTurn(run, [...systemctl, 'disable', '--now', timer(schedule)])
      if (!disabled.ok) return disabled
      for (const name of names(schedule)) await rm(join(folder, name), { force: true })
      return await inTurn(run, [...systemctl, 'daemon-reload'])
    },
    installed: async (_, schedule) => {
      const units: Unit[] = []
      for (const name of names(schedule)) {
        const text = await textOf(join(folder, name))
        if (text !== null) units.push({ name, text })
      }
      if (units.length === 0) return ok(null)
      const active = await run([...systemctl, 'is-active', timer(schedule)])
      return ok({ units, active: active?.code === 0 })
    },
  }
}

/** The crontab that `crontab -l` prints. A missing crontab is reported as a failure, in the words of each cron. */
function crontabIn(answered: Answered): Outcome<string> {
  if (answered.code === 0) return ok(answered.stdout)
  return /no crontab for|No such file/i.test(answered.stderr) ? ok('') : refusal('crontab -l', answered)
}

function cron(run: RunProgram): Manager {
  const read = async (): Promise<Outcome<string>> => {
    const answered = await run(['crontab', '-l'])
    return answered === null ? fail('input.refused', 'program crontab not found') : crontabIn(answered)
  }
  const put = async (schedule: string, block: string | null): Promise<Outcome<null>> => {
    const before = await read()
    if (!before.ok) return before
    const after = withCronBlock(before.value, schedule, block)
    if (after === before.value) return ok(null)
    const answered = await run(['crontab', '-'], after)
    if (answered === null) return fail('input.refused', 'program crontab not found')
    if (answered.code !== 0) return refusal('crontab -', answered)
    const now = await read()
    if (!now.ok) return now
    return cronBlock(now.value, schedule) === block
      ? ok(null)
      : fail('input.refused', 'the crontab differs from what was written; check it with crontab -l')
  }
  return {
    install: ({ schedule, units: [unit] }: TimerUnits) => put(schedule, unit?.text ?? null),
    remove: (_, schedule) => put(schedule, null),
    installed: async (_, schedule): Promise<Outcome<InstalledTimer | null>> => {
      const now = await read()
      if (!now.ok) return now
      const text = cronBlock(now.value, schedule)
      return ok(text === null ? null : { units: [{ name: 'crontab', text }], active: true })
    },
  }
}

function launchd({ folders: { launchd: folder }, uid }: TimerPlaces, run: RunProgram): Manager {
  const domain = `gui/${uid}`
  const target = (schedule: string): string => `${domain}/${launchdLabel(schedule)}`
  const file = (schedule: string): string => `${launchdLabel(schedule)}.plist`
  const isLoaded = async (schedule: string): Promise<boolean> =>
    (await run(['launchctl', 'print', target(schedule)]))?.code === 0
  const unload = async (schedule: string): Promise<Outcome<null>> =>
    (await isLoaded(schedule)) ? await inTurn(run, ['launchctl', 'bootout', target(schedule)]) : ok(null)
  return {
    install: async ({ schedule, units }) => {
      for (const unit of units) await write(folder, unit)
      const unloaded = await unload(schedule)
      if (!unloaded.ok) return unloaded
      return await inTurn(run, ['launchctl', 'bootstrap', domain, join(folder, file(schedule))])
    },
    remove: async (_, schedule) => {
      if ((await textOf(join(folder, file(schedule)))) === null) return ok(null)
      const unloaded = await unload(schedule)
      if (!unloaded.ok) return unloaded
      await rm(join(folder, file(schedule)), { force: true })
      return ok(null)
    },
    installed: async (_, schedule) => {
      const text = await textOf(join(folder, file(schedule)))
      if (text === null) return ok(null)
      return ok({ units: [{ name: file(schedule), text }], active: await isLoaded(schedule) })
    },
  }
}

/** Task Scheduler returns a task in another form, so the registered form is stored next to the schedules. */
function taskScheduler({ folders }: TimerPlaces, run: RunProgram): Manager {
  const folder = folders['task-scheduler']
  const file = (schedule: string): string => join(folder, `${schedule}.xml`)
  return {
    install: async ({ schedule, units }) => {
      for (const unit of units) await write(folder, unit, 'utf16le')
      return await inTurn(run, ['schtasks', '/Create', '/TN', taskName(schedule), '/XML', file(schedule), '/F'])
    },
    remove: async (_, schedule) => {
      if ((await textOf(file(schedule), 'utf16le')) === null) return ok(null)
      const there = await run(['schtasks', '/Query', '/TN', taskName(schedule)])
      const removed =
        there?.code === 0 ? await inTurn(run, ['schtasks', '/Delete', '/TN', taskName(schedule), '/F']) : ok(null)
      if (!removed.ok) return removed
      await rm(file(schedule), { force: true })
      return ok(null)
    },
    installed: async (_, schedule) => {
      const text = await textOf(file(schedule), 'utf16le')
      if (text === null) return ok(null)
      const there = await run(['schtasks', '/Query', '/TN', taskName(schedule)])
      return ok({ units: [{ name: `${schedule}.xml`, text }], active: there?.code === 0 })
    },
  }
}

/** Output of a program of the operating system; null where there is none of that name. */
interface Answered {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export type RunProgram = (argv: readonly [string, ...string[]], input?: string) => Promise<Answered | null>

const LONGEST_MS = 30_000
const LARGEST = 16 * 1024 * 1024

/**
 * Runs a program without a shell, in the C locale, and for a limited time. A program that was stopped counts as failed.
 */
const runProgram: RunProgram = ([program, ...args], input = '') =>
  new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { timeout: LONGEST_MS, maxBuffer: LARGEST, env: { ...process.env, LC_ALL: 'C' }, windowsHide: true },
      (problem, stdout, stderr) => {
        if (problem?.code === 'ENOENT') return resolve(null)
        const code = typeof problem?.code === 'number' ? problem.code : problem === null ? 0 : 1
        resolve({ code, stdout, stderr: problem?.killed === true ? `${stderr} stopped after 30 seconds` : stderr })
      },
    )
    // A program that reads nothing may have ended before.
    child.stdin?.on('error', () => undefined).end(input)
  })

/**
 * Starts a program without a shell and does not wait for it: it continues after this process ends. Fails with input.refused where it
 * cannot be started. Its result is not determined.
 */
function startProgram(
  [program, ...rest]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome<null>> {
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      shell: false,
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
      env: { ...process.env, ...environment },
    })
    child.on('error', (problem) =>
      resolve(fail('input.refused', `${plain(program, 300)}: ${plain(problem.message, 300)}`)),
    )
    child.on('spawn', () => {
      child.unref()
      resolve(ok(null))
    })
  })
}

/** How long another process may take to change the file. */
const PATIENCE_MS = 10_000
const MOST_PROBLEMS = 5
const NOTHING: ScheduleFile = { schema: 'barewitness.schedules/1', schedules: [] }

/** The schedule files of this computer. */
export function createScheduleStore(defaultFile: string, validator: SchemaValidator): ScheduleStore {
  const checked = (file: string, value: unknown): Outcome<ScheduleFile> => {
    const problems = validator.problems('schedules', value).slice(0, MOST_PROBLEMS)
    if (problems.length > 0) return fail('input.refused', `${file}: ${problems.join('; ')}`)
    const { schedules } = value as ScheduleFile
    const names = schedules.map(({ name }) => name)
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    return twice === undefined
      ? ok(value as ScheduleFile)
      : fail('input.refused', `${file}: two schedules have the name “${twice}”`)
  }
  const read: ScheduleStore['read'] = async (file) => {
    let text: string
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(await readPlain(file, LARGEST))
    } catch (problem) {
      if (isCode(problem, 'ENOENT')) return ok(NOTHING)
      return fail('input.refused', `${file} could not be read: ${describe(problem)}`)
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (problem) {
      return fail('input.refused', `${file} is not JSON: ${describe(problem)}`)
    }
    return checked(file, value)
  }
  return {
    defaultFile,
    read,
    change: async (file, next) => {
      try {
        await makeFolder(dirname(file), 0o700)
        const lock = await lockFolder(dirname(file), PATIENCE_MS)
        if (!lock.ok) return lock
        try {
          const now = await read(file)
          if (!now.ok) return now
          const made = await next(now.value)
          if (!made.ok) return made
          const fits = checked(file, made.value)
          if (fits.ok) await writeWhole(file, `${JSON.stringify(fits.value, null, 2)}\n`)
          return fits
        } finally {
          await lock.value.release()
        }
      } catch (problem) {
        return fail('store.failed', `${file}: ${describe(problem)}`)
      }
    },
    secret: async (path) => {
      const line = ownersFile(path, 'secret')
      return line.ok ? ok(null) : line
    },
  }
}

const describe = (problem: unknown): string => plain(messageOf(problem), 300)
