import { defineCheck, unclearAbout } from '../../core/check.ts'
import { scheduledJobs } from '../probes/scheduled-jobs.ts'
import { userCrontabs } from '../probes/user-crontabs.ts'
import { count, named, supports } from '../steps.ts'

export const changeScheduledJobs = defineCheck({
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
