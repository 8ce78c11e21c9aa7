import { defineSubject } from '../../base/subject.ts'
import data from './checks.json' with { type: 'json' }

/** Checks that frameworks map and that are not built, because no capture of a node would decide them: data alone. */
export const offNodeSubject = defineSubject({
  id: 'off-node',
  title: 'Answered by documents, runs, the pack or the population',
  probes: [],
  checks: [],
  data,
})
