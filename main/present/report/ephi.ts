import type { Engagement, EphiStore } from '../../../schemas/types.ts'
import { type EphiPlace, ephiGapSentences, ephiGaps } from '../../core/engagement/ephi.ts'
import { names, of } from '../../core/phrases.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { type Block, type Cell, heading, type Line, plainCell, quiet, text } from '../../core/report-document.ts'
import { reached } from '../../core/tally.ts'
import { declaredBy, typed } from './declared.ts'
import type { Matter } from './input.ts'

/** Differences between the ePHI map and the collection that are listed one by one. */
const MOST_SENTENCES = 100

/** Declared ePHI locations and flows, and which of them the collection covered. */
export function ephiBlocks(matter: Matter, engagement: Engagement): readonly Block[] {
  const { ephi, population } = engagement
  const { nodes, scope } = matter.assessment
  const silent = new Set(nodes.filter((node) => !reached(node)).map(({ node }) => node))
  const collected = matter.recordings.map(({ recording }) => recording.node).filter(({ name }) => !silent.has(name))
  // A node of the fleet file is known even where the declared population omits it.
  const known = [...new Set([...population.nodes, ...scope.population])]
  const gaps = ephiGaps({ ephi, population: { ...population, nodes: known } }, collected)
  const sentences = ephiGapSentences(gaps)
  return [
    heading(3, 'ePHI locations and flows', true),
    quiet(`${declaredBy(ephi)}. Flows are as declared; node evidence does not trace data flows.`),
    ephi.stores.length === 0
      ? text('No ePHI locations declared.')
      : storeTable(ephi.stores, [...gaps.notCollected, ...gaps.unknownNodes]),
    ephi.flows.length === 0 ? text('No ePHI flows declared.') : flowTable(ephi),
    heading(4, 'Differences between ePHI map and collection'),
    ...(sentences.length === 0
      ? [text('None. Each declared path was collected on its nodes, and each collected path is declared.')]
      : [
          {
            kind: 'list',
            items: sentences.slice(0, MOST_SENTENCES).map((words) => ({ text: oneLine(words, 1000) })),
          } as const,
          ...(sentences.length > MOST_SENTENCES
            ? [
                text(
                  `And ${sentences.length - MOST_SENTENCES} more; see the map in data/scope.json and the results of each node in the pack.`,
                ),
              ]
            : []),
        ]),
  ]
}

function storeTable(stores: readonly EphiStore[], unasked: readonly EphiPlace[]): Block {
  const counts = new Map<string, number>()
  for (const { store, path } of unasked) {
    const key = `${store}\n${path}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [
      { title: 'ePHI location', width: 34 },
      { title: 'Path', width: 24 },
      { title: 'Nodes', width: 22 },
      { title: 'Collected', width: 20 },
    ],
    rows: stores.map((store) => [
      [{ text: oneLine(store.name, 200), style: 'strong' }, ...typed(store.what)],
      [{ text: plain(store.path, 400), style: 'mono' }],
      plainCell(store.nodes.length === 0 ? 'None declared' : names([...new Set(store.nodes)].sort(), 8)),
      askedCell(store, counts.get(`${store.name}\n${store.path}`) ?? 0),
    ]),
  }
}

function askedCell({ nodes }: EphiStore, unasked: number): Cell {
  const all = new Set(nodes).size
  if (all === 0) return plainCell('Not collected')
  const line: Line = { text: `On ${of(Math.max(0, all - unasked), all)} nodes` }
  return [unasked === 0 ? line : { ...line, style: 'strong' }]
}

const flowTable = ({ flows }: Engagement['ephi']): Block => ({
  kind: 'table',
  rowHeaders: true,
  columns: [
    { title: 'Flow', width: 24 },
    { title: 'From', width: 22 },
    { title: 'To', width: 22 },
    { title: 'Protection, as declared', width: 32 },
  ],
  rows: flows.map(({ name, from, to, protection }) => [
    [{ text: oneLine(name, 200), style: 'strong' }],
    typed(from, 300),
    typed(to, 300),
    typed(protection, 500),
  ]),
})
