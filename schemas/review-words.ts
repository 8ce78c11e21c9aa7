/** What an auditor decides about one sampled result, and from which results a sample is selected. */
export const WORK_STATES = ['open', 'agrees', 'does-not-agree', 'needs-more-evidence'] as const
export type WorkState = (typeof WORK_STATES)[number]

export const workStateWords: Readonly<Record<WorkState, string>> = {
  open: 'Open',
  agrees: 'Agrees with the evidence',
  'does-not-agree': 'Does not agree',
  'needs-more-evidence': 'Needs more evidence',
}

/** Populations to sample from: the algorithm is stated in docs/auditor-guide.md. */
export const SAMPLE_POPULATIONS = ['deciding', 'tested', 'all'] as const
export type SamplePopulation = (typeof SAMPLE_POPULATIONS)[number]

export const samplePopulationWords: Readonly<
  Record<SamplePopulation, { readonly label: string; readonly note: string }>
> = {
  deciding: {
    label: 'Deciding results',
    note: 'Satisfied, not satisfied or inconclusive, of checks that decide a control in scope.',
  },
  tested: { label: 'Tested results', note: 'Satisfied, not satisfied or inconclusive, of every check.' },
  all: { label: 'All results', note: 'Also not tested, not applicable and informational.' },
}

/** Strata of a sample, in the order in which results are drawn from them. */
export const STRATA = ['severe', 'not-satisfied', 'inconclusive', 'satisfied', 'other'] as const
export type Stratum = (typeof STRATA)[number]

export const stratumWords: Readonly<Record<Stratum, string>> = {
  severe: 'Not satisfied, critical or high',
  'not-satisfied': 'Not satisfied, other severity',
  inconclusive: 'Inconclusive',
  satisfied: 'Satisfied',
  other: 'Not tested, not applicable or informational',
}
