import type { LocationRow } from '../../schemas/ipc-location.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { countsOfWords, kilometres, placeWord, policyWord, policyWords } from '../location-model.ts'
import { failureTitle } from '../run-progress.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import type { GridColumn } from '../ui/GridTable.tsx'
import { LocationMark } from './LocationMark.tsx'

/** More columns do not fit next to each other. */
const MOST_POLICIES = 4

/** Node, declared place and its source, results for it and for each residency rule, and maximum distance. */
export function locationColumns(of: Source, policies: readonly string[]): readonly GridColumn<LocationRow>[] {
  return [
    {
      id: 'node',
      title: 'Node',
      isRowHeader: true,
      width: '1.5fr',
      minWidth: 9,
      cell: ({ node, stale }) => (
        <>
          <Button kind="link" className="node-name" onPress={() => go({ screen: 'node', of, node })}>
            {visible(node)}
          </Button>
          {stale && <span className="cell-line node-note">stale: not counted</span>}
        </>
      ),
    },
    {
      id: 'claim',
      title: 'Declared place',
      width: '2fr',
      minWidth: 12,
      cell: ({ claim, status, failure }) =>
        claim === null ? (
          <span className="cell-lines quiet">{whyNoClaim(status, failure)}</span>
        ) : (
          <>
            <span className="cell-lines">{visible(claim.name)}</span>
            <span className="cell-line node-note">declared by {visible(claim.declaredBy)}</span>
          </>
        ),
    },
    {
      id: 'place',
      title: 'Result',
      width: '1.5fr',
      minWidth: 10,
      cell: (row) => <LocationMark word={placeWord(row)} />,
    },
    ...(policies.length > MOST_POLICIES ? [WORST_POLICY] : policies.map(policyColumn)),
    {
      id: 'reach',
      title: 'Maximum distance',
      width: '2fr',
      minWidth: 11,
      cell: ({ narrowest }) =>
        narrowest === null ? (
          <span className="cell-line quiet">no bound</span>
        ) : (
          <>
            <span className="cell-line number">{kilometres(narrowest.km)}</span>
            <span className="cell-line node-note" title={visible(narrowest.vantage)}>
              from {visible(narrowest.vantage)}
            </span>
          </>
        ),
    },
  ]
}

const policyColumn = (title: string, index: number): GridColumn<LocationRow> => ({
  id: `policy-${index}`,
  title: visible(title),
  width: '1.5fr',
  minWidth: 10,
  cell: (row) => {
    const word = policyWord(row, title)
    return word === null ? <span className="cell-line quiet">not applicable</span> : <LocationMark word={word} />
  },
})

const WORST_POLICY: GridColumn<LocationRow> = {
  id: 'policies',
  title: 'Residency rules, worst result',
  width: '2fr',
  minWidth: 11,
  cell: (row) => {
    const own = policyWords(row)
    const [worst] = countsOfWords(own)
    if (worst === undefined) return <span className="cell-line quiet">none</span>
    return (
      <>
        <LocationMark word={worst.word} />
        <span className="cell-line node-note">
          {worst.count} of {own.length} {own.length === 1 ? 'rule' : 'rules'}
        </span>
      </>
    )
  },
}

function whyNoClaim(status: LocationRow['status'], failure: LocationRow['failure']): string {
  if (status === 'complete' || status === 'partial') return 'none declared'
  return failure === null ? 'not collected' : `not collected: ${failureTitle(failure.code)}`
}
