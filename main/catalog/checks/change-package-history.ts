import { defineCheck } from '../../core/check.ts'
import { type PackageLog, packageLogs } from '../probes/package-logs.ts'
import { count, named, supports } from '../steps.ts'

export const changePackageHistory = defineCheck({
  id: 'change.package-history',
  property: 'operations',
  expected:
    'The number of package changes in the node’s own log, and the dates of the first and the last, are recorded.',
  ends: 'recorded',
  limitations:
    'Older logs are rotated away, an administrator can change them, and software installed without the package manager is not in them. Which change belongs to which approval shows in tickets only.',
  requires: { logs: packageLogs },
  evaluate: ({ logs: { logs } }) => ({
    verdict: 'informational',
    observations: logs.map((log) => supports(describe(log), packageLogs)),
  }),
})

function describe({ path, changes, since, writtenAt }: PackageLog): string {
  const from = since === null ? '' : ` since ${since}`
  const to = writtenAt === null ? '' : `, last written on ${day(writtenAt)}`
  return `${named([path])}: ${count(changes, 'installation, upgrade or removal', 'installations, upgrades and removals')}${from}${to}.`
}

/** Seconds since 1970 (at most twelve digits) as a day in UTC. */
function day(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? 'a day that cannot be' : date.toISOString().slice(0, 10)
}
