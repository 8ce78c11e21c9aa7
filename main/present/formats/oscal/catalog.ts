import { roleWords } from '../../../../schemas/conclusion-words.ts'
import type { ControlAssessment } from '../../../../schemas/types.ts'
import { metadataOf } from './head.ts'
import type { Names } from './naming.ts'
import { line, NS, prop, some, tokenOf } from './words.ts'

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
