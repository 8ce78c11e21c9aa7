import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { zones } from '../../main/adapters/ports.ts'
import { hostTimers } from '../../main/adapters/schedules/index.ts'
import { dueTimes, parseCadence } from '../../main/core/run-chain/cadence.ts'
import type { TimerKind } from '../../main/core/schedule/schedule.ts'
import type { Schedule } from '../../schemas/types.ts'
import { folderOfTests } from '../support/folders.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { textsOf, units } from '../support/schedule.ts'

const isThere = (program: string): boolean =>
  spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin command -v ${program}`]).status === 0
const lacking = (...programs: string[]): string | null => {
  const absent = programs.filter((program) => !isThere(program))
  return absent.length === 0 ? null : `${absent.join(' and ')} absent`
}

const folder = folderOfTests('timers')
/** Everything that a path may not be taken for: blanks, both quotes, specifiers, variables, markup, other scripts. */
const hostile = join(folder, `it's "a" 50% of $HOME & <b> äöü 漢`)
/** Stands for the built program: writes down what it was called with, and its environment. */
const CLI = `require('node:fs').writeFileSync(__dirname + '/called', JSON.stringify([process.argv.slice(2), process.env.XDG_CONFIG_HOME]))\n`
const program = [process.execPath, join(hostile, 'cli.cjs')] as const
const called = join(hostile, 'called')
const file = join(hostile, 'schedules.json')
const environment = { XDG_CONFIG_HOME: hostile }
const wanted = JSON.stringify([['run', '--schedule', 'nightly', '--schedules', file], hostile])
beforeAll(() => {
  mkdirSync(hostile)
  writeFileSync(program[1], CLI)
})
const textsFor = (kind: TimerKind, schedule: Partial<Schedule> = {}): readonly string[] =>
  textsOf(units(kind, schedule, { program, file, environment, user: 'root' }))

