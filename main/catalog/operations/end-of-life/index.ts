import { daysBetween, startOfDay } from '../../../core/base/days.ts'
import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type GpuModules, gpuModules } from '../../hardware/gpu/probes.ts'
import { type Distribution, packagesDistribution } from '../packages/probes.ts'
import data from './checks.json' with { type: 'json' }
import ends from './end-of-life.json' with { type: 'json' }

/**
 * Days for which a list of dates set by others, such as ends of support, is relied on after it was last compared with
 * its sources.
 */
const LIST_DAYS = 90

/** Whether a list is too old at the moment of assessment to support anything; one without a readable day is. */
const isOldList = (listOf: string, { asOf }: Pick<Context, 'asOf'>): boolean => {
  const days = daysBetween(startOfDay(listOf), asOf)
  return !(days <= LIST_DAYS)
}

/** The step that dates a list next to what was concluded from it. An old one leaves open what it would have supported. */
export function ageOfList(title: string, listOf: string, context: Pick<Context, 'asOf'>): DraftObservation {
  const days = daysBetween(startOfDay(listOf), context.asOf)
  const age = days < 0 ? 'after the day of this assessment' : `${count(days, 'day')} before this assessment`
  const dated = `${title} is dated ${listOf}, ${age}`
  return isOldList(listOf, context)
    ? unclear(`${dated}. It is relied on for ${LIST_DAYS} days; a newer one is needed.`, null)
    : supports(`${dated}.`, null)
}

/** One release and the last day on which its manufacturer maintains it for all users. Days are YYYY-MM-DD. */
interface ReleaseEnd {
  readonly version: string
  readonly until: string
  /** Last day of the first phase, after which a part of the packages is left out (Debian LTS). */
  readonly regularUntil?: string
  /** Last day of what a paid subscription adds. Only named: a node's support is never taken from it. */
  readonly subscriptionUntil?: string
}

interface SystemEnds {
  readonly id: string
  readonly name: string
  /** The manufacturer's own page. */
  readonly source: string
  readonly subscription?: string
  /** Each minor version has its own end (SUSE); else one end holds for a major version, or for a version with two parts (Ubuntu). */
  readonly exactVersion?: boolean
  readonly releases: readonly ReleaseEnd[]
}

/** Only dates that their manufacturers state; what is not here is not known. */
const TABLE: {
  readonly asOf: string
  readonly systems: readonly SystemEnds[]
  readonly nvidia: { readonly source: string; readonly branches: readonly ReleaseEnd[] }
} = ends

/** The day on which the table was last compared with its sources. */
export const END_OF_LIFE_AS_OF: string = TABLE.asOf

/** The distribution's manufacturers and the end of this very release; null where the table has none. */
export function endOf({
  id,
  name,
  version,
}: Distribution): { readonly system: SystemEnds; readonly release: ReleaseEnd } | null {
  const wanted = id === 'centos' && /\bStream\b/.test(name) ? 'centos-stream' : id
  const system = TABLE.systems.find((one) => one.id === wanted)
  const release = system?.releases.find(
    (one) => one.version === version || (system.exactVersion !== true && one.version === version.split('.')[0]),
  )
  return system === undefined || release === undefined ? null : { system, release }
}

/**
 * The state of a driver’s branch: its end; `unlisted` for one older than the newest listed, which the manufacturer no
 * longer lists; null for a branch newer than the list, or for text that is not a version.
 */
export function driverBranch(driver: string): ReleaseEnd | 'unlisted' | null {
  const branch = /^(\d{3})\./.exec(driver)?.[1]
  if (branch === undefined) return null
  const { branches } = TABLE.nvidia
  const own = branches.find(({ version }) => version === branch)
  if (own !== undefined) return own
  return branches.some(({ version }) => Number(version) > Number(branch)) ? 'unlisted' : null
}

const DRIVER_SOURCE: string = TABLE.nvidia.source

/**
 * A list older than LIST_DAYS supports nothing, but what it states to have ended remains a deviation: ends of support
 * are announced years ahead and are not withdrawn once they have passed, while a future date in an old list may have
 * been brought forward. Where the distribution itself states its end (SUPPORT_END, os-release(5)), that statement
 * replaces the old list.
 */
