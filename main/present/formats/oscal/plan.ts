import { assessmentAssets, backMatter, citing, metadataOf } from './head.ts'
import type { Names } from './naming.ts'
import { methodsOf } from './observations.ts'
import { plannedControls } from './population.ts'
import { line, prop, some } from './words.ts'

/**
 * What was to be tested, as an assessment plan (NIST, model assessment-plan): the declared population, one activity for each check with its
 * procedure, and the controls that these checks decide.
 */
export function planDocument(names: Names): unknown {
  const { assessment, catalog } = names.input
  const { nodes, scope } = assessment
  const procedures = new Map(catalog.severities.map(({ check, procedure }) => [check, procedure]))
  const subjects = {
    type: 'inventory-item',
    description: 'Every node of the declared population; none is sampled.',
    'include-all': {},
  }
  return {
    'assessment-plan': {
      uuid: names.ofRun('document', 'assessment-plan'),
      metadata: metadataOf(names, 'assessment-plan'),
      'import-ssp': {
        href: citing(names, 'pack'),
        remarks:
          'There is no OSCAL system security plan. The declared scope, with the engagement where there is one, is in the evidence pack.',
      },
      'local-definitions': {
        ...some(
          'inventory-items',
          nodes.map(({ node }) => ({
            uuid: names.node(node),
            description: line(`Node ${node}`),
            props: [prop('node', node)],
          })),
        ),
        ...some(
          'activities',
          catalog.checks.map((check) => ({
            uuid: names.lasting('activity', check.id),
            title: line(check.id),
            description: line(`${procedures.get(check.id) ?? ''} Expected: ${check.expected}`),
            props: [prop('check', check.id), ...methodsOf(check).map((method) => ({ name: 'method', value: method }))],
            remarks: `Limitations: ${check.limitations}`,
          })),
        ),
      },
      'reviewed-controls': plannedControls(names),
      'assessment-subjects': [subjects],
      'assessment-assets': assessmentAssets(names),
      tasks: [
        {
          uuid: names.lasting('task', 'collect'),
          type: 'action',
          title: 'Collect evidence from every node and evaluate it',
          description: line(`Population of ${nodes.length} nodes of ${scope.fleet}.`),
          ...some(
            'associated-activities',
            catalog.checks.map(({ id }) => ({
              'activity-uuid': names.lasting('activity', id),
              subjects: [subjects],
            })),
          ),
        },
      ],
      'back-matter': backMatter(names, 'catalog', 'rules', 'pack'),
    },
  }
}
