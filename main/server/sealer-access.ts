import type { CollectorInput } from './collector-access.ts'

/**
 * Everything that sealers may ask for: the third table of the team server. Each line is for the token of a sealer alone, and for requests to
 * its own certificate; a session of a person and the token of a collector reach none of it.
 */
export const SEALER_VERBS = {
  ask: { input: 'sealer-ask' },
  answer: { input: 'sealer-answer' },
  refuse: { input: 'sealer-refusal' },
  head: { input: 'sealer-head-ask' },
  'sign-head': { input: 'sealer-head-answer' },
} as const
export type SealerVerb = keyof typeof SEALER_VERBS

/** Inputs of programs; their schemas are in schemas/collector.schema.json and schemas/sealer.schema.json. */
export type ProgramInput = CollectorInput | (typeof SEALER_VERBS)[SealerVerb]['input']
