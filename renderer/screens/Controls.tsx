import { IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { Collection, Button as Press, Tree, TreeItem, TreeItemContent } from 'react-aria-components'
import { ROW_STATES, type RowState, rowStateWords } from '../../schemas/conclusion-words.ts'
import type { AssessmentView, ControlRow } from '../../schemas/ipc-results.ts'
import type { FrameworkName, Source } from '../../schemas/ipc-views.ts'
import {
  CONTROL_COLUMNS,
  CONTROL_ORDERS,
  countLine,
  listedControls,
  type StateCount,
  sortedTree,
  stateOf,
  type TreeFramework,
  treeOf,
  type Wanted,
} from '../models/control-tree.ts'
import { choosable } from '../models/table-model.ts'
import { plural } from '../models/text.ts'
import { Ask } from '../parts/Ask.tsx'
import { ControlParts } from '../parts/ControlEntry.tsx'
import { NoResultsYet } from '../parts/NoResults.tsx'
import { Page } from '../parts/Page.tsx'
import { TableTools, useOrder } from '../parts/TableTools.tsx'
import { useResults } from '../state/actions.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'

interface ControlsProps {
  readonly of: Source
  readonly framework?: FrameworkName | undefined
  /** Shows only controls with this conclusion. */
  readonly state?: RowState | undefined
}

/** Open branches and search text, kept until the window closes, so that going back shows the same tree. */
const kept: { wanted: Wanted; open: ReadonlySet<string> | null } = { wanted: { text: '', state: 'all' }, open: null }

/** All controls of the selected frameworks as a tree: framework, group, control, each with its server part and document part. */
export function Controls({ of, framework, state }: ControlsProps) {
  const answer = useResults('assessment.get', { of })
  return (
    <Ask answer={answer}>
      {(view) => (
        <Page
          title="Controls"
          over={of === 'pack' ? 'As stated in the pack' : 'Conclusions for each control'}
          under="Requirement texts are summaries, not legal advice."
          actions={<Button onPress={() => go({ screen: 'documents', of })}>Open documents</Button>}
        >
          {view === null || view.frameworks.length === 0 ? (
            <NothingYet of={of} />
          ) : (
            <Rows view={view} of={of} framework={framework} state={state} />
          )}
        </Page>
      )}
    </Ask>
  )
}

const NothingYet = ({ of }: { readonly of: Source }) =>
  of === 'run' ? (
    <NoResultsYet>Every control of the selected frameworks is listed here after the first collection.</NoResultsYet>
  ) : (
    <EmptyState title="No conclusions">The conclusions of this pack cannot be read.</EmptyState>
  )

/** Columns that can be hidden. */
const PARTS = choosable(CONTROL_COLUMNS)

function Rows({ view, of, framework, state }: ControlsProps & { readonly view: AssessmentView }) {
  const [wanted, setWanted] = useState(state === undefined ? kept.wanted : { text: '', state })
  const [open, setOpen] = useState(kept.open ?? new Set<string>([framework ?? view.frameworks[0]?.id ?? '']))
  const { choice, onChoice, order, select } = useOrder('controls', CONTROL_ORDERS)
  const tree = sortedTree(treeOf(view.frameworks, wanted), order.id)
  const parts = PARTS.filter(({ id }) => !choice.hidden.includes(id))
  const width = parts.length < PARTS.length ? 'fewer-parts' : ''
  const filtered = wanted.text.trim() !== '' || wanted.state !== 'all'
  const present = new Set(view.frameworks.flatMap(({ controls }) => controls.map(stateOf)))
  const want = (part: Partial<Wanted>): void => {
    kept.wanted = { ...wanted, ...part }
    setWanted(kept.wanted)
  }
  // Without counts: counts of different frameworks are never added.
  const states = ROW_STATES.filter((state) => present.has(state)).map((state) => ({
    id: state as RowState | 'all',
    title: rowStateWords[state].label,
    note: rowStateWords[state].meaning,
  }))
  return (
    <>
      <div className="table-bar">
        <SearchField label="Find a control" value={wanted.text} onChange={(text) => want({ text })} isFilter />
        <Select
          label="Conclusion"
          hideLabel
          options={[{ id: 'all', title: 'All conclusions' }, ...states]}
          value={wanted.state}
          onChange={(state) => want({ state })}
        />
        {select}
        <span className="note" role="status">
          {tree.map((one) => shownLine(one, filtered)).join('; ')}
        </span>
        {filtered && (
          <Button small kind="quiet" onPress={() => want({ text: '', state: 'all' })}>
            Clear filter
          </Button>
        )}
        <TableTools
          table="controls"
          columns={CONTROL_COLUMNS}
          rows={listedControls(tree)}
          choice={choice}
          onChoice={onChoice}
        />
      </div>
      <div className={`tree-head quiet ${width}`} aria-hidden="true">
        <span />
        <span />
        {parts.map(({ id, title }) => (
          <span key={id}>{title}</span>
        ))}
      </div>
      <Tree
        className={`controls-tree ${width}`}
        aria-label="Frameworks and their controls"
        selectionMode="none"
        items={tree}
        expandedKeys={filtered ? tree.flatMap(({ id, groups }) => [id, ...groups.map((group) => group.id)]) : open}
        onExpandedChange={(keys) => {
          const next = new Set([...keys].map(String))
          if (filtered) return
          kept.open = next
          setOpen(next)
        }}
        onAction={(key) => {
          const [id, ...rest] = String(key).split('\n')
          if (rest.length > 0) go({ screen: 'control', of, framework: id as FrameworkName, key: rest.join('\n') })
        }}
        renderEmptyState={() => <p className="empty">No matching controls.</p>}
      >
        {(one) => (
          <TreeItem id={one.id} textValue={one.title} className="tree-row tree-framework">
            <TreeItemContent>
              <Chevron />
              <span className="tree-title">
                {one.title}
                {view.scope.mappings?.some(({ id }) => id === one.id) === true && (
                  <span className="note">Custom framework.</span>
                )}
                {one.proposed && (
                  <span className="note">Proposed rule, not in effect. Counted separately. {one.status}</span>
                )}
              </span>
              <Counts counts={one.counts} total={one.total} />
            </TreeItemContent>
            <Collection items={one.groups}>
              {(group) => (
                <TreeItem id={group.id} textValue={group.title} className="tree-row tree-group">
                  <TreeItemContent>
                    <Chevron />
                    <span className="tree-title">{group.title}</span>
                    <Counts counts={group.counts} total={group.total} />
                  </TreeItemContent>
                  <Collection items={group.controls.map((control) => ({ id: `${one.id}\n${control.key}`, control }))}>
                    {({ id, control }) => <ControlItem id={id} control={control} hidden={choice.hidden} />}
                  </Collection>
                </TreeItem>
              )}
            </Collection>
          </TreeItem>
        )}
      </Tree>
    </>
  )
}

const Chevron = () => (
  <Press slot="chevron" className="tree-chevron">
    <Icon of={IconChevronRight} size={16} />
  </Press>
)

interface ControlItemProps {
  readonly id: string
  readonly control: ControlRow
  readonly hidden: readonly string[]
}

function ControlItem({ id, control, hidden }: ControlItemProps) {
  return (
    <TreeItem id={id} textValue={`${control.id} ${control.title}`} className="tree-row tree-control">
      <TreeItemContent>
        <span className="mono">{control.id}</span>
        <span className="tree-title">{control.title}</span>
        <ControlParts control={control} isListed hidden={hidden} />
      </TreeItemContent>
    </TreeItem>
  )
}

/** “HIPAA: 3 of 66 controls” */
const shownLine = ({ title, groups, total }: TreeFramework, filtered: boolean): string => {
  const shown = groups.reduce((sum, { controls }) => sum + controls.length, 0)
  return `${title}: ${filtered ? `${shown} of ` : ''}${plural(total, 'control')}`
}

/** Controls of a framework or group by state, with the denominator. */
function Counts({ counts, total }: { readonly counts: readonly StateCount[]; readonly total: number }) {
  return (
    <span className="tree-counts">
      {counts.map((one) => (
        <span key={one.state} className="number">
          {countLine(one)}
        </span>
      ))}
      <span className="number quiet">of {total}</span>
    </span>
  )
}
