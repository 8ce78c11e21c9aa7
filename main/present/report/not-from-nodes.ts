import { checkSourceWords } from '../../../schemas/conclusion-words.ts'
import { type Catalog, offNodeChecksOf } from '../../core/catalog.ts'
import { type Block, heading, plainCell, text } from '../../core/report-document.ts'

/** Mapped checks that cannot be tested on servers, each once, with the evidence they require. */
export function notFromNodesTable(
  { offNodeChecks, frameworks, requests }: Catalog,
  chosen: readonly string[],
): readonly Block[] {
  const mappings = frameworks
    .filter(({ id }) => chosen.includes(id))
    .flatMap(({ controls }) => controls.flatMap((control) => control.mappings))
  const found = offNodeChecksOf({ offNodeChecks }, { mappings })
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
      rows: found.map(({ id, source, why }) => [
        plainCell(id),
        plainCell(why),
        [
          { text: `${checkSourceWords[source]}.` },
          ...requests
            .filter(({ serves }) => source === 'document' && serves.includes(id))
            .map((request) => ({ text: `${request.id} ${request.title}` })),
        ],
      ]),
    },
  ]
}
