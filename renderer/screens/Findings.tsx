import { IconLayoutGrid, IconPrinter, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { ToggleButton } from 'react-aria-components'
import { findingStatusWords, severityWords } from '../../schemas/conclusion-words.ts'
import type { FindingRow, FindingStatusName, FindingsView } from '../../schemas/ipc-findings.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { FindingFilter } from '../models/filters.ts'
import {
  FINDING_COLUMNS,
  filterWords,
  isFindingSort,
  isNoFindingFilter,
  LEVELS,
  NO_FINDING_FILTER,
  SEVERE,
  showsFinding,
  sortedFindings,
  statedWords,
} from '../models/finding-model.ts'
import { plural, visible } from '../models/text.ts'
import { AcceptFindings } from '../parts/Acceptances.tsx'
import { Ask } from '../parts/Ask.tsx'
import { Ladder } from '../parts/FindingParts.tsx'
import { FindingTable } from '../parts/FindingTable.tsx'
import { NextStep } from '../parts/NextStep.tsx'
import { NoResultsYet } from '../parts/NoResults.tsx'
import { Page } from '../parts/Page.tsx'
import { ResponseDialog } from '../parts/ResponseFields.tsx'
import { TableTools, useTableChoice } from '../parts/TableTools.tsx'
import { useResultsSoFar } from '../state/actions.ts'
import { chosenWords } from '../state/response-model.ts'
import { go, replace } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'
import { Whole } from '../ui/Whole.tsx'

interface FindingsProps {
  readonly of: Source
  readonly filter: FindingFilter | null
  /** Opens the response to all severe findings without an owner. */
  readonly respond: boolean
}

/** Findings by check: what to fix and to respond to, the most severe first. */
export function Findings({ of, filter, respond }: FindingsProps) {
  const wanted = filter ?? NO_FINDING_FILTER
  const { node } = wanted
  const answer = useResultsSoFar('findings.get', { of, node })
  return (
    <Ask answer={answer}>
      {(view) => (view === null ? <NothingYet of={of} /> : <Listed view={view} filter={wanted} respond={respond} />)}
    </Ask>
  )
}

const NothingYet = ({ of }: Pick<FindingsProps, 'of'>) => (
  <Page title="Findings">
    {of === 'run' ? (
      <NoResultsYet>Findings are listed here after the first collection.</NoResultsYet>
    ) : (
      <EmptyState title="No results">The results of this pack cannot be read.</EmptyState>
    )}
  </Page>
)

/** Accepted findings are listed here, but are not among the open ones counted in the rail. */
function acceptedWords(rows: FindingsView['rows']): string {
  const accepted = rows.filter(({ status }) => status === 'risk-accepted').length
  return accepted === 0 ? '' : ` ${rows.length - accepted} open, ${accepted} with an accepted risk.`
}

interface ListedProps {
  readonly view: FindingsView
  readonly filter: FindingFilter
  readonly respond: boolean
}

function Listed({ view, filter, respond }: ListedProps) {
  const { of, rows, informational, counts, deviations, deviatingNodes, declared, tested } = view
  const { choice, onChoice, onSort } = useTableChoice('findings')
  const by = isFindingSort(choice.by) ? choice.by : 'severity'
  const unowned = rows.filter(({ severity, owner }) => SEVERE.includes(severity) && owner === null)
  const responds = respond && unowned.length > 0
  const [selected, setSelected] = useState<ReadonlySet<string>>(
    new Set(responds ? unowned.map(({ check }) => check) : []),
  )
  const [dialog, setDialog] = useState<'respond' | 'accept' | null>(responds ? 'respond' : null)
  const narrow = (part: Partial<FindingFilter>): void =>
    replace({ screen: 'findings', of, filter: { ...filter, ...part } })
  const shown = sortedFindings(
    rows.filter((row) => showsFinding(filter, row)),
    { by, isReversed: choice.isReversed },
  )
  const chosen = rows.filter(({ check }) => selected.has(check))
  const all = LEVELS.reduce((sum, level) => sum + counts[level], 0)
  const mayRespond = of === 'run'
  const close = (): void => setDialog(null)
  const done = (): void => {
    close()
    setSelected(new Set())
    // If the list was opened to respond, all findings are shown afterwards, since those without an owner now have
    // one.
    if (responds) narrow(NO_FINDING_FILTER)
  }
  return (
    <Page
      title="Findings"
      {...(of === 'pack' ? { over: 'As stated in the pack. Read-only.' } : {})}
      under={
        all === 0
          ? tested === 0
            ? `None of ${plural(declared, 'node')} was tested.`
            : `No deviations noted on ${tested} of ${plural(declared, 'node')}.`
          : `${plural(all, 'finding')}, ${plural(deviations, 'deviation')} on ${deviatingNodes} of ${plural(declared, 'node')}.${acceptedWords(rows)}${
              informational.length === 0
                ? ''
                : ` ${plural(informational.length, 'informational result')} listed separately.`
            }${of === 'pack' ? ` ${statedWords(rows)}` : ''}`
      }
      actions={
        <>
          <Button icon={IconPrinter} kind="quiet" onPress={() => window.print()}>
            Print
          </Button>
          <Button icon={IconLayoutGrid} onPress={() => go({ screen: 'properties', of })}>
            Nodes × properties
          </Button>
          {mayRespond && filter.node === null && unowned.length > 0 && (
            <Button
              kind="primary"
              onPress={() => {
                setSelected(new Set(unowned.map(({ check }) => check)))
                setDialog('respond')
              }}
            >
              Assign {unowned.length} without owner
            </Button>
          )}
          {mayRespond && <NextStep within={['assign']} />}
        </>
      }
    >
      <FindingFilterBar filter={filter} rows={rows} counts={counts} onChange={narrow} />
      <p className="filter-says" role="status">
        <span>
          <strong className="number">
            {shown.length} of {plural(all, 'finding')}
          </strong>
          {isNoFindingFilter(filter) ? '' : `: ${filterWords(filter)}`}
        </span>
        {!isNoFindingFilter(filter) && (
          <Button small kind="quiet" icon={IconX} onPress={() => narrow(NO_FINDING_FILTER)}>
            Clear filters
          </Button>
        )}
        <TableTools table="findings" columns={FINDING_COLUMNS} rows={shown} choice={choice} onChoice={onChoice} />
      </p>
      {shown.length === 0 ? (
        <p className="empty">
          {all > 0 ? 'No findings match.' : tested === 0 ? 'No node was tested.' : 'No findings on the nodes tested.'}
        </p>
      ) : (
        <FindingTable
          of={of}
          rows={shown}
          choice={{ ...choice, by }}
          onSort={onSort}
          selected={mayRespond ? selected : null}
          onSelect={setSelected}
        />
      )}
      {informational.length > 0 && isNoFindingFilter(filter) && (
        <section aria-labelledby="informational">
          <h2 id="informational">Informational results that are not satisfied</h2>
          <p className="quiet">Counted in no sum of findings.</p>
          <ul className="plain-list">
            {informational.map(({ reference, condition }) => (
              <li key={reference}>
                <Button kind="link" onPress={() => go({ screen: 'finding', of, reference })}>
                  <Whole text={condition} />
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {chosen.length > 0 && (
        <section className="bulk-bar" aria-label="Chosen findings">
          <strong className="number">{chosenWords(chosen)}</strong>
          <Button kind="primary" onPress={() => setDialog('respond')}>
            Respond…
          </Button>
          <Button onPress={() => setDialog('accept')}>Add risk acceptance…</Button>
          <Button kind="quiet" onPress={() => setSelected(new Set())}>
            Clear selection
          </Button>
        </section>
      )}
      {dialog === 'respond' && (
        <ResponseDialog checks={chosen.map(({ check }) => check)} onDone={done} onClose={close} />
      )}
      {dialog === 'accept' && <AcceptFindings rows={chosen} onDone={done} onClose={close} />}
    </Page>
  )
}

interface FindingFilterBarProps {
  readonly filter: FindingFilter
  /** The findings that can be listed, for the choices. */
  readonly rows: readonly FindingRow[]
  readonly counts: FindingsView['counts']
  readonly onChange: (part: Partial<FindingFilter>) => void
}

const ANY = 'any'

/** The parts of the filter of findings. */
function FindingFilterBar({ filter, rows, counts, onChange }: FindingFilterBarProps) {
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
