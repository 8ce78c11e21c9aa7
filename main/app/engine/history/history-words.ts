import type { Flip, RulesChange, ScopeChange } from '../../../../schemas/drift.ts'

/** Drift between two runs, in words. */

const RULES: Readonly<Record<RulesChange['what'], string>> = {
  engine: 'Version of Barewitness',
  catalog: 'Catalog of probes and checks',
  profile: 'Threshold profile',
  'check-added': 'Check added',
  'check-removed': 'Check removed',
  'probe-added': 'Probe added',
  'probe-removed': 'Probe removed',
}

export const rulesTitle = ({ what }: RulesChange): string => RULES[what]

export function scopeTitle({ what, part }: ScopeChange): string {
  switch (what) {
    case 'node-added':
      return 'Node added to the declared population'
    case 'node-removed':
      return 'Node removed from the declared population'
    case 'declared':
      return 'Declaration of this node changed'
    case 'part':
      return `Declaration changed: ${PARTS[part ?? ''] ?? part ?? 'a part'}`
  }
}

/** Names for parts of a declared scope. */
const PARTS: Readonly<Record<string, string>> = {
  frameworks: 'frameworks',
  inFleet: 'nodes in the fleet file',
  engagement: 'engagement',
  inventory: 'provider inventory',
  provider: 'provider claims',
  residency: 'residency rules',
  vantages: 'vantage points',
  sites: 'provider site records',
  databases: 'address databases',
  mappings: 'customer-defined frameworks',
}

export const COLLECTION_TITLES = {
  status: 'Collection status of the node',
  'host-key': 'Host key of the node',
  address: 'Address of the node',
} as const

/** Cause of a verdict change, as a sentence. `titles` are those of the probes whose facts changed. */
export function becauseSentence({ because }: Pick<Flip, 'because'>, titles: readonly string[]): string {
  switch (because) {
    case 'evidence':
      return titles.length === 0
        ? 'Cause: facts of the node changed.'
        : `Cause: facts of the node changed: ${listed(titles)}.`
    case 'rules':
      return 'Cause: the rules changed. The facts of the node are unchanged.'
    case 'scope':
      return 'Cause: the declarations changed. The facts of the node are unchanged.'
    case 'time':
      return 'Cause: time passed. The same facts give another verdict at the later date.'
    case 'undecided':
      return 'More than one input changed, or only values that always vary. Compare both recordings to find the cause.'
  }
}

const MOST = 3

function listed(titles: readonly string[]): string {
  const more = titles.length - MOST
  return `${titles.slice(0, MOST).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
