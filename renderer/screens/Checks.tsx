import type { AssessmentView, CheckView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { propertyWords, type Verdict, verdictWords } from '../../schemas/words.ts'
import { type Tally, tallyIn, verdictAt } from '../models/model.ts'
import { plural, visible, when } from '../models/text.ts'
import { Ask } from '../parts/Ask.tsx'
import { VerdictMark } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { textColumn, type WholeColumn, WholeTable } from '../parts/WholeTable.tsx'
import { useResults } from '../state/actions.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'

interface CountedCheck {
  readonly check: CheckView
  readonly counts: Tally['counts']
}

const COUNT = { className: 'count-column', cellClass: 'number' } as const

const CHECK_COLUMNS: readonly WholeColumn<CountedCheck>[] = [
  {
    id: 'expected',
    title: 'Expected condition',
    isRowHeader: true,
    text: ({ check }) => check.expected,
    cell: ({ check }) => (
      <>
        {visible(check.expected)}
        <span className="note mono">{check.id}</span>
      </>
    ),
  },
  textColumn('property', 'Property', ({ check }) => propertyWords[check.property].label),
  textColumn('not-satisfied', 'Not satisfied', ({ counts }) => counts['not-satisfied'], COUNT),
  textColumn('inconclusive', 'Inconclusive', ({ counts }) => counts.inconclusive, COUNT),
  textColumn('satisfied', 'Satisfied', ({ counts }) => counts.satisfied, COUNT),
]

/** Checks that were decided on at least one node; with `in-order`, those of them without a deviation. */
export function Checks({ of, state }: { readonly of: Source; readonly state: 'decided' | 'in-order' }) {
  const answer = useResults('assessment.get', { of })
  return (
    <Ask answer={answer}>
      {(view) => <CheckTable checks={view === null ? [] : checksIn(view, state)} state={state} />}
    </Ask>
  )
}

function CheckTable({
  checks,
  state,
}: {
  readonly checks: readonly CountedCheck[]
  readonly state: 'decided' | 'in-order'
}) {
  return (
    <Page
      title={state === 'in-order' ? 'Checks without a deviation' : 'Checks decided'}
      under={`${plural(checks.length, 'check')}. ${
        state === 'in-order' ? 'Satisfied on every node on which they were decided.' : 'Decided on at least one node.'
      }`}
    >
      <WholeTable
        table="checks"
        className="claims wide-first"
        columns={CHECK_COLUMNS}
        rows={checks}
        keyOf={({ check }) => check.id}
      />
    </Page>
  )
}

function checksIn({ checks, checksCounted }: AssessmentView, state: 'decided' | 'in-order'): readonly CountedCheck[] {
  return checks.flatMap((check, at) => {
    const { counts } = tallyIn(checksCounted[at])
    const isDecided = counts.satisfied + counts['not-satisfied'] > 0
    return isDecided && (state === 'decided' || counts['not-satisfied'] === 0) ? [{ check, counts }] : []
  })
}

interface OneCheckProps {
  readonly of: Source
  readonly check: string
  readonly nodes: readonly string[]
}

/** The result of one check on the nodes that a number counted. */
export function OneCheck({ of, check: id, nodes }: OneCheckProps) {
  const answer = useResults('assessment.get', { of })
  return (
    <Ask answer={answer}>
      {(view) => {
        const at = view?.checks.findIndex((one) => one.id === id) ?? -1
        const check = view?.checks[at]
        if (view === null || check === undefined) return <Page title="Check">This catalog has no such check.</Page>
        const rows = view.rows
          .filter(({ node }) => nodes.includes(node))
          .map((row) => ({ node: row.node, verdict: verdictAt(row, at), observedAt: row.observedAt }))
        return (
          <Page
            title={visible(check.expected)}
            over={<span className="mono">{id}</span>}
            under={plural(nodes.length, 'node')}
          >
            <CheckedNodes
              nodes={rows}
              onOpen={(node) => go({ screen: 'why', of, node, property: check.property, check: id })}
            />
          </Page>
        )
      }}
    </Ask>
  )
}

interface CheckedNode {
  readonly node: string
  readonly verdict: Verdict
  readonly observedAt: string | null
}

const nodeColumns = (onOpen: (node: string) => void): readonly WholeColumn<CheckedNode>[] => [
  {
    id: 'node',
    title: 'Node',
    isRowHeader: true,
    text: ({ node }) => node,
    cell: ({ node }) => (
      <Button kind="link" onPress={() => onOpen(node)}>
        {visible(node)}
      </Button>
    ),
  },
  {
    id: 'result',
    title: 'Result',
    text: ({ verdict }) => verdictWords[verdict].label,
    cell: ({ verdict }) => <VerdictMark verdict={verdict} />,
  },
  {
    id: 'observed',
    title: 'Observed',
    cellClass: 'number',
    text: ({ observedAt }) => observedAt,
    cell: ({ observedAt }) => when(observedAt),
  },
]

const CheckedNodes = ({
  nodes,
  onOpen,
}: {
  readonly nodes: readonly CheckedNode[]
  readonly onOpen: (node: string) => void
}) => <WholeTable table="check-nodes" columns={nodeColumns(onOpen)} rows={nodes} keyOf={({ node }) => node} />