export const vulnEol = defineCheck({
  id: 'vuln.eol',
  property: 'integrity',
  expected: 'The operating system release, and the branch of a loaded NVIDIA driver, are supported by their vendors.',
  limitations:
    'The dates are those of a list in this program, as of the date printed with the result, not of the vendors’ pages today; a list older than 90 days supports nothing. A minor release ended by its successor, kernels from other sources, firmware and other software are not evaluated. Support that needs a paid subscription is not counted, since the server does not show that it is paid for.',
  requires: { distribution: packagesDistribution },
  optional: { modules: gpuModules },
  evaluate({ distribution }, { modules }, context) {
    const parts = [system(distribution, context), driver(modules, context)]
    const age = ageOfList('The list of ends of support', END_OF_LIFE_AS_OF, context)
    return decide([...parts.flatMap(({ steps }) => steps), ...(parts.some(({ fromList }) => fromList) ? [age] : [])])
  },
})

/** The observation about one of them, and whether it depends on the list. */
interface Part {
  readonly steps: readonly DraftObservation[]
  readonly fromList: boolean
}

const today = ({ asOf }: Context): string => asOf.slice(0, 10)

function system(distribution: Distribution, context: Context): Part {
  const { id, version, supportEnd } = distribution
  const entry = endOf(distribution)
  const hasEnded = entry !== null && entry.release.until < today(context)
  const isStated = supportEnd !== null && (entry === null || (!hasEnded && isOldList(END_OF_LIFE_AS_OF, context)))
  if (entry !== null && !isStated)
    return { steps: [listed(entry.system, entry.release, distribution, context)], fromList: true }
  const called = version === '' ? quote(id) : `${quote(id)} ${quote(version)}`
  if (supportEnd === null) {
    const text = `Neither this catalog nor ${called} itself states until when it is supported.`
    return { steps: [unclear(text, packagesDistribution)], fromList: true }
  }
  const step =
    supportEnd >= today(context)
      ? supports(`${called} states in os-release that it is supported until ${supportEnd}.`, packagesDistribution)
      : contradicts(`${called} states in os-release that its support ended on ${supportEnd}.`, packagesDistribution)
  return { steps: [step], fromList: false }
}

function listed(
  { name, source, subscription }: SystemEnds,
  release: ReleaseEnd,
  { version }: Distribution,
  context: Context,
): DraftObservation {
  const called = `${name} ${quote(version, 20)}`
  if (release.until < today(context)) {
    const paid =
      subscription === undefined
        ? ''
        : ` Its vendor sells ${subscription}${release.subscriptionUntil === undefined ? '' : ` until ${release.subscriptionUntil}`}; whether it was purchased is not shown here.`
    return contradicts(
      `General support of ${called} ended on ${release.until} (${source}).${paid}`,
      packagesDistribution,
    )
  }
  const reduced =
    release.regularUntil !== undefined && release.regularUntil < today(context)
      ? ` Since ${release.regularUntil} only its long-term team provides fixes, and not for every package.`
      : ''
  return supports(`${called} is supported until ${release.until} (${source}).${reduced}`, packagesDistribution)
}

function driver(modules: Parsed<GpuModules>, context: Context): Part {
  if (!modules.ok) return { steps: unclearAbout(gpuModules, modules), fromList: false }
  const { driver: version, modules: loaded } = modules.fact
  if (version !== null) return { steps: [branchStep(version, context)], fromList: true }
  const isSilent = loaded.includes('nvidia')
  return {
    steps: isSilent ? [unclear('The NVIDIA driver is loaded and does not state its version.', gpuModules)] : [],
    fromList: false,
  }
}

function branchStep(version: string, context: Context): DraftObservation {
  const branch = driverBranch(version)
  const called = quote(version, 20)
  if (branch === null)
    return unclear(`The branch of the NVIDIA driver ${called} is not listed in this catalog.`, gpuModules)
  if (branch === 'unlisted')
    return contradicts(
      `The NVIDIA driver ${called} is of a branch that is no longer in its vendor’s list of supported ones (${DRIVER_SOURCE}).`,
      gpuModules,
    )
  return branch.until >= today(context)
    ? supports(
        `The branch of the NVIDIA driver ${called} is supported until ${branch.until} (${DRIVER_SOURCE}).`,
        gpuModules,
      )
    : contradicts(
        `Support of the branch of the NVIDIA driver ${called} ended on ${branch.until} (${DRIVER_SOURCE}).`,
        gpuModules,
      )
}

export const endOfLifeSubject = defineSubject({
  id: 'end-of-life',
  title: 'Vendor support',
  probes: [],
  checks: [vulnEol],
  data,
})
