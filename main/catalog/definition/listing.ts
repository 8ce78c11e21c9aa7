import type { ControlRole } from '../../../schemas/conclusion-words.ts'
import type { Catalog, CheckSeverity } from '../../core/rules/catalog.ts'
import { PROFILE_NAMES, type ProfileName, type SourcedValue, type Threshold } from '../../core/rules/profile.ts'
import type { OffNodeCheck } from '../../core/rules/requests.ts'
import { documentsOf, type EvidenceRequest } from '../../core/rules/requests.ts'
import { vocabularyEntry } from './subjects.ts'

/** One mapped idea of a check as `catalog checks` lists it: built, or why no node can provide it. */
export type CheckListing = BuiltListing | NotBuiltListing

interface Listed {
  readonly id: string
  /** From the vocabulary; null for a check that no framework could name. */
  readonly observes: string | null
  readonly ceiling: string | null
  readonly evidenceKind: string | null
  /** Keys of the rows it is mapped to, in every framework; a key begins with its framework. */
  readonly feeds: readonly string[]
  /** For each of those rows, how the check counts there. */
  readonly roles: readonly { readonly control: string; readonly role: ControlRole }[]
  /** How severe a deviation is, and why; null for a check without a rating. */
  readonly severity: CheckSeverity | null
}

interface BuiltListing extends Listed {
  readonly built: true
  readonly property: string
  readonly expected: string
  /** What "satisfied" does not show. */
  readonly limitations: string
  readonly ends: 'decided' | 'recorded' | 'supported-or-recorded'
  /** Probe ids. */
  readonly requires: readonly string[]
  readonly optional: readonly string[]
  readonly thresholds: readonly string[]
}

interface NotBuiltListing extends Listed {
  readonly built: false
  readonly from: OffNodeCheck['source']
  readonly why: string
  /** Ids of the evidence requests that answer it. */
  readonly requests: readonly string[]
}

/** Every check, then every mapped one that no node can answer. */
export const checkListing = (catalog: Catalog): readonly CheckListing[] => [
  ...catalog.checks.map(
    ({ id, property, expected, limitations, ends, requires, optional, thresholds }): BuiltListing => ({
      ...listed(catalog, id),
      built: true,
      property,
      expected,
      limitations,
      ends: ends ?? 'decided',
      requires: Object.values(requires).map((probe) => probe.id),
      optional: Object.values(optional ?? {}).map((probe) => probe.id),
      thresholds: thresholds ?? [],
    }),
  ),
  ...catalog.offNodeChecks.map(
    ({ id, source, why }): NotBuiltListing => ({
      ...listed(catalog, id),
      built: false,
      from: source,
      why,
      requests: catalog.requests.filter(({ serves }) => serves.includes(id)).map((request) => request.id),
    }),
  ),
]

function listed(catalog: Catalog, id: string): Listed {
  const entry = vocabularyEntry(id)
  const roles = catalog.frameworks.flatMap(({ controls }) =>
    controls.flatMap(({ key, mappings }) =>
      mappings
        .filter(({ check }) => check === id)
        // Without a role in a mapping, a check decides.
        .map(({ role = 'required' }) => ({ control: key, role })),
    ),
  )
  const { observes = null, ceiling = null, evidenceKind = null } = entry ?? {}
  const severity = catalog.severities.find(({ check }) => check === id) ?? null
  return { id, observes, ceiling, evidenceKind, feeds: roles.map(({ control }) => control), roles, severity }
}

/** One evidence request with the rows that need it. */
interface RequestListing extends EvidenceRequest {
  readonly controls: readonly {
    readonly framework: string
    /** The row's key, which begins with its framework. */
    readonly control: string
    readonly mandatory: boolean
  }[]
}

/** Every evidence request with the rows, in every framework, that it is a document of. */
export function requestListing(
  catalog: Pick<Catalog, 'requests' | 'offNodeChecks' | 'frameworks'>,
): readonly RequestListing[] {
  const found = new Map<string, RequestListing['controls'][number][]>(catalog.requests.map(({ id }) => [id, []]))
  for (const { id: framework, controls } of catalog.frameworks)
    for (const control of controls)
      for (const { request, mandatory } of documentsOf(catalog, control))
        if (request !== null) found.get(request.id)?.push({ framework, control: control.key, mandatory })
  return catalog.requests.map((request) => ({ ...request, controls: found.get(request.id) ?? [] }))
}

/** One threshold with what each profile states; a profile that sets none has the baseline's value. */
interface ThresholdListing extends Omit<Threshold, 'values'> {
  readonly values: Readonly<Record<ProfileName, SourcedValue & { readonly ofBaseline: boolean }>>
  /** Ids of the checks that compare against it. */
  readonly checks: readonly string[]
}

export const thresholdListing = ({ thresholds, checks }: Catalog): readonly ThresholdListing[] =>
  thresholds.map(({ values, ...threshold }) => ({
    ...threshold,
    values: Object.fromEntries(
      PROFILE_NAMES.map((name) => [name, { ...(values[name] ?? values.baseline), ofBaseline: values[name] === null }]),
    ) as ThresholdListing['values'],
    checks: checks.filter((check) => check.thresholds?.includes(threshold.id) === true).map(({ id }) => id),
  }))
