import { defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { rebootRequired } from '../probes/reboot-required.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const vulnRebootRequired = defineCheck({
  id: 'vuln.reboot-required',
  property: 'integrity',
  claim: 'The running kernel is the newest one installed, and no restart is asked for.',
  limits:
    'Programs that still use old libraries after an update are not seen, nor whether a live patch covers what a restart would. That the newest installed kernel is current is another question.',
  needs: { state: rebootRequired },
  evaluate({ state: { running, installed, asked } }) {
    const flag = asked
      ? speaksAgainst('The distribution’s tools ask for a restart.', rebootRequired, 'flag')
      : speaksFor('No restart is asked for.', rebootRequired, 'flag')
    const own = installed.includes(running)
    const same = installed.filter((version) => flavour(version) === flavour(running))
    const newest = same.reduce((best, version) => (compareVersions(version, best) > 0 ? version : best), running)
    if (!own)
      return weigh([
        flag,
        leavesUnclear(
          `The running kernel ${quote(running)} is not among those in /boot.`,
          rebootRequired,
          'running',
          'boot',
        ),
      ])
    return weigh([
      flag,
      newest === running
        ? speaksFor(
            `The running kernel ${quote(running)} is the newest of its kind in /boot.`,
            rebootRequired,
            'running',
            'boot',
          )
        : speaksAgainst(
            `The kernel ${quote(running)} is running while ${quote(newest)} is installed.`,
            rebootRequired,
            'running',
            'boot',
          ),
    ])
  },
})

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
