import type { NodeAssessment, ReconciledNode } from '../../../../schemas/types.ts'
import { VERDICTS } from '../../../../schemas/words.ts'
import { nodeAssessmentPath } from '../../../core/pack-files.ts'
import { plain } from '../../../core/plain-text.ts'
import { summarize } from '../../../core/tally.ts'
import { isReviewed } from './findings.ts'
import type { Names } from './naming.ts'
import { line, prop, some, uuidOf } from './words.ts'

/** Every node of the population as an inventory item, collected or not, and the assessing software. */
export function localDefinitions(names: Names): unknown {
  const { assessment, producer, run } = names.input
  const covered = new Map(assessment.reconciliation?.nodes.map((one) => [one.node, one]))
  return {
    ...some(
      'inventory-items',
      assessment.nodes.map((node) => itemOf(names, node, covered.get(node.node))),
    ),
    'assessment-assets': {
      components: [
        {
          uuid: names.tool,
          type: 'software',
          title: line(producer),
          description: 'Collects evidence from nodes over SSH with constant commands and evaluates it.',
          props: [
            prop('engine', assessment.engine),
            prop('catalog-version', assessment.catalog.version),
            prop('catalog-sha256', assessment.catalog.digest),
          ],
          status: { state: 'operational' },
        },
      ],
      'assessment-platforms': [
        {
          uuid: uuidOf(run, 'platform'),
          title: 'The computer that ran the collection',
          'uses-components': [{ 'component-uuid': names.tool }],
        },
      ],
    },
  }
}

/** Check IDs listed in one remark; the assessment in the pack has all. */
const MOST_NAMED = 200

function itemOf(names: Names, node: NodeAssessment, covered: ReconciledNode | undefined): unknown {
  const { counts } = summarize(node.results.map(({ verdict }) => verdict))
  const missing = node.results.filter(({ verdict }) => verdict === 'not-tested').map(({ check }) => check)
  const why = node.failure === null ? '' : ` ${node.failure.code}: ${plain(node.failure.detail, 300)}`
  const left =
    missing.length === 0
      ? []
      : [
          missing.length === node.results.length
            ? `Limitation: this node was not collected.${why}`
            : `Limitation: not tested on this node: ${missing.slice(0, MOST_NAMED).join(', ')}${missing.length > MOST_NAMED ? ', and more' : ''}.`,
        ]
  return {
    uuid: names.node(node.node),
    description: line(`Node ${node.node}`),
    props: [
      prop('node', node.node),
      prop('status', node.status),
      ...(node.recording === null ? [] : [prop('recording-sha256', node.recording.digest)]),
      ...(node.observedAt === null ? [] : [prop('observed-at', node.observedAt)]),
      prop('rights', node.privilege ?? 'none read'),
      ...(node.stale ? [prop('stale', 'yes')] : []),
      ...(node.synthetic === null ? [] : [prop('made-up', node.synthetic)]),
      ...(covered === undefined
        ? []
        : [
            prop('declared', covered.declared ? 'yes' : 'no'),
            prop('in-fleet', covered.inFleet ? 'yes' : 'no'),
            prop('inventory-row', covered.inventory?.id ?? 'none'),
          ]),
      ...VERDICTS.map((verdict) => prop(`verdicts-${verdict}`, counts[verdict])),
    ],
    links: [{ href: nodeAssessmentPath(node.node), rel: 'reference', text: 'Every verdict on this node, in the pack' }],
    ...(left.length === 0 ? {} : { remarks: left.join('\n') }),
  }
}

/**
 * Reviewed controls: those with at least one tested required or counter check (conclusion model, section 1), one selection for
 * each framework. A selection has no outcome; findings have.
 */
export function reviewedControls(names: Names): unknown {
  const { assessment, catalog } = names.input
  const known = new Map(catalog.frameworks.map((one) => [one.id, one]))
  const selections = assessment.scope.frameworks.flatMap((framework) => {
    const listed = assessment.controls.filter((one) => one.framework === framework)
    const own = listed.filter(isReviewed)
    if (own.length === 0) return []
    return [
      {
        description: line(
          `${known.get(framework)?.title ?? framework}: ${own.length} of ${listed.length} controls have at least one tested required or counter check`,
        ),
        props: [
          prop('framework', framework),
          prop('rows', listed.length),
          prop('controls', own.length),
          // A proposed rule never changes a current result.
          ...(known.get(framework)?.proposed === true ? [prop('proposed', 'yes')] : []),
        ],
        'include-controls': own.map((one) => ({ 'control-id': names.control(framework, one.control) })),
      },
    ]
  })
  return {
    description:
      'Control IDs are tokens derived from the IDs of each framework; the properties of each finding state the original ID. Controls without a tested required or counter check are not included: they are decided by documents or were not tested.',
    // The schema permits neither an empty list nor an empty selection.
    'control-selections':
      selections.length > 0
        ? selections
        : [
            {
              description: 'No control has a tested required or counter check.',
              'include-controls': [{ 'control-id': 'none' }],
            },
          ],
  }
}
