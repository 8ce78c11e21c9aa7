import { IconArrowDown, IconArrowUp, IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { FindingRow } from '../../schemas/ipc-findings.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { type FindingSort, statusMarks } from '../finding-model.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Choice.tsx'
import { Icon } from '../ui/Icon.tsx'
import { FindingInside } from './FindingInside.tsx'
import { Shape } from './Mark.tsx'
import { SeverityMark } from './Severity.tsx'

export interface FindingTableProps {
  readonly of: Source
  readonly rows: readonly FindingRow[]
  readonly sort: { readonly by: FindingSort; readonly isReversed: boolean }
  readonly onSort: (by: FindingSort) => void
  /** Checks of the chosen rows; null where nothing can be recorded. */
  readonly selected: ReadonlySet<string> | null
  readonly onSelect: (checks: ReadonlySet<string>) => void
}

/** Findings as rows that open in place. At most one for each check, so that all of them are drawn. */
export function FindingTable({ of, rows, sort, onSort, selected, onSelect }: FindingTableProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const shown = rows.map(({ check }) => check)
  const chosen = shown.filter((check) => selected?.has(check))
  const column = (by: FindingSort, title: string, className?: string): ReactNode => (
    <th
      scope="col"
      className={className}
      aria-sort={sort.by !== by ? undefined : sort.isReversed ? 'descending' : 'ascending'}
    >
      <button type="button" className="sort" onClick={() => onSort(by)}>
        {title}
        {sort.by === by && <Icon of={sort.isReversed ? IconArrowUp : IconArrowDown} size={13} />}
      </button>
    </th>
  )
  const columns = selected === null ? 8 : 9
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
            {column('severity', 'Severity')}
            {column('condition', 'Condition found')}
            {column('nodes', 'Deviating, of tested')}
            {column('controls', 'Controls', 'count-column')}
            {column('owner', 'Owner')}
            {column('due', 'Due')}
            {column('status', 'Status')}
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
                <td>
                  <SeverityMark severity={row.severity} />
                </td>
                <th scope="row" className="condition">
                  <Button kind="link" onPress={() => go({ screen: 'finding', of, reference: row.reference })}>
                    {visible(row.condition)}
                  </Button>
                </th>
                <td className="number">
                  {row.deviations} of {row.tested}
                  {row.what === 'inventory' && ' rows'}
                  {row.inconclusive > 0 && <span className="note">{row.inconclusive} inconclusive</span>}
                </td>
                <td className="count-column number">{row.controls}</td>
                <td>{row.owner === null ? <None /> : visible(row.owner)}</td>
                <td className="number">{row.due ?? <None />}</td>
                <td>
                  <span
                    className={
                      row.isOverdue || row.status === 'acceptance-expired' ? 'status tone-inconclusive' : 'status'
                    }
                  >
                    <Shape mark={row.isOverdue ? 'disc-late' : statusMarks[row.status]} tone="not-tested" />
                    <span>{visible(row.statusText)}</span>
                  </span>
                </td>
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

const None = () => (
  <span className="quiet">
    <span aria-hidden="true">–</span>
    <span className="said">none</span>
  </span>
)
