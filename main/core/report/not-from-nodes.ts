import { checkSourceWords } from '../../../schemas/conclusion-words.ts'
import { type Catalog, notFromNodesOf } from '../catalog.ts'
import { type Block, heading, plainCell, text } from './model.ts'

/** Mapped checks that no server can answer, each once, and what answers them. */
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
    heading(3, 'Tests that need evidence from outside the servers'),
    text(
      'The mappings name them because controls ask for them. A document, the pack, the chain of runs or a comparison answers each.',
    ),
    {
      kind: 'table',
      columns: [
        { title: 'Check', width: 24 },
        { title: 'Why not from servers', width: 38 },
        { title: 'What answers it', width: 38 },
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
