import { checkSourceWords } from '../../../schemas/conclusion-words.ts'
import { type Catalog, notFromNodesOf } from '../catalog.ts'
import { type Block, heading, plainCell, text } from './model.ts'

/** Mapped checks that cannot be tested on servers, each once, with the evidence they require. */
export function notFromNodesTable(
  { notFromNodes, frameworks, requests }: Catalog,
  chosen: readonly string[],
): readonly Block[] {
  const supports = frameworks
    .filter(({ id }) => chosen.includes(id))
    .flatMap(({ controls }) => controls.flatMap((control) => control.supports))
  const found = notFromNodesOf({ notFromNodes }, { supports })
  if (found.length === 0) return []
  return [
    heading(3, 'Tests requiring evidence outside the servers'),
    text(
      'Controls require these tests. Each is satisfied by a document, the evidence pack, the run chain or the population reconciliation.',
    ),
    {
      kind: 'table',
      columns: [
        { title: 'Check', width: 24 },
        { title: 'Reason', width: 38 },
        { title: 'Evidence required', width: 38 },
      ],
      rows: found.map(({ id, from, why }) => [
        plainCell(id),
        plainCell(why),
        [
          { text: `${checkSourceWords[from]}.` },
          ...requests
            .filter(({ serves }) => from === 'document' && serves.includes(id))
            .map((request) => ({ text: `${request.id} ${request.title}` })),
        ],
      ]),
    },
  ]
}
