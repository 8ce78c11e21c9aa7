import { roleWords } from '../../../../schemas/conclusion-words.ts'
import type { ControlAssessment } from '../../../../schemas/types.ts'
import { methodsOf } from './findings.ts'
import { assessmentAssets, backMatter, citing, line, metadataOf, type Names, NS, prop, some, tokenOf } from './head.ts'
import { plannedControls } from './population.ts'

/**
 * The controls of the assessment as a catalog (NIST, model catalog): one group for each framework. Statements are our summaries; the texts are
 * those of the publishers. The objective of a control is what its deciding checks and documents are to show.
 */
export function catalogDocument(names: Names): unknown {
  const { assessment, catalog } = names.input
  return {
    catalog: {
      uuid: names.ofRun('document', 'catalog'),
      metadata: metadataOf(names, 'catalog'),
      ...some(
        'groups',
        catalog.frameworks.flatMap(({ id, title, version, status, proposed, source }) => {
          const controls = assessment.controls.filter(({ framework }) => framework === id)
          if (controls.length === 0) return []
          return [
            {
              id: tokenOf(id),
              class: 'framework',
              title: line(title),
              props: [
                prop('version', version),
                prop('status', status),
                prop('proposed', proposed ? 'yes' : 'no'),
                ...source.map((one) => prop('source', one)),
              ],
              controls: controls.map((one) => controlOf(names, one)),
            },
          ]
        }),
      ),
    },
  }
}

function controlOf(names: Names, { framework, control, checks }: ControlAssessment): unknown {
  const known = names.controlOf(framework, control)
  const token = names.control(framework, control)
  const deciding = checks.filter(({ decides }) => decides)
  const documents = known?.documentsRequired ?? []
  return {
    id: token,
    class: tokenOf(framework),
    title: line(known?.title ?? control),
    props: [
      { name: 'label', value: line(known?.id ?? control) },
      prop('framework', framework),
      prop('control', control),
      ...(known === undefined ? [] : [prop('level', known.level), prop('evidence-type', known.evidenceType)]),
    ],
    parts: [
      { id: `${token}_smt`, name: 'statement', prose: line(known?.summary ?? control) },
      {
        id: names.objective(framework, control),
        name: 'assessment-objective',
        prose: line(
          [
            deciding.length === 0
              ? 'No test of servers decides this control.'
              : `Tests: ${deciding.map(({ check, role }) => `${check} (${roleWords[role].label.toLowerCase()})`).join(', ')}.`,
            documents.length === 0 ? 'No document is required.' : `Documents: ${documents.join('; ')}.`,
          ].join(' '),
          LONGEST_OBJECTIVE,
        ),
      },
      ...(known === undefined
        ? []
        : [{ id: `${token}_lim`, name: 'not-covered', ns: NS, prose: line(known.notCovered) }]),
    ],
  }
}

const LONGEST_OBJECTIVE = 20_000

/**
 * The planned tests as an assessment plan (NIST, model assessment-plan): the declared population, one activity for each check with its
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
