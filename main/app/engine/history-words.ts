import type { Flip, RulesChange, ScopeChange } from '../../../schemas/drift.ts'

/** What differs between two runs, in words. */

const RULES: Readonly<Record<RulesChange['what'], string>> = {
  engine: 'Version of Barewitness',
  catalog: 'Catalog of questions and checks',
  profile: 'Profile of thresholds',
  'check-added': 'A check that there was not before',
  'check-removed': 'A check that there is no more',
  'probe-added': 'A question that was not asked before',
  'probe-removed': 'A question that is asked no more',
}

export const rulesTitle = ({ what }: RulesChange): string => RULES[what]

export function scopeTitle({ what, part }: ScopeChange): string {
  switch (what) {
    case 'node-added':
      return 'A node is declared that was not before'
    case 'node-removed':
      return 'A node is declared no more'
    case 'declared':
      return 'Something else is declared about this node'
    case 'part':
      return `Something else is declared: ${PARTS[part ?? ''] ?? part ?? 'a part'}`
  }
}

/** Parts of a declared scope that have plainer names than their own. */
const PARTS: Readonly<Record<string, string>> = {
  frameworks: 'the frameworks',
  enrolled: 'which nodes are enrolled',
  engagement: 'the engagement',
  inventory: 'the provider’s list',
  provider: 'what the provider promises',
  residency: 'where nodes have to be',
  vantages: 'where measurements are made from',
  sites: 'the provider’s record of sites',
  databases: 'the databases of addresses',
  mappings: 'frameworks of your own',
}

export const COLLECTION_TITLES = {
  status: 'How much of the node was collected',
  'host-key': 'The node’s host key',
  address: 'The node’s address',
} as const

/** Why a verdict came out otherwise, as a sentence. `titles`: of the questions that are answered otherwise. */
export function becauseSentence({ because }: Pick<Flip, 'because'>, titles: readonly string[]): string {
  switch (because) {
    case 'evidence':
      return titles.length === 0
        ? 'Because the node answers otherwise.'
        : `Because the node answers otherwise: ${listed(titles)}.`
    case 'rules':
      return 'Because the rules are others. The node answers as before.'
    case 'scope':
      return 'Because something else is declared. The node answers as before.'
    case 'time':
      return 'Because time passed: the same answers say something else by now.'
    case 'undecided':
      return 'More than one thing changed, or only what changes by itself. Both recordings can tell them apart.'
  }
}

const MOST = 3

function listed(titles: readonly string[]): string {
  const more = titles.length - MOST
  return `${titles.slice(0, MOST).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
