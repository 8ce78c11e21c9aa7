import type { Assessment, EarlierRuns, Register } from '../../schemas/types.ts'
import { REMEDIATIONS } from '../catalog/remediation.ts'
import { type Catalog, catalogFor } from '../core/catalog.ts'
import { POPULATION } from '../core/engagement/coverage.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { findingReference } from '../core/finding/finding.ts'
import { quote } from '../core/plain-text.ts'
import type { RecordingOutline } from '../core/recording.ts'
import { ok } from '../core/result.ts'
import { tally } from '../core/tally.ts'
import { type Presentation, presentationOf } from '../present/presentation.ts'

/** What findings derive from. */
export interface FindingSources {
  readonly assessment: Assessment
  /** Without the frameworks of the scope, which are added. */
  readonly catalog: Catalog
  /** The part in scope. */
  readonly register: Register
  readonly recordings: readonly Pick<RecordingOutline, 'recording'>[]
  readonly earlier?: EarlierRuns
}

/** What is shown of an assessment, with its findings: the same for every command and file. */
export function shownOf({ catalog: ours, ...sources }: FindingSources): Presentation {
  const catalog = catalogFor(ours, sources.assessment.scope)
  return presentationOf({
    ...sources,
    // The presentation reads what was declared of each node, and no capture.
    recordings: sources.recordings.map(({ recording }) => ({ recording, captures: [] })),
    catalog,
    remediations: REMEDIATIONS,
    tally: tally(sources.assessment, catalog.checks),
  })
}

/** Checks of which there can be findings: those of the catalog, and the reconciliation of the population. */
export const findingChecks = ({ checks }: Pick<Catalog, 'checks'>): readonly string[] => [
  ...checks.map(({ id }) => id),
  POPULATION,
]

/** The check of a finding, named by its reference or by the check itself. Fails with input.refused. */
export function findingNamed(catalog: Pick<Catalog, 'checks'>, fleet: string, text: string): Outcome<string> {
  const wanted = text.trim()
  const found = findingChecks(catalog).find(
    (check) => check === wanted || findingReference(fleet, check) === wanted.toUpperCase(),
  )
  return found === undefined
    ? fail(
        'input.refused',
        `there is no finding or check ${quote(wanted)} of fleet ${quote(fleet)}; a reference belongs to the fleet file that “finding list” was given`,
      )
    : ok(found)
}