const noSystemd = lacking('systemd-analyze')
describeUnless(noSystemd, 'systemd', () => {
  const verify = (kind: 'systemd' | 'systemd-system', change = (text: string): string => text) => {
    const place = mkdtempSync(join(folder, 'units-'))
    const names = ['barewitness-nightly.service', 'barewitness-nightly.timer'].map((name) => join(place, name))
    for (const [index, text] of textsFor(kind, { out: hostile }).entries())
      writeFileSync(names[index] ?? '', change(text))
    const runtime = mkdtempSync(join(folder, 'runtime-'))
    const { status, stdout, stderr } = spawnSync(
      'systemd-analyze',
      [...(kind === 'systemd' ? ['--user'] : []), 'verify', '--man=no', ...names],
      { encoding: 'utf8', env: { ...process.env, XDG_RUNTIME_DIR: runtime } },
    )
    return { status, told: (stdout + stderr).split('\n').filter((line) => line.includes('barewitness')) }
  }

  test.each(['systemd', 'systemd-system'] as const)('systemd-analyze verify reports nothing about %s', (kind) =>
    expect(verify(kind)).toEqual({ status: 0, told: [] }),
  )

  test('and would have: of an unknown setting, a program that is not there, and a zone that is none', () => {
    expect(verify('systemd-system', (text) => text.replace('UMask=', 'Umasque=')).told.join()).toContain('Umasque')
    expect(
      verify('systemd-system', (text) => text.replace(/^ExecStart=.*$/m, 'ExecStart=/no/such')).told.join(),
    ).toContain('/no/such')
    expect(verify('systemd-system', (text) => text.replace('00 UTC', '00 Mars/Olympus')).told.join()).toContain(
      'calendar specification',
    )
  })

  /** The moments at which systemd elapses one calendar event. */
  const elapses = (event: string, after: string, count: number): readonly string[] => {
    const base = `${after.slice(0, 10)} ${after.slice(11, 19)} UTC`
    const answer = execFileSync(
      'systemd-analyze',
      ['calendar', `--base-time=${base}`, `--iterations=${count}`, event],
      { encoding: 'utf8', env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' } },
    )
    return [...answer.matchAll(/(?:Next elapse|Iter\. #\d+): \w+ (\S+) (\S+) UTC/g)].map(
      ([, day, time]) => `${day}T${time}.000Z`,
    )
  }

  const CADENCES = [
    'every day at 02:30',
    'every day at 02:00',
    'every day at 12:15',
    'every sunday at 02:30',
    'every monday at 00:05',
    'every 1 hours at :30',
    'every 6 hours at :15',
    'every 2 hours at :00',
  ]
  const CHANGES = [
    ['Europe/Berlin', '2027-03-26T12:00:00Z', '2027-03-30T12:00:00Z'],
    ['Europe/Berlin', '2027-10-29T12:00:00Z', '2027-11-02T12:00:00Z'],
    ['America/New_York', '2027-03-12T12:00:00Z', '2027-03-16T12:00:00Z'],
    ['America/New_York', '2027-11-05T12:00:00Z', '2027-11-09T12:00:00Z'],
  ] as const
  const CASES = CHANGES.flatMap(([zone, after, until]) => [
    ...CADENCES.map((cadence) => [cadence, zone, after, until] as const),
    [
      `on day ${Number(until.slice(8, 10)) - (until.includes('-11-02') ? 1 : 2)} of every month at 02:30`,
      zone,
      after,
      until,
    ] as const,
  ])
  test.each(CASES)('%s in %s from %s: systemd starts each run when it is due', (cadence, zone, after, until) => {
    const parsed = parseCadence(`${cadence} in ${zone}`)
    if (parsed === null) throw new Error(cadence)
    const due = dueTimes(parsed, zones, after, until) ?? []
    expect(due.length).toBeGreaterThan(0)
    const timer = textsOf(units('systemd', { cadence, zone }))[1] ?? ''
    const events = [...timer.matchAll(/^OnCalendar=(.*)$/gm)].map(([, event]) => event ?? '')
    const limit = new Date(until).toISOString()
    const starts = new Set(events.flatMap((event) => elapses(event, after, 100)).filter((moment) => moment <= limit))
    expect(due.filter((moment) => !starts.has(moment))).toEqual([])
    // What is started beside that is there for clock changes alone: the time that both of these zones jump to in spring.
    const offset = zones(zone)
    const beside = [...starts].filter((moment) => !due.includes(moment)).map((moment) => Date.parse(moment))
    expect(
      new Set(beside.map((moment) => new Date(moment + (offset?.(moment) ?? 0)).toISOString().slice(11, 16))),
    ).toEqual(new Set(beside.length === 0 ? [] : ['03:00']))
  })
})

describe('cron', () => {
  test('a shell that is given the line calls the program with its words', () => {
    const line = textsFor('cron')[0]?.split('\n')[2] ?? ''
    // As cron reads it: five times, and percent signs without their backslash.
    const command = line.split(' ').slice(5).join(' ').replaceAll('\\%', '%')
    execFileSync('sh', ['-c', command], { env: { PATH: '/usr/bin:/bin' } })
    expect(readFileSync(called, 'utf8')).toBe(wanted)
    rmSync(called)
  })

  const noCron = process.getuid?.() !== 0 ? 'needs root' : lacking('cron', 'crontab')
  describeUnless(noCron, 'the daemon', () => {
    const before = noCron === null ? spawnSync('crontab', ['-l'], { encoding: 'utf8' }) : null
    afterAll(() => {
      if (before?.status === 0) execFileSync('crontab', ['-'], { input: before.stdout })
      else if (before !== null) spawnSync('crontab', ['-r'])
    })

    test('starts it within the minute, from a crontab that keeps its other lines', async () => {
      const timers = hostTimers(folder)
      const schedule = { catchUp: false, cadence: `every 1 hours at :${String(minuteFromNow()).padStart(2, '0')}` }
      execFileSync('crontab', ['-'], { input: '# somebody else’s\n' })
      const made = must(units('cron', schedule, { program, file, environment, zone: timers.host.zone }))
      expect(await timers.kinds()).toContain('cron')
      expect(await timers.install(made)).toEqual({ ok: true, value: null })
      expect(await timers.installed('cron', 'nightly')).toEqual({
        ok: true,
        value: { units: made.units, active: true },
      })
      // One in a container of another test reads other crontabs.
      const here = ['--ns', String(process.pid), '--nslist', 'mnt']
      const running = spawnSync('pgrep', ['-x', ...here, 'cron']).status === 0
      const daemon = running
        ? null
        : spawn('cron', ['-f'], { stdio: 'ignore', env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` } })
      try {
        for (let left = 130; left > 0 && !existsSync(called); left -= 1) await sleep(1000)
        // Written by another process: there before it is whole.
        await sleep(200)
        expect(readFileSync(called, 'utf8')).toBe(wanted)
      } finally {
        daemon?.kill()
      }
      expect(await timers.remove('cron', 'nightly')).toEqual({ ok: true, value: null })
      expect(execFileSync('crontab', ['-l'], { encoding: 'utf8' })).toBe('# somebody else’s\n')
    })
  })

  /** The next minute of the hour that has not begun, and that a daemon can still read the crontab for. */
  function minuteFromNow(): number {
    return new Date(Date.now() + 75_000).getUTCMinutes()
  }
})

const noPython = lacking('python3')
describeUnless(noPython, 'what other readers make of the XML', () => {
  const python = (code: string, path: string): unknown =>
    JSON.parse(execFileSync('python3', ['-c', code, path], { encoding: 'utf8' }))

  test('launchd: plistlib reads the words back', () => {
    const path = join(folder, 'job.plist')
    writeFileSync(path, textsFor('launchd', { cadence: 'every 8 hours at :10' })[0] ?? '')
    const read = python('import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], "rb"))))', path)
    expect(read).toEqual({
      Label: 'dev.barewitness.nightly',
      ProgramArguments: [...program, 'run', '--schedule', 'nightly', '--schedules', file],
      EnvironmentVariables: environment,
      StartCalendarInterval: [0, 8, 16].map((Hour) => ({ Hour, Minute: 10 })),
      RunAtLoad: true,
      ProcessType: 'Background',
      Umask: 63,
    })
  })

  test('Task Scheduler: in UTF-16, with its parts in the order of its schema', () => {
    const path = join(folder, 'task.xml')
    const by = {
      program: ['C:\\Program Files\\node & co\\node.exe', 'C:\\bw <1>\\cli.js'] as const,
      file: 'C:\\漢 ä\\s.json',
      user: 'CLINIC\\anna',
    }
    const [text = ''] = textsOf(units('task-scheduler', {}, by))
    writeFileSync(path, `\ufeff${text}`, 'utf16le')
    const read = python(
      'import json, sys, xml.etree.ElementTree as E; r = E.parse(sys.argv[1]).getroot(); n = lambda e: e.tag.split("}")[1]; print(json.dumps([[n(e) for e in r], r.find(".//{*}Command").text, r.find(".//{*}Arguments").text]))',
      path,
    )
    expect(read).toEqual([
      ['RegistrationInfo', 'Triggers', 'Principals', 'Settings', 'Actions'],
      'C:\\Program Files\\node & co\\node.exe',
      '"C:\\bw <1>\\cli.js" run --schedule nightly --schedules "C:\\漢 ä\\s.json"',
    ])
  })
})
