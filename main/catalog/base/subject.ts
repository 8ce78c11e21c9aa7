import type { Probe } from '../../core/recording/probe.ts'
import type { Check } from '../../core/rules/check.ts'

/**
 * One subject of the catalog, in a folder of its own: its probes, its checks, and their data. A check may read probes
 * of other subjects; a probe belongs to one.
 */
export interface Subject {
  /** The folder's name. */
  readonly id: string
  /** A noun phrase, as a heading over its checks. */
  readonly title: string
  readonly probes: readonly Probe<unknown>[]
  readonly checks: readonly Check[]
  /** The folder's `checks.json`; a subject of probes alone has none. */
  readonly data?: SubjectData
}

/**
 * The content of a subject’s `checks.json`, described by schemas/catalog-data.schema.json. Enumerated values are
 * plain text in imported JSON.
 */
export interface SubjectData {
  readonly checks: readonly CheckData[]
}

/** The data of one check, besides the code that evaluates it. */
export interface CheckData extends Omit<VocabularyEntry, 'id'> {
  readonly check: string
  /** Only for a check that no capture of a node decides: what answers it, and why. Such a check has no code and no remediation; a severity where it can be a finding. */
  readonly offNode?: { readonly source: string; readonly why: string } | undefined
  /** The controls that it counts for, each by its key, which begins with its framework. */
  readonly mappings?: readonly MappingData[] | undefined
  /** Instead of mappings: why no control of ours names it. */
  readonly unmapped?: string | undefined
  /** Keys of controls of frameworks that are mapped by id only. */
  readonly related: readonly string[]
  readonly severity?: { readonly severity: string } | undefined
  /** No part of the rules: left out of their module. */
  readonly remediation?: { readonly whoCanChange: string } | undefined
}

interface MappingData {
  readonly control: string
  readonly role: string
  readonly why: string
}

/** What a check observes, and the most that it can show. */
export interface VocabularyEntry {
  readonly id: string
  readonly observes: string
  readonly ceiling: string
  readonly evidenceKind: string
}

/** Gives a subject its type. `subjects.ts` lists every subject; a test fails on a folder that is not listed. */
export const defineSubject = (subject: Subject): Subject => subject
