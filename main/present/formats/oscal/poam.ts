import type { Finding } from '../../../core/finding/finding.ts'
import { type Closed, closedOf } from '../closed.ts'
import { assessmentAssets, backMatter, citing, metadataOf } from './head.ts'
import { isObserved, type Names } from './naming.ts'
import { observationsOf } from './observations.ts'
import { inventoryItems } from './population.ts'
import { risksOf } from './risks.ts'
import { line, NS, prop, some } from './words.ts'

/**
 * The findings as a plan of action and milestones (NIST, model plan-of-action-and-milestones): one item for each open finding and each one that
 * was closed in the period, with its risk, the observations of its deviating nodes and those nodes. Null without a finding: the model
 * requires an item.
 */
export function poamDocument(names: Names): unknown {
  const { assessment, shown } = names.input
  const closed = closedOf(shown)
  if (shown.findings.length + closed.length === 0) return null
  const checks = new Set(shown.findings.map(({ check }) => check))
  const isDeviation = ({ check, verdict }: { readonly check: string; readonly verdict: string }): boolean =>
    verdict === 'not-satisfied' && checks.has(check)
  return {
    'plan-of-action-and-milestones': {
      uuid: names.ofRun('document', 'poam'),
      metadata: metadataOf(names, 'poam'),
      'system-id': { 'identifier-type': `${NS}/fleet`, id: line(assessment.scope.fleet) },
      'local-definitions': {
        ...some(
          'inventory-items',
          inventoryItems(names, (node) => node.results.some((one) => isDeviation(one) && isObserved(one, node))),
        ),
        'assessment-assets': assessmentAssets(names),
      },
      ...some('observations', observationsOf(names, isDeviation)),
      ...some('risks', risksOf(names)),
      'poam-items': [
        ...shown.findings.map((one) => itemOf(names, one, `Open finding ${one.reference}: ${one.condition}`)),
        ...closed.map((one) => itemOf(names, one, `Closed finding ${one.reference}: ${one.title}`)),
      ],
      'back-matter': backMatter(names, 'assessment-results', 'catalog', 'pack'),
    },
  }
}

const itemOf = (
  names: Names,
  { reference, check, title }: Pick<Finding | Closed, 'reference' | 'check' | 'title'>,
  description: string,
): unknown => ({
  uuid: names.lasting('poam-item', check),
  title: line(title),
  description: line(description),
  props: [prop('reference', reference), prop('check', check)],
  links: [{ href: citing(names, 'assessment-results'), rel: 'reference', text: 'Assessment results' }],
  origins: [{ actors: [{ type: 'tool', 'actor-uuid': names.tool }] }],
  'related-risks': [{ 'risk-uuid': names.risk(check) }],
})
