import { type Context, defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed, Probe } from '../../core/probe.ts'
import { packagesApt } from '../probes/packages-apt.ts'
import { packagesDistribution } from '../probes/packages-distribution.ts'
import { packagesDnf } from '../probes/packages-dnf.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

/** Package lists older than this say nothing about today's fixes. */
const LISTS_DAYS = 7

export const vulnPatchLevel = defineCheck({
  id: 'vuln.patch-level',
  property: 'integrity',
  claim:
    'No security update that the node’s package lists know of, and the lists are at most 7 days old, waits to be installed.',
  limits:
    'Only packages from configured sources are covered: software built by hand, containers, drivers and firmware are not, nor fixes that need a paid subscription. How long an update has waited is not shown.',
  needs: { distribution: packagesDistribution },
  wants: { apt: packagesApt, dnf: packagesDnf },
  evaluate({ distribution }, { apt, dnf }, context) {
    if (distribution.family === 'debian') {
      if (!apt.ok) return weigh(unclearAbout(packagesApt, apt))
      const { pending, keptBack, listsChangedAt } = apt.fact
      const security = pending.filter((entry) => entry.security).map((entry) => entry.name)
      return weigh([
        waiting(security, packagesApt, 'upgrade'),
        ...held(keptBack),
        freshness(listsChangedAt, context, packagesApt),
      ])
    }
    if (distribution.family === 'rhel') return weigh(byDnf(dnf, context))
    return weigh([leavesUnclear(`Pending updates of ${quote(distribution.id)} are not read.`, packagesDistribution)])
  },
})

function byDnf(
  dnf: Parsed<{ readonly security: readonly string[]; readonly listsChangedAt: number | null }>,
  context: Context,
): readonly Step[] {
  if (!dnf.ok) return unclearAbout(packagesDnf, dnf)
  return [
    waiting(dnf.fact.security, packagesDnf, 'advisories'),
    freshness(dnf.fact.listsChangedAt, context, packagesDnf),
  ]
}

const waiting = (security: readonly string[], probe: Probe<unknown>, command: string): Step =>
  security.length === 0
    ? speaksFor('No security update waits, going by the package lists on the node.', probe, command)
    : speaksAgainst(`${count(security.length, 'security update')} waiting: ${named(security)}.`, probe, command)

const held = (names: readonly string[]): readonly Step[] =>
  names.length === 0
    ? []
    : [
        leavesUnclear(
          `${count(names.length, 'package')} held back from updating (${named(names, 5)}); whether that leaves out security fixes is not shown.`,
          packagesApt,
          'upgrade',
        ),
      ]

function freshness(changedAt: number | null, { observedAt }: Context, probe: Probe<unknown>): Step {
  if (changedAt === null) return leavesUnclear('The age of the package lists could not be read.', probe, 'lists')
  const days = Math.floor((Date.parse(observedAt) / 1000 - changedAt) / 86_400)
  if (days < -1) return leavesUnclear('The package lists are dated in the future.', probe, 'lists')
  return days <= LISTS_DAYS
    ? speaksFor(`The package lists changed ${count(Math.max(days, 0), 'day')} before the collection.`, probe, 'lists')
    : leavesUnclear(
        `The package lists last changed ${days} days before the collection, so newer fixes are unknown to the node.`,
        probe,
        'lists',
      )
}
