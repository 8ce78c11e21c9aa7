import type { ControlAssessment, NodeAssessment, ReconciledNode } from '../../../../schemas/types.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { nodeAssessmentPath } from '../../../core/pack/pack-files.ts'
import { isReviewed, verdictProps } from './findings.ts'
import { citing, line, type Names, prop, some } from './head.ts'

/** Nodes of the population as inventory items, collected or not: all, or those that are wanted. */
export function inventoryItems(
  names: Names,
  isWanted: (node: NodeAssessment) => boolean = () => true,
): readonly unknown[] {
  const { assessment, recordings } = names.input
  const covered = new Map(assessment.reconciliation?.nodes.map((one) => [one.node, one]))
  const keys = new Map(recordings.map(({ recording: { node, hostKey } }) => [node.name, hostKey?.fingerprint]))
  return assessment.nodes
    .filter(isWanted)
    .map((node) => itemOf(names, node, covered.get(node.node), keys.get(node.node)))
}

/** Check IDs listed in one remark; the assessment in the pack has all. */
const MOST_NAMED = 200
/** Serial numbers listed for one node: of the system and its main boards. */
const MOST_SERIALS = 8

function itemOf(
  names: Names,
  node: NodeAssessment,
  covered: ReconciledNode | undefined,
  hostKey: string | undefined,
): unknown {
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
      ...(node.machine?.serials ?? []).slice(0, MOST_SERIALS).map((serial) => prop('serial', serial)),
      ...(hostKey === undefined ? [] : [prop('host-key', hostKey)]),
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
      ...verdictProps(node.results),
    ],
    links: [{ href: nodeAssessmentPath(node.node), rel: 'reference', text: 'Every verdict on this node, in the pack' }],
    ...(left.length === 0 ? {} : { remarks: left.join('\n') }),
  }
}

/**
 * Reviewed controls of the results: those with at least one tested required or counter check (conclusion model, section 1). The others in
 * scope are excluded by name. A selection has no outcome; findings have.
 */
export const reviewedControls = (names: Names): unknown =>
  selectionOf(
    names,
    isReviewed,
    'at least one tested required or counter check',
    'Controls without a tested required or counter check are excluded: they are decided by documents or were not tested.',
  )

/** Controls that the plan is to review: those in scope with a required or counter check that tests servers. */
export const plannedControls = (names: Names): unknown =>
  selectionOf(
    names,
    ({ state, checks }) =>
      state !== 'out-of-scope' &&
      state !== 'not-applicable' &&
      checks.some(({ decides, source, built }) => decides && built && source === 'server'),
    'at least one required or counter check that tests servers',
    'Controls without such a check are excluded: documents decide them.',
  )

function selectionOf(
  names: Names,
  isSelected: (control: ControlAssessment) => boolean,
  what: string,
  others: string,
): unknown {
  const { assessment, catalog } = names.input
  const known = new Map(catalog.frameworks.map((one) => [one.id, one]))
  const idsOf = (controls: readonly ControlAssessment[]) =>
    controls.map(({ framework, control }) => ({ 'control-id': names.control(framework, control) }))
  const selections = assessment.scope.frameworks.flatMap((framework) => {
    const listed = assessment.controls.filter((one) => one.framework === framework)
    const own = listed.filter(isSelected)
    if (own.length === 0) return []
    return [
      {
        description: line(
          `${known.get(framework)?.title ?? framework}: ${own.length} of ${listed.length} controls have ${what}`,
        ),
        props: [
          prop('framework', framework),
          prop('rows', listed.length),
          prop('controls', own.length),
          // A proposed rule never changes a current result.
          ...(known.get(framework)?.proposed === true ? [prop('proposed', 'yes')] : []),
        ],
        'include-controls': idsOf(own),
        ...some('exclude-controls', idsOf(listed.filter((one) => !isSelected(one)))),
      },
    ]
  })
  return {
    description: `Control IDs are those of the catalog next to this document, derived from the IDs of each framework. ${others}`,
    links: [{ href: citing(names, 'catalog'), rel: 'reference', text: 'Catalog of the controls' }],
    // The schema permits neither an empty list nor a selection that includes nothing: everything less everything.
    'control-selections':
      selections.length > 0
        ? selections
        : [
            {
              description: `No control has ${what}.`,
              'include-all': {},
              ...some('exclude-controls', idsOf(assessment.controls)),
            },
          ],
  }
}
