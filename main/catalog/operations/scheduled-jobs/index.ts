import { defineProbe, glob, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { listedFolders, listingIsComplete } from '../../base/read-listing.ts'
import { foundLines, grepIsComplete, inOrder, lines } from '../../base/read-text.ts'
import { count, named, supports } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import data from './checks.json' with { type: 'json' }

export interface ScheduledJobs {
  /** Loaded timer units, and whether they are active. Null where there is no service manager to query. */
  readonly timers: readonly { readonly unit: string; readonly isActive: boolean }[] | null
  /** Names in /etc/cron.d and the folders of hourly to monthly jobs, with their folder. */
  readonly cron: readonly string[]
  /** Lines with a schedule in /etc/crontab and /etc/cron.d: file and schedule. What they run is not collected. */
  readonly schedules: readonly { readonly file: string; readonly when: string }[]
  /** When persistent timers last went off, in seconds since 1970, by the name of the timer. */
  readonly stamps: ReadonlyMap<string, number>
}

const FOLDERS = ['/etc/cron.d', '/etc/cron.hourly', '/etc/cron.daily', '/etc/cron.weekly', '/etc/cron.monthly'] as const

// Five fields or a word such as @daily, with the blank that ends them: commands, which can hold secrets, come after it.
const SCHEDULE =
  '^[[:space:]]*(@(reboot|hourly|daily|midnight|weekly|monthly|yearly|annually)|[0-9*][0-9*,/-]*([[:space:]]+[0-9A-Za-z*,/-]+){4})[[:space:]]'

/**
 * systemctl(1) list-units, crontab(5), systemd.timer(5) (Persistent= keeps a stamp in /var/lib/systemd/timers). Names and schedules only: the
 * command lines of jobs are not read.
 */
export const scheduledJobs = defineProbe({
  id: 'change.scheduled-jobs',
  title: 'Timers and cron jobs',
  why: 'Shows which jobs run on a schedule and when. Only names and times are read, not what the jobs do.',
  ignoredInDrift: {
    why: 'Timers run, and programs create some for single use. Not detected: a timer with a name like one of those.',
    normalize: ({ timers, cron, schedules }: ScheduledJobs) => ({
      timers: timers === null ? null : inOrder(timers.filter(({ unit }) => !/^run-[a-z]?[0-9a-f]+\.timer$/.test(unit))),
      cron: inOrder(cron),
      schedules: inOrder(schedules),
    }),
  },
  commands: {
    timers: run(['systemctl', '--no-pager', '--no-legend', '--plain', '--all', 'list-units', '--type=timer'], {
      maxBytes: 262_144,
    }),
    cron: run(['ls', '-1', ...FOLDERS]),
    schedules: run(['grep', '-HoE', SCHEDULE, '/etc/crontab', glob('/etc/cron.d/*')]),
    stamps: run(['stat', '-c', '%Y %n', glob('/var/lib/systemd/timers/stamp-*.timer')]),
  },
  parse({ timers, cron, schedules, stamps }) {
    if (!listingIsComplete(cron)) return unknown('the folders of cron jobs could not all be listed')
    if (!grepIsComplete(schedules)) return unknown('the tables of cron could not all be read')
    // Where only one of the folders exists, ls prints a heading regardless, because several were named.
    const folders = listedFolders(cron.text)
    return known<ScheduledJobs>({
      timers:
        timers.exitCode === 0
          ? lines(timers.text).flatMap((line) => {
              const [, unit, active] = /^[●*\s]{0,8}(\S{1,256}\.timer)\s+\S+\s+(\S+)/.exec(line) ?? []
              return unit === undefined ? [] : [{ unit, isActive: active === 'active' }]
            })
          : null,
      cron: [...folders].flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`)),
      schedules: foundLines(schedules.text).map(({ path, line }) => ({
        file: path,
        when: line.trim().replace(/\s+/g, ' ').slice(0, 100),
      })),
      stamps: new Map(
        lines(stamps.text).flatMap((line) => {
          const [, seconds, unit] = /^(\d{1,12}) \/var\/lib\/systemd\/timers\/stamp-(\S+\.timer)$/.exec(line) ?? []
          return unit === undefined ? [] : [[unit, Number(seconds)] as const]
        }),
      ),
    })
  },
})

interface UserCrontabs {
  /** Accounts with a table of their own; what is in it is not read. */
  readonly accounts: readonly string[]
}

/** Debian and Ubuntu keep users' tables in crontabs, RHEL in cron itself, SUSE in tabs. The names of files are those of accounts. */
export const userCrontabs = defineProbe({
  id: 'change.user-crontabs',
  title: 'Accounts with their own scheduled jobs',
  why: 'Shows which accounts run scheduled jobs. Only the names of accounts are read.',
  ignoredInDrift: {
    why: 'Accounts are listed in no fixed order.',
    normalize: ({ accounts }: UserCrontabs) => ({ accounts: inOrder(accounts) }),
  },
  commands: { tables: runAsRoot(['ls', '-1', '/var/spool/cron', '/var/spool/cron/crontabs', '/var/spool/cron/tabs']) },
  parse({ tables }) {
    if (!listingIsComplete(tables)) return unknown('the folder of users’ tables could not be listed')
    const ignored = new Set(['crontabs', 'tabs', 'atjobs', 'atspool', 'lastrun'])
    const accounts = [...listedFolders(tables.text).values()].flat().filter((name) => !ignored.has(name))
    return known<UserCrontabs>({ accounts: [...new Set(accounts)] })
  },
})

const changeScheduledJobs = defineCheck({
  id: 'change.scheduled-jobs',
  property: 'operations',
  expected:
    'Timers of the service manager, entries of cron and accounts with scheduled jobs of their own are recorded by name.',
  ends: 'recorded',
  limitations:
    'What the jobs run was not read, because command lines can hold secrets. No list of approved jobs was compared. Timers of users, jobs of at, and schedulers of clusters and applications are not listed.',
  requires: { scheduled: scheduledJobs },
  optional: { tables: userCrontabs },
  evaluate({ scheduled: { timers, cron, schedules } }, { tables }) {
    const waiting = (timers ?? []).filter(({ isActive }) => isActive).map(({ unit }) => unit)
    const stopped = (timers ?? []).length - waiting.length
    return {
      verdict: 'informational',
      observations: [
        supports(
          timers === null
            ? 'No service manager reported timers.'
            : `${count(waiting.length, 'timer')} waiting${waiting.length === 0 ? '' : `: ${named(waiting, 30)}`}${stopped === 0 ? '' : `; ${stopped} not started`}.`,
          scheduledJobs,
          'timers',
        ),
        supports(
          `${count(cron.length, 'entry', 'entries')} in the folders of cron${cron.length === 0 ? '' : `: ${named(cron, 30)}`}.`,
          scheduledJobs,
          'cron',
        ),
        ...(schedules.length === 0
          ? []
          : [
              supports(
                `${count(schedules.length, 'schedule')} in tables of cron: ${named(
                  schedules.map(({ file, when }) => `${file}: ${when}`),
                  16,
                )}.`,
                scheduledJobs,
                'schedules',
              ),
            ]),
        ...(tables.ok
          ? [
              supports(
                tables.fact.accounts.length === 0
                  ? 'No account has a table of its own.'
                  : `Accounts with a table of their own: ${named(tables.fact.accounts, 16)}.`,
                userCrontabs,
              ),
            ]
          : unclearAbout(userCrontabs, tables)),
      ],
    }
  },
})

export const scheduledJobsSubject = defineSubject({
  id: 'scheduled-jobs',
  title: 'Scheduled jobs',
  probes: [scheduledJobs, userCrontabs],
  checks: [changeScheduledJobs],
  data,
})
