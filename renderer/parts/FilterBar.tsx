import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { PROPERTIES, type Property, propertyWords } from '../../schemas/words.ts'
import {
  CELL_STATES,
  type CellState,
  type Filter,
  isNoFilter,
  NO_FILTER,
  type Rights,
  sentenceOf,
  stateWord,
} from '../models/filters.ts'
import { firstUp, plural, visible } from '../models/text.ts'
import { Button } from '../ui/Button.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select, type SelectOption } from '../ui/Select.tsx'

interface FilterBarProps {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
  readonly properties: readonly Property[]
  readonly places: readonly string[]
  readonly shown: number
  readonly of: number
  /** The order of the nodes, in words. */
  readonly order: string
  /** Tools of the table. */
  readonly children: ReactNode
}

const ANY = 'any'
const NOWHERE = 'nowhere'
const STATES: readonly SelectOption<CellState | typeof ANY>[] = [
  { id: ANY, title: 'All results' },
  ...CELL_STATES.map((id) => ({ id, title: firstUp(stateWord(id)) })),
]
const RIGHTS: readonly SelectOption<Rights | typeof ANY>[] = [
  { id: ANY, title: 'All privileges' },
  { id: 'with', title: 'With privileged checks' },
  { id: 'without', title: 'Without privileged checks' },
]

/** The parts of the filter, and the filter as a sentence with the number of matching nodes. */
export function FilterBar({ filter, onChange, properties, places, shown, of, order, children }: FilterBarProps) {
  const sentence = sentenceOf(filter)
  const set = (part: Partial<Filter>): void => onChange({ ...filter, ...part })
  const shownProperties = PROPERTIES.filter((property) => properties.includes(property))
  return (
    <section className="filter-bar" aria-label="Filter">
      <div className="filter-parts">
        <SearchField
          isFilter
          label="Find a node"
          value={filter.named}
          onChange={(named) => set({ named })}
          placeholder="Find a node"
        />
        <Select
          hideLabel
          label="Property"
          value={filter.property ?? ANY}
          options={[
            { id: ANY as Property | typeof ANY, title: 'All properties' },
            ...shownProperties.map((id) => ({ id, title: propertyWords[id].label })),
          ]}
          onChange={(id) =>
            set({ property: id === ANY ? null : id, state: id === ANY ? filter.state : (filter.state ?? 'open') })
          }
        />
        <Select
          hideLabel
          label="Result"
          value={filter.state ?? ANY}
          options={STATES}
          onChange={(id) => set(id === ANY ? { state: null, property: null } : { state: id })}
        />
        <Select
          hideLabel
          label="Declared place"
          value={filter.place === null ? ANY : filter.place === '' ? NOWHERE : `in ${filter.place}`}
          isDisabled={places.length === 0}
          options={[
            { id: ANY, title: places.length === 0 ? 'No place declared' : 'All places' },
            ...places.map((place) => ({ id: `in ${place}`, title: visible(place) })),
            ...(places.length === 0 ? [] : [{ id: NOWHERE, title: 'No declared place' }]),
          ]}
          onChange={(id) => set({ place: id === ANY ? null : id === NOWHERE ? '' : id.slice('in '.length) })}
        />
        <Select
          hideLabel
          label="Privilege"
          value={filter.rights ?? ANY}
          options={RIGHTS}
          onChange={(id) => set({ rights: id === ANY ? null : id })}
        />
      </div>
      <div className="filter-says">
        <span>
          <strong className="number">
            {isNoFilter(filter) ? plural(of, 'declared node') : `${shown} of ${plural(of, 'node')}`}
          </strong>
          {sentence === '' ? `, ${order.toLowerCase()}` : `: ${visible(sentence)}`}
        </span>
        {sentence !== '' && (
          <Button small kind="quiet" icon={IconX} onPress={() => onChange(NO_FILTER)}>
            Clear filter
          </Button>
        )}
        {children}
      </div>
    </section>
  )
}
