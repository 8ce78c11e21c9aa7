import type { Route } from './routes.ts'

/** A stop of the tour: a screen, and its explanation. */
interface TourStep {
  readonly title: string
  readonly text: string
  readonly route: Route
}

/** The tour over the demo fleet, in the order in which an audit is prepared. */
export const TOUR: readonly TourStep[] = [
  {
    title: 'Collection',
    text: 'Barewitness logs in to each node over SSH and runs commands that only read. Nodes that were not collected stay in every count.',
    route: { screen: 'collecting' },
  },
  {
    title: 'Overview',
    text: 'The overview states how many findings there are, the next step, and what was not seen. Every number opens what it counts.',
    route: { screen: 'overview', of: 'run' },
  },
  {
    title: 'Findings',
    text: 'Each finding states the condition found, the nodes, the recommendation, and the response of management. Open one to read its evidence down to the captured bytes.',
    route: { screen: 'findings', of: 'run' },
  },
  {
    title: 'Controls',
    text: 'Each control of HIPAA and SOC 2 has a server part, which the nodes answer, and a document part, which people answer.',
    route: { screen: 'controls', of: 'run' },
  },
  {
    title: 'Documents',
    text: 'Evidence requests that no server can answer: what is outstanding, from whom, and until when. One document can answer several controls.',
    route: { screen: 'documents', of: 'run' },
  },
  {
    title: 'Location',
    text: 'Declared places, compared with measured round-trip times. A measurement bounds the distance; it does not show an address.',
    route: { screen: 'location', of: 'run' },
  },
  {
    title: 'Evidence packs',
    text: 'A sealed pack holds evidence, results and report. Auditors open it in Barewitness, which evaluates the evidence again on their computer.',
    route: { screen: 'packs' },
  },
  {
    title: 'History and schedules',
    text: 'Runs by day, missed runs, and what changed between two runs. Schedules repeat the collection.',
    route: { screen: 'history' },
  },
]
