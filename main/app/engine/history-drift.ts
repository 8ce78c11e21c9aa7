import type { EvidenceChange, Flip, FlipDetail, RunDrift } from '../../../schemas/drift.ts'
import type {
  Bounded,
  ChangedLine,
  DriftView,
  EvidenceGroup,
  FlipLine,
  FlipView,
  HistoryRun,
} from '../../../schemas/ipc-history.ts'
import type { Catalog } from '../../core/catalog.ts'
import { evidenceCompared, uncollectedWords } from '../../core/drift/uncollected.ts'
import { plain } from '../../core/plain-text.ts'
import { becauseSentence, COLLECTION_TITLES, rulesTitle, scopeTitle } from './history-words.ts'

/** The longest list in the window; its total is always stated. */
const MOST = 200
const MOST_NODES = 50

/** A drift for the window: grouped, bounded, with titles from the catalog for probes and checks. */
export function driftView(
  catalog: Catalog,
  drift: RunDrift,
  { before, after }: { readonly before: HistoryRun; readonly after: HistoryRun },
): DriftView {
  const words = wordsOf(catalog)
  return {
    before,
    after,
    compared: drift.compared,
    unchanged: drift.unchanged,
    evidence: first(groups(evidenceCompared(drift), words)),
    rules: first(
      drift.rules.map((one, index): ChangedLine => {
        const { before: was, after: is } = one
        return { id: `${index}`, title: rulesTitle(one), node: null, before: was, after: is }
      }),
    ),
    scope: first(
      drift.scope.map(
        (one, index): ChangedLine => ({
          id: `${index}`,
          title: scopeTitle(one),
          node: one.node,
          before: null,
          after: null,
        }),
      ),
    ),
    moves: first(drift.moves),
    twice: first(drift.twice),
    uncollected: first(drift.uncollected.map((one) => ({ node: one.node, sentence: uncollectedWords(one) }))),
    flips: first(drift.flips.map((flip) => flipLine(flip, words))),
  }
}

export function flipView(catalog: Catalog, detail: FlipDetail): FlipView {
  const words = wordsOf(catalog)
  const { steps, captures } = detail
  return {
    flip: flipLine(detail, words),
    steps,
    captures: captures.map((capture) => ({ ...capture, title: words.probe(capture.probe) })),
  }
}

interface Words {
  readonly probe: (id: string) => string
  readonly check: (id: string) => string
}

function wordsOf({ probes, checks }: Catalog): Words {
  const titles = new Map(probes.map(({ id, title }) => [id, title]))
  const claims = new Map(checks.map(({ id, expected }) => [id, expected]))
  return { probe: (id) => titles.get(id) ?? id, check: (id) => claims.get(id) ?? id }
}

const first = <T>(all: readonly T[], most = MOST): Bounded<T> => ({ rows: all.slice(0, most), total: all.length })

function flipLine({ node, check, before, after, because, probes }: Flip, words: Words): FlipLine {
  const sentence = becauseSentence({ because }, probes.map(words.probe))
  return { node, check, expected: words.check(check), before, after, because, sentence }
}

/** By probe, the one that changed on most nodes first. */
function groups(changes: readonly EvidenceChange[], words: Words): readonly EvidenceGroup[] {
  const byWhat = new Map<string, { readonly title: string; readonly nodes: EvidenceGroup['nodes']['rows'][number][] }>()
  for (const { node, what, is, before, after } of changes) {
    const id = what.kind === 'reading' ? what.probe : what.kind
    const title = what.kind === 'reading' ? words.probe(what.probe) : COLLECTION_TITLES[what.kind]
    const group = byWhat.get(id) ?? { title, nodes: [] }
    byWhat.set(id, group)
    group.nodes.push({ node, is, before: shown(before), after: shown(after) })
  }
  return [...byWhat]
    .map(([id, { title, nodes }]) => ({ id, title, nodes: first(nodes, MOST_NODES) }))
    .sort((a, b) => b.nodes.total - a.nodes.total)
}

const shown = (text: string | null): string | null => (text === null ? null : plain(text, 200))
