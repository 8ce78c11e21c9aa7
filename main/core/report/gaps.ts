import type { Finding, NodeAssessment, Reason } from '../../../schemas/types.ts'
import { type FailureCode, failureWords, propertyWords, verdictWords } from '../../../schemas/words.ts'
import type { Check } from '../check.ts'
import { plain } from '../plain-text.ts'
import { acceptance } from './exceptions.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, plainCell, quiet, type Section, text } from './model.ts'
import { contradicted } from './summary.ts'
import { reached } from './tally.ts'
import { names, observedBriefly, of, plural, reasonLine, verdictLine, worstFirst } from './wording.ts'

/** Every contradicted claim, with each node, its reasons and the answers they rest on. */
export function gapSection(matter: Matter): Section {
  const { assessment, tally } = matter
  const gaps = contradicted(matter)
  const total = gaps.reduce((sum, { nodes }) => sum + nodes.length, 0)
  const byName = new Map(assessment.nodes.map((node) => [node.node, node]))
  const row = (check: string, name: string): readonly Cell[] => {
    const node = byName.get(name)
    return [
      [
        { text: plain(name, 80), style: 'strong' },
        ...(node === undefined ? [] : origin(node)),
        ...acceptance(matter, name, check),
      ],
      worstFirst(tally.finding(name, check)?.reasons ?? []).map(reasonLine),
    ]
  }
  return {
    id: 'gaps',
    title: 'Gaps',
    blocks: [
      text(
        total === 0
          ? 'No check is contradicted on any node that answered.'
          : `${plural(gaps.length, 'claim')} ${gaps.length === 1 ? 'is' : 'are'} contradicted, in ${plural(total, 'finding')}. The short codes lead to the full digests in the evidence index.`,
      ),
      ...gaps.flatMap(({ check, nodes }): readonly Block[] => [
        heading(3, check.claim, true),
        quiet(
          `${propertyWords[check.property].label}. Check ${check.id}. Contradicted on ${of(nodes.length, assessment.nodes.length)} nodes.`,
        ),
        {
          kind: 'table',
          columns: [
            { title: 'Node', width: 26 },
            { title: 'What was observed', width: 74 },
          ],
          rows: nodes.map((node) => row(check.id, node)),
        },
      ]),
    ],
  }
}

const origin = (node: NodeAssessment): readonly Line[] => [
  { text: observedBriefly(node), style: 'quiet' },
  ...(node.synthetic === null ? [] : [{ text: 'Made up or edited recording', style: 'quiet' } as const]),
]

/** What was not tested or not decided, and why: nodes without evidence first, then checks with equal reasons taken together. */
export function undecidedSection(matter: Matter): Section {
  const silent = matter.assessment.nodes.filter((node) => !reached(node))
  const groups = matter.catalog.checks.flatMap((check) => groupsOf(matter, check))
  const blocks: Block[] = [
    text('Nothing in this section counts as support. It says what would have to be collected to decide more.'),
    heading(3, 'Nodes without evidence'),
    silent.length === 0
      ? text('None: every declared node answered.')
      : {
          kind: 'table',
          columns: [
            { title: 'Node', width: 24 },
            { title: 'What happened', width: 38 },
            { title: 'What to do', width: 38 },
          ],
          rows: silent.map(silentRow),
        },
    heading(3, 'Checks without a decision on nodes that answered'),
    groups.length === 0
      ? text('None: every check was decided on every node that answered.')
      : {
          kind: 'table',
          columns: [
            { title: 'Claim', width: 34 },
            { title: 'Nodes', width: 22 },
            { title: 'Why it is not decided', width: 44 },
          ],
          rows: groups,
        },
  ]
  return { id: 'undecided', title: 'Not tested or not decided', blocks }
}

function silentRow(node: NodeAssessment): readonly Cell[] {
  const words = node.failure === null ? undefined : failureWords[node.failure.code as FailureCode]
  const detail = node.failure === null ? '' : plain(node.failure.detail)
  return [
    [{ text: plain(node.node, 80), style: 'strong' }],
    [
      { text: words?.title ?? 'There is no recording of this declared node' },
      ...(detail === '' ? [] : [{ text: detail, style: 'quiet' } as const]),
      { text: words?.meaning ?? 'It counts as not collected.' },
    ],
    plainCell(words?.next ?? 'Collect from it, or take it off the declared list with a reason.'),
  ]
}

function groupsOf({ assessment, tally }: Matter, check: Check): readonly (readonly Cell[])[] {
  const groups = new Map<string, { readonly finding: Finding; readonly nodes: string[] }>()
  for (const { node } of assessment.nodes.filter(reached)) {
    const finding = tally.finding(node, check.id) ?? NOT_EVALUATED(check)
    if (finding.verdict !== 'inconclusive' && finding.verdict !== 'not-tested') continue
    const key = [finding.verdict, ...finding.reasons.map(({ says, text: words }) => `${says} ${words}`)].join('\n')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { finding, nodes: [node] })
    else group.nodes.push(node)
  }
  return [...groups.values()].map(({ finding, nodes }) => [
    [{ text: check.claim }, { text: check.id, style: 'quiet' }],
    [verdictLine(finding.verdict), { text: `${of(nodes.length, assessment.nodes.length)}: ${names(nodes)}` }],
    why(finding.reasons, nodes.length > 1),
  ])
}

const NOT_EVALUATED = (check: Check): Finding => ({
  check: check.id,
  property: check.property,
  verdict: 'not-tested',
  reasons: [],
})

/** Digests differ between nodes, so they are left out where several stand together. */
function why(reasons: readonly Reason[], several: boolean): Cell {
  if (reasons.length === 0) return plainCell(verdictWords['not-tested'].meaning)
  return worstFirst(reasons).map((reason) => reasonLine(several ? { ...reason, captures: [] } : reason))
}
