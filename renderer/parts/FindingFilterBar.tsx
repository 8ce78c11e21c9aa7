import { ToggleButton } from 'react-aria-components'
import { findingStatusWords, severityWords } from '../../schemas/conclusion-words.ts'
import type { FindingRow, FindingStatusName, FindingsView } from '../../schemas/ipc-findings.ts'
import { type FindingFilter, LEVELS } from '../finding-model.ts'
import { visible } from '../text.ts'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'
import { Ladder } from './Severity.tsx'

export interface FindingFilterBarProps {
  readonly filter: FindingFilter
  /** The findings that can be listed, for the choices. */
  readonly rows: readonly FindingRow[]
  readonly counts: FindingsView['counts']
  readonly onChange: (part: Partial<FindingFilter>) => void
}

const ANY = 'any'

/** The parts of the filter of findings. */
export function FindingFilterBar({ filter, rows, counts, onChange }: FindingFilterBarProps) {
  const owners = [...new Set(rows.flatMap(({ owner }) => owner ?? []))].sort()
  const statuses = [...new Set(rows.map(({ status }) => status))]
  const { owner } = filter
  return (
    <section className="finding-filters" aria-label="Filter">
      <SearchField
        isFilter
        label="Find a finding"
        value={filter.text}
        onChange={(text) => onChange({ text })}
        placeholder="Find a finding"
      />
      <div className="level-filters">
        {LEVELS.filter((level) => counts[level] > 0).map((level) => (
          <ToggleButton
            key={level}
            className={`level-filter severity-${level}`}
            isSelected={filter.severities.includes(level)}
            onChange={(isSelected) =>
              onChange({
                severities: LEVELS.filter((one) => (one === level ? isSelected : filter.severities.includes(one))),
              })
            }
          >
            <Ladder severity={level} />
            {severityWords[level]} <span className="number">{counts[level]}</span>
          </ToggleButton>
        ))}
      </div>
      <Select
        hideLabel
        label="Status"
        value={filter.status ?? ANY}
        onChange={(id) => onChange({ status: id === ANY ? null : id })}
        options={[
          { id: ANY as FindingStatusName | typeof ANY, title: 'All statuses' },
          ...statuses.map((id) => ({ id, title: findingStatusWords[id] })),
        ]}
      />
      <Select
        hideLabel
        label="Owner"
        value={owner === null ? ANY : owner.is === 'named' ? `named ${owner.name}` : owner.is}
        onChange={(id) =>
          onChange({
            owner:
              id === ANY
                ? null
                : id === 'none' || id === 'some'
                  ? { is: id }
                  : { is: 'named', name: id.slice('named '.length) },
          })
        }
        options={[
          { id: ANY, title: 'All owners' },
          { id: 'none', title: 'Without an owner' },
          { id: 'some', title: 'With an owner' },
          ...owners.map((name) => ({ id: `named ${name}`, title: visible(name) })),
        ]}
      />
    </section>
  )
}
