import type { CheckData, Subject } from '../../main/catalog/base/subject.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import type { Check } from '../../main/core/rules/check.ts'
import { subjectFolders } from './catalog-data.ts'

/** What is known of the checks: their subjects, their remediation, and the verdicts that some fixture gives. */
export interface Stated {
  readonly subjects: readonly Pick<Subject, 'id' | 'data'>[]
  readonly checks: readonly Pick<Check, 'id' | 'ends'>[]
  readonly frameworks: Catalog['frameworks']
  readonly probes: readonly Pick<Catalog['probes'][number], 'id'>[]
  /** The probes that some fixture node answers. */
  readonly answered: ReadonlySet<string>
  /** By check: every verdict that it has on a fixture node. */
  readonly verdicts: ReadonlyMap<string, ReadonlySet<string>>
}

/** How a check can end. One that only records is neither satisfied nor not satisfied; one that supports or records is never not satisfied. */
export const endings = ({ ends }: Pick<Check, 'ends'>): readonly string[] => [
  'inconclusive',
  ...(ends === 'recorded' ? [] : ['satisfied']),
  ends === undefined ? 'not-satisfied' : 'informational',
]

/** Nodes that most others extend, and that a complete collection is tested with. */
const BASES = ['demo-gpu-01', 'demo-guest-03', 'demo-metal-04'] as const

/**
 * What was forgotten of any check or probe, a sentence each: the check, what it lacks, and the file to state it in. Empty where every check
 * has its fixtures, mappings or a reason for none, severity and remediation, every entry of the data is of a check, and some fixture node
 * answers every probe.
 */
export function forgotten({ subjects, checks, frameworks, probes, answered, verdicts }: Stated): readonly string[] {
  const folders = subjectFolders()
  const entries = new Map<string, Entry[]>()
  for (const { id, data } of subjects)
    for (const one of data?.checks ?? [])
      entries.set(one.check, [...(entries.get(one.check) ?? []), { ...one, file: `${folders.get(id)}/checks.json` }])
  const controls = new Set(frameworks.flatMap((one) => one.controls.map(({ key }) => key)))
  const built = new Set(checks.map(({ id }) => id))
  return [
    ...probes
      .filter(({ id }) => !answered.has(id))
      .map(({ id }) => `${id} has no section in test/fixtures/nodes; ${BASES.join(', ')} need one`),
    ...checks.flatMap((check) => {
      const [entry, ...others] = entries.get(check.id) ?? []
      if (entry === undefined) return [`${check.id} has no entry in checks.json of its subject`]
      return [
        ...others.map(({ file }) => `${check.id} has another entry in ${file}`),
        ...lacksOf(entry),
        ...endings(check)
          .filter((verdict) => verdicts.get(check.id)?.has(verdict) !== true)
          .map((verdict) => `${check.id} is ${verdict} on no node of test/fixtures/nodes`),
      ]
    }),
    ...[...entries.values()]
      .flat()
      .flatMap((entry) => [
        ...strayIn(entry, built.has(entry.check)),
        ...[...(entry.mappings ?? []).map(({ control }) => control), ...entry.related]
          .filter((control) => !controls.has(control))
          .map((control) => `${entry.check} names ${control} in ${entry.file}, which no framework has`),
      ]),
  ]
}

type Entry = CheckData & { readonly file: string }

const lacksOf = ({ check, file, mappings = [], unmapped, severity, remediation }: Entry): readonly string[] => [
  ...(mappings.length === 0 && unmapped === undefined
    ? [`${check} has neither mappings nor the reason why it is unmapped, in ${file}`]
    : []),
  ...(severity === undefined ? [`${check} has no severity in ${file}`] : []),
  ...(remediation === undefined ? [`${check} has no remediation in ${file}`] : []),
]

function strayIn({ check, file, offNode }: Entry, isBuilt: boolean): readonly string[] {
  if (isBuilt && offNode !== undefined) return [`${check} is built, and answered elsewhere by ${file}`]
  return isBuilt || offNode !== undefined ? [] : [`${check} of ${file} is in checks of no subject`]
}
