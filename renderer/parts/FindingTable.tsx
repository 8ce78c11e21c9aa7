import { IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import type { FindingRow, FindingView } from '../../schemas/ipc-findings.ts'
import type { Source, TableChoice } from '../../schemas/ipc-views.ts'
import { FINDING_COLUMNS, FINDING_SORTS, type FindingSort, refusedWords, statusMarks } from '../models/finding-model.ts'
import { plural, visible } from '../models/text.ts'
import { useResults } from '../state/actions.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Choice.tsx'
import { Fact } from '../ui/Fact.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Whole } from '../ui/Whole.tsx'
import { Ask } from './Ask.tsx'
import { Copy } from './Copy.tsx'
import { Argument, ConcernedControls, ManagementResponse, NodeName, SeverityMark } from './FindingParts.tsx'
import { Shape } from './Mark.tsx'
import { OneResponse } from './ResponseFields.tsx'
import { SortHeading } from './WholeTable.tsx'

interface FindingTableProps {
  readonly of: Source
  readonly rows: readonly FindingRow[]
  readonly choice: TableChoice
  readonly onSort: (by: FindingSort) => void
  /** Checks of the chosen rows; null where nothing can be recorded. */
  readonly selected: ReadonlySet<string> | null
  readonly onSelect: (checks: ReadonlySet<string>) => void
}

/** Findings as rows that open in place. There is at most one for each check, so all of them are drawn. */
export function FindingTable({ of, rows, choice, onSort, selected, onSelect }: FindingTableProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const shown = rows.map(({ check }) => check)
  const chosen = shown.filter((check) => selected?.has(check))
  const shows = (column: FindingSort): boolean => !choice.hidden.includes(column)
  const columns = (selected === null ? 1 : 2) + FINDING_SORTS.filter(shows).length
  return (
    <div className="scroll">
      <table className="findings">
        <thead>
          <tr>
            {selected !== null && (
              <th scope="col" className="select-column">
                <Checkbox
                  isSelected={chosen.length > 0 && chosen.length === shown.length}
                  isIndeterminate={chosen.length > 0 && chosen.length < shown.length}
                  onChange={(isSelected) => onSelect(new Set(isSelected ? shown : []))}
                >
                  <span className="said">Choose all listed findings</span>
                </Checkbox>
              </th>
            )}
            <th scope="col" className="open-column">
              <span className="said">Details</span>
            </th>
            {FINDING_COLUMNS.map(
              ({ id, ...column }) =>
                id !== 'reference' &&
                shows(id) && (
                  <SortHeading
                    key={id}
                    column={{ id, ...column }}
                    choice={choice}
                    onSort={() => onSort(id)}
                    className={`${id}-column`}
                  />
                ),
            )}
          </tr>
        </thead>
        {rows.map((row) => {
          const isOpen = open.has(row.check)
          return (
            <tbody key={row.check} className={isOpen ? 'finding open' : 'finding'}>
              <tr>
                {selected !== null && (
                  <td className="select-column">
                    <Checkbox
                      isSelected={selected.has(row.check)}
                      onChange={(isSelected) =>
                        onSelect(
                          new Set(
                            isSelected ? [...selected, row.check] : [...selected].filter((one) => one !== row.check),
                          ),
                        )
                      }
                    >
                      <span className="said">Choose {row.reference}</span>
                    </Checkbox>
                  </td>
                )}
                <td className="open-column">
                  <button
                    type="button"
                    className="unfold"
                    aria-expanded={isOpen}
                    aria-label={`Details of ${row.reference}`}
                    onClick={() =>
                      setOpen(new Set(isOpen ? [...open].filter((one) => one !== row.check) : [...open, row.check]))
                    }
                  >
                    <Icon of={IconChevronRight} size={16} />
                  </button>
                </td>
                {shows('severity') && (
                  <td>
                    <SeverityMark severity={row.severity} />
                  </td>
                )}
                <th scope="row" className="condition">
                  <Button kind="link" onPress={() => go({ screen: 'finding', of, reference: row.reference })}>
                    <Whole text={row.condition} />
                  </Button>
                </th>
                {shows('nodes') && (
                  <td className="number">
                    {`${row.deviations} of ${row.tested + row.refused}${row.what === 'inventory' ? ' rows' : ''}`}
                    {row.refused > 0 && <span className="note">{refusedWords(row)}</span>}
                    {row.inconclusive > 0 && <span className="note">{row.inconclusive} inconclusive</span>}
                  </td>
                )}
                {shows('controls') && <td className="controls-column number">{row.controls}</td>}
                {shows('owner') && <td>{row.owner === null ? <None /> : visible(row.owner)}</td>}
                {shows('due') && <td className="number">{row.due ?? <None />}</td>}
                {shows('status') && (
                  <td>
                    <Status row={row} />
                  </td>
                )}
              </tr>
              {isOpen && (
                <tr className="finding-inside">
                  <td colSpan={columns}>
                    <FindingInside of={of} reference={row.reference} />
                  </td>
                </tr>
              )}
            </tbody>
          )
        })}
      </table>
    </div>
  )
}

const Status = ({ row: { status, statusText, isOverdue } }: { readonly row: FindingRow }) => (
  <span className={isOverdue || status === 'acceptance-expired' ? 'status tone-inconclusive' : 'status'}>
    <Shape mark={isOverdue ? 'disc-late' : statusMarks[status]} tone="not-tested" />
    <span>{visible(statusText)}</span>
  </span>
)

const None = () => (
  <span className="quiet">
    <span aria-hidden="true">–</span>
    <span className="said">none</span>
  </span>
)

/** Nodes of a finding that are listed in the row. */
const MOST_NODES = 8

/** Content of an opened row: expected condition, effect, nodes, recommendation and controls next to the response. */
function FindingInside({ of, reference }: { readonly of: Source; readonly reference: string }) {
  const answer = useResults('finding.get', { of, reference })
  return (
    <Ask answer={answer}>
      {(finding) =>
        finding === null ? (
          <p className="empty">This finding no longer exists in the run that is shown.</p>
        ) : (
          <div className="finding-columns">
            <div>
              <Argument finding={finding}>
                <Fact term={finding.what === 'inventory' ? 'Rows' : 'Nodes'}>
                  <Nodes finding={finding} />
                </Fact>
              </Argument>
              <dl className="argument">
                <Fact term="Controls affected">
                  <ConcernedControls finding={finding} />
                </Fact>
              </dl>
            </div>
            <section aria-label={`Management response to ${reference}`}>
              <h2>Management response</h2>
              {of === 'run' ? (
                <OneResponse
                  reference={reference}
                  check={finding.check}
                  current={finding.responses.find(({ withdrawnAt }) => withdrawnAt === null) ?? null}
                />
              ) : (
                <ManagementResponse finding={finding} />
              )}
              <p className="finding-links">
                <Button kind="link" onPress={() => go({ screen: 'finding', of, reference })}>
                  Open finding {reference}
                </Button>
                <Copy text={reference} what={`reference ${reference}`}>
                  Copy reference
                </Copy>
              </p>
            </section>
          </div>
        )
      }
    </Ask>
  )
}

function Nodes({ finding }: { readonly finding: FindingView }) {
  const { evidence, deviations, satisfiedNodes, inconclusiveNodes, notApplicableNodes, untestedNodes } = finding
  const shown = evidence.slice(0, MOST_NODES)
  return (
    <ul className="finding-nodes">
      {shown.map(({ subject, observations }) => (
        <li key={subject}>
          <NodeName finding={finding} node={subject} />
          <span>{visible(observations.find(({ direction }) => direction === 'contradicts')?.text ?? '')}</span>
        </li>
      ))}
      {deviations > shown.length && (
        <li>
          <span className="quiet">and {plural(deviations - shown.length, 'more node')}</span>
          <Button
            kind="link"
            small
            onPress={() => go({ screen: 'finding', of: finding.of, reference: finding.reference })}
          >
            Show all
          </Button>
        </li>
      )}
      {(
        [
          [satisfiedNodes, 'Satisfied', ''],
          [inconclusiveNodes.length, 'Inconclusive', namesOf(inconclusiveNodes)],
          [notApplicableNodes.length, 'Not applicable', namesOf(notApplicableNodes)],
          [untestedNodes.length, 'Not tested', namesOf(untestedNodes)],
        ] as const
      ).map(([count, words, names]) =>
        count === 0 ? null : (
          <li key={words} className="quiet">
            <span>{plural(count, 'node')}</span>
            <span>
              {words}
              {names === '' ? '' : `: ${names}`}
            </span>
          </li>
        ),
      )}
    </ul>
  )
}

/** The first names of a list, and how many more there are. */
const namesOf = (all: readonly string[]): string =>
  `${visible(all.slice(0, MOST_NODES).join(', '))}${all.length > MOST_NODES ? ` and ${all.length - MOST_NODES} more` : ''}`
