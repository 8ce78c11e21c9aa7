import { type Context, defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import {
  DRIVER_SOURCE,
  driverBranch,
  END_OF_LIFE_AS_OF,
  END_OF_LIFE_DAYS,
  endOf,
  type ReleaseEnd,
  type SystemEnds,
} from '../end-of-life.ts'
import { type GpuModules, gpuModules } from '../probes/gpu-modules.ts'
import { type Distribution, packagesDistribution } from '../probes/packages-distribution.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

const DAY = 86_400_000

export const vulnEol = defineCheck({
  id: 'vuln.eol',
  property: 'integrity',
  claim:
    'The operating system’s release, and the branch of the NVIDIA driver where one is loaded, are still supported by their makers.',
  limits:
    'The dates are those of a table in this program, not of the makers’ pages today. A minor release that its successor has ended, kernels from other sources, firmware and other software are not judged. Support that needs a paid subscription is not counted, since the server does not show that it is paid for.',
  needs: { distribution: packagesDistribution },
  wants: { modules: gpuModules },
  evaluate: ({ distribution }, { modules }, context) =>
    weigh([...system(distribution, context), ...driver(modules, context), ...ageOfTable(context)]),
})

const today = ({ asOf }: Context): string => asOf.slice(0, 10)

function system(distribution: Distribution, context: Context): readonly Step[] {
  const entry = endOf(distribution)
  if (entry !== null) return [listed(entry.system, entry.release, distribution, context)]
  const { id, version, supportEnd } = distribution
  const called = version === '' ? quote(id) : `${quote(id)} ${quote(version)}`
  if (supportEnd === null)
    return [
      leavesUnclear(`Neither our table nor ${called} itself says until when it is supported.`, packagesDistribution),
    ]
  return [
    supportEnd >= today(context)
      ? speaksFor(`${called} states in os-release that it is supported until ${supportEnd}.`, packagesDistribution)
      : speaksAgainst(`${called} states in os-release that its support ended on ${supportEnd}.`, packagesDistribution),
  ]
}

function listed(
  { name, source, subscription }: SystemEnds,
  release: ReleaseEnd,
  { version }: Distribution,
  context: Context,
): Step {
  const called = `${name} ${quote(version, 20)}`
  if (release.until < today(context)) {
    const paid =
      subscription === undefined
        ? ''
        : ` Its maker sells ${subscription}${release.subscriptionUntil === undefined ? '' : ` until ${release.subscriptionUntil}`}; whether it is bought is not shown here.`
    return speaksAgainst(
      `Support of ${called} for everybody ended on ${release.until} (${source}).${paid}`,
      packagesDistribution,
    )
  }
  const reduced =
    release.regularUntil !== undefined && release.regularUntil < today(context)
      ? ` Since ${release.regularUntil} only its long-term team mends it, and not every package.`
      : ''
  return speaksFor(`${called} is supported until ${release.until} (${source}).${reduced}`, packagesDistribution)
}

function driver(modules: Parsed<GpuModules>, context: Context): readonly Step[] {
  if (!modules.ok) return unclearAbout(gpuModules, modules)
  const { driver: version, modules: loaded } = modules.fact
  if (version === null)
    return loaded.includes('nvidia')
      ? [leavesUnclear('The NVIDIA driver is loaded and does not say its version.', gpuModules)]
      : []
  const branch = driverBranch(version)
  if (branch === null)
    return [leavesUnclear(`The branch of the NVIDIA driver ${quote(version, 20)} is not in our table.`, gpuModules)]
  if (branch === 'unlisted')
    return [
      speaksAgainst(
        `The NVIDIA driver ${quote(version, 20)} is of a branch that its maker’s list of supported ones no longer names (${DRIVER_SOURCE}).`,
        gpuModules,
      ),
    ]
  return [
    branch.until >= today(context)
      ? speaksFor(
          `The branch of the NVIDIA driver ${quote(version, 20)} is supported until ${branch.until} (${DRIVER_SOURCE}).`,
          gpuModules,
        )
      : speaksAgainst(
          `Support of the branch of the NVIDIA driver ${quote(version, 20)} ended on ${branch.until} (${DRIVER_SOURCE}).`,
          gpuModules,
        ),
  ]
}

function ageOfTable({ asOf }: Context): readonly Step[] {
  const days = Math.floor((Date.parse(asOf) - Date.parse(END_OF_LIFE_AS_OF)) / DAY)
  return days <= END_OF_LIFE_DAYS
    ? []
    : [
        leavesUnclear(
          `Our table of support ends is of ${END_OF_LIFE_AS_OF}, ${days} days before this assessment; a newer one is needed.`,
          null,
        ),
      ]
}
