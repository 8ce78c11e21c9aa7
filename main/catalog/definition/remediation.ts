import type { DistributionFamily, Remediation, RemediationVariant } from '../../../schemas/types.ts'
import type { CheckRemediation } from '../../core/finding/work-order.ts'
import { captureKey, readProbe } from '../../core/recording/probe.ts'
import type { LoadedRecording } from '../../core/recording/recording.ts'
import { packagesDistribution } from '../operations/packages/probes.ts'
import { CHECK_DATA, vocabularyEntry } from './subjects.ts'

const PLACEHOLDER = /\$\{([A-Z][A-Z0-9_]*)\}/g

/**
 * The steps that change a server so that a check is satisfied. They are not part of the rules: no verdict depends on
 * them, so that steps can be corrected without a new version of the rules. Steps are for people; Barewitness never
 * runs them.
 */
export const REMEDIATIONS: readonly CheckRemediation[] = loadRemediations(
  CHECK_DATA.flatMap(({ check, remediation }) =>
    remediation === undefined ? [] : [{ check, ...(remediation as Remediation) }],
  ),
)

const byCheck: ReadonlyMap<string, CheckRemediation> = new Map(REMEDIATIONS.map((one) => [one.check, one]))

/** The remediation of a check; undefined for one without any, such as a check of an older or a foreign catalog. */
export const remediationOf = (check: string): CheckRemediation | undefined => byCheck.get(check)

/**
 * The remediations of the data. Throws where the data is wrong (an unknown or repeated check, steps that change nothing, a placeholder
 * without an input, no way to verify): the data is part of the program, so that is our bug and stops it at start.
 */
export function loadRemediations(remediations: readonly CheckRemediation[]): readonly CheckRemediation[] {
  const seen = new Set<string>()
  for (const { check, steps, alsoSettles } of remediations) {
    if (seen.has(check)) throw new Error(`remediation: ${check} is listed twice`)
    seen.add(check)
    for (const id of [check, ...alsoSettles])
      if (vocabularyEntry(id) === undefined) throw new Error(`remediation: ${check} names ${id}, which is no check`)
    if (steps.length === 0) throw new Error(`remediation: ${check} has no steps`)
    for (const variant of steps) {
      const problem = problemOf(variant)
      if (problem !== null) throw new Error(`remediation: ${check}, “${variant.title}”: ${problem}`)
    }
  }
  return remediations
}

function problemOf(variant: RemediationVariant): string | null {
  const { families, verify, inputs = [], prepare = [], files = [], commands = [], ask = [] } = variant
  if (families.length === 0) return 'no family of distributions is named'
  if (prepare.length + files.length + commands.length + ask.length === 0) return 'nothing is changed'
  if ((verify.command === undefined) === (verify.inspect === undefined))
    return 'it is verified neither by a command nor by inspection, or by both'
  const names = new Set(inputs.map(({ name }) => name))
  const unset = files
    .flatMap(({ content }) => [...content.matchAll(PLACEHOLDER)].map(([, name = '']) => name))
    .find((name) => !names.has(name))
  return unset === undefined ? null : `the placeholder ${unset} has no input`
}

/**
 * The variants for a family of distributions: its own and those for any. Where the family is not known, all of them, since leaving some
 * out could leave out the right one.
 */
export const variantsFor = (
  { steps }: CheckRemediation,
  family: DistributionFamily | null,
): readonly RemediationVariant[] =>
  steps.filter(({ families }) => family === null || families.includes(family) || families.includes('any'))

/**
 * The content of a file with a person’s values in place of ${NAME}. A placeholder without a value is left unchanged.
 */
export const filled = (content: string, values: ReadonlyMap<string, string>): string =>
  content.replaceAll(PLACEHOLDER, (placeholder, name: string) => values.get(name) ?? placeholder)

/** The family of a node's distribution by its own os-release(5); null where that was not read, or is of no family that has steps. */
export function familyOf({ captures }: Pick<LoadedRecording, 'captures'>): DistributionFamily | null {
  const reading = readProbe(
    packagesDistribution,
    new Map(captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one])),
  )
  return reading.ok && reading.fact.family !== 'other' ? reading.fact.family : null
}
