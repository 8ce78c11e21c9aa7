import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { type Distribution, packagesDistribution } from '../probes/packages-distribution.ts'
import { packagesRpmRestart, type RpmRestart } from '../probes/packages-rpm-restart.ts'
import { type RebootState, rebootRequired } from '../probes/reboot-required.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'

export const vulnRebootRequired = defineCheck({
  id: 'vuln.reboot-required',
  property: 'integrity',
  expected: 'The running kernel is the newest one installed, and no restart is required.',
  limitations:
    'Programs that still use old libraries after an update are not detected, nor is it tested whether a live patch covers what a restart would. Whether the newest installed kernel is current is not tested.',
  requires: { state: rebootRequired, distribution: packagesDistribution },
  optional: { rpm: packagesRpmRestart },
  evaluate: ({ state, distribution }, { rpm }) => decide([flag(state), ...core(rpm, distribution), kernel(state)]),
})

const flag = ({ asked }: RebootState): DraftObservation =>
  asked
    ? contradicts('The distribution’s tools request a restart.', rebootRequired, 'flag')
    : supports('No restart is requested.', rebootRequired, 'flag')

/** Distributions with rpm set no flag by themselves, so that their package database is queried. */
function core(rpm: Parsed<RpmRestart>, { family }: Distribution): readonly DraftObservation[] {
  if (family !== 'rhel' && family !== 'suse') return []
  if (!rpm.ok) return unclearAbout(packagesRpmRestart, rpm)
  const { installedSinceBoot: newer } = rpm.fact
  return [
    newer.length === 0
      ? supports('No core package was installed after the server started.', packagesRpmRestart)
      : contradicts(
          `Installed after the server started, and in use only after a restart: ${named(newer)}.`,
          packagesRpmRestart,
        ),
  ]
}

function kernel({ running, installed }: RebootState): DraftObservation {
  if (!installed.includes(running))
    return unclear(
      `The running kernel ${quote(running)} is not among those in /boot, as where a provider starts the server with a kernel of its own; whether a newer one is pending cannot be determined here.`,
      rebootRequired,
      'running',
      'boot',
    )
  const same = installed.filter((version) => flavour(version) === flavour(running))
  const newest = same.reduce((best, version) => (compareVersions(version, best) > 0 ? version : best), running)
  return newest === running
    ? supports(
        `The running kernel ${quote(running)} is the newest of its kind in /boot.`,
        rebootRequired,
        'running',
        'boot',
      )
    : contradicts(
        `The kernel ${quote(running)} is running while ${quote(newest)} is installed.`,
        rebootRequired,
        'running',
        'boot',
      )
}

/** What follows the numbers, such as "generic", so that a kernel is compared with its own kind. */
const flavour = (version: string): string =>
  /[a-z].*$/i.exec(version.replace(/^[\d.]+-?/, '').replace(/^[\d.-]+/, ''))?.[0]?.replace(/\d+/g, '#') ?? ''

/** By number at each place: 6.8.0-9 comes before 6.8.0-45. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)]
  for (let place = 0; place < Math.max(left.length, right.length); place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const numbers = (version: string): readonly number[] => (version.match(/\d+/g) ?? []).map(Number)
