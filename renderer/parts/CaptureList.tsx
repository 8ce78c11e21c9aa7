import { useMemo, useState } from 'react'
import { ListBox, ListBoxItem, ListLayout, Text, Virtualizer } from 'react-aria-components'
import type { Capture } from '../../schemas/types.ts'
import { NO_CHOICE, sortedRows, type TableColumn } from '../models/table-model.ts'
import { bytes, plural, shellLine } from '../models/text.ts'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'
import { Shape } from './Mark.tsx'
import { TableTools, useOrder } from './TableTools.tsx'

export const keyOf = (capture: Pick<Capture, 'probe' | 'command'>): string => `${capture.probe}/${capture.command}`

const STATUS: Readonly<
  Record<Capture['status'], { readonly word: string; readonly mark: string; readonly tone: string }>
> = {
  done: { word: 'Captured', mark: 'dot', tone: 'informational' },
  'timed-out': { word: 'Timed out', mark: 'diamond-question', tone: 'inconclusive' },
  truncated: { word: 'Truncated', mark: 'diamond-question', tone: 'inconclusive' },
  'no-path': { word: 'Path not present', mark: 'dot', tone: 'informational' },
  'not-asked': { word: 'Skipped', mark: 'dotted-ring', tone: 'not-tested' },
  'not-run': { word: 'Not run', mark: 'dotted-ring', tone: 'not-tested' },
  lost: { word: 'Lost', mark: 'dotted-ring', tone: 'not-tested' },
}

// That a device is absent is a result too, read from the file system of the node.
const isAnswer = (status: Capture['status']): boolean => status === 'done' || status === 'no-path'

type Shown = 'all' | 'answered' | 'not-collected' | 'errors'
const SHOWN = [
  { id: 'all', title: 'All captures' },
  { id: 'answered', title: 'Captured' },
  { id: 'not-collected', title: 'Not captured' },
  { id: 'errors', title: 'With errors' },
] as const
const IS: Readonly<Record<Shown, (capture: Capture) => boolean>> = {
  all: () => true,
  answered: ({ status }) => isAnswer(status),
  'not-collected': ({ status }) => !isAnswer(status),
  errors: ({ status, exitCode, stderr }) => status !== 'no-path' && ((exitCode ?? 0) !== 0 || stderr.size > 0),
}

/**
 * The output beside the list shows the columns that are always kept. Without them, a saved list could not be compared
 * with the stored outputs.
 */
const COLUMNS: readonly TableColumn<Capture>[] = [
  { id: 'name', title: 'Capture', isRowHeader: true, text: keyOf },
  { id: 'status', title: 'Status', text: ({ status }) => STATUS[status].word },
  { id: 'exit', title: 'Exit code', text: ({ exitCode }) => exitCode },
  { id: 'size', title: 'Size in bytes', text: ({ stdout }) => stdout.size },
  { id: 'started', title: 'Started (UTC)', isKept: true, text: ({ startedAt }) => startedAt },
  { id: 'command', title: 'Command', isKept: true, text: ({ argv }) => shellLine(argv) },
  { id: 'sha256', title: 'SHA-256 of the output', isKept: true, text: ({ stdout }) => stdout.sha256 },
]
const ORDERS = [
  { id: 'given', title: 'In order of probes' },
  { id: 'name', title: 'By name' },
  { id: 'status', title: 'By status' },
  { id: 'size', title: 'By size, largest first' },
  { id: 'started', title: 'By time' },
] as const

const noteOf = ({ status, stdout, exitCode }: Capture, shows: (column: string) => boolean): string =>
  [
    shows('status') && STATUS[status].word,
    shows('size') && status === 'done' && bytes(stdout.size),
    shows('exit') && (exitCode ?? 0) !== 0 && `exit ${exitCode}`,
  ]
    .filter((part) => part !== false)
    .join(' · ')

interface CaptureListProps {
  readonly captures: readonly Capture[]
  readonly chosen: string | null
  readonly onChoose: (key: string) => void
}

const ROW_HEIGHT = 44

/** All captures of a node: name, status and size. One is selected; arrow keys move, letters search. */
export function CaptureList({ captures, chosen, onChoose }: CaptureListProps) {
  const [text, setText] = useState('')
  const [shown, setShown] = useState<Shown>('all')
  const { choice, onChoice, order, select } = useOrder('captures', ORDERS)
  const rows = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    const found = captures.filter((capture) => IS[shown](capture) && keyOf(capture).toLowerCase().includes(wanted))
    const sorted = sortedRows(found, COLUMNS, { ...NO_CHOICE, by: order.id, isReversed: order.id === 'size' })
    return sorted.map((capture) => ({ id: keyOf(capture), capture }))
  }, [captures, text, shown, order])
  const shows = (column: string): boolean => !choice.hidden.includes(column)
  return (
    <section className="evidence-captures" aria-label="Captures" data-pane tabIndex={-1}>
      <SearchField label="Filter captures" value={text} onChange={setText} isFilter />
      <Select label="Status" hideLabel options={SHOWN} value={shown} onChange={setShown} />
      {select}
      <TableTools
        table="captures"
        columns={COLUMNS}
        rows={rows.map(({ capture }) => capture)}
        choice={choice}
        onChoice={onChoice}
      />
      <p className="note" role="status">
        {rows.length === captures.length
          ? plural(captures.length, 'capture')
          : `${rows.length} of ${plural(captures.length, 'capture')}`}
      </p>
      <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight: ROW_HEIGHT }}>
        <ListBox
          className="capture-list"
          aria-label="Captures"
          items={rows}
          dependencies={[choice.hidden]}
          selectionMode="single"
          selectionBehavior="replace"
          disallowEmptySelection
          selectedKeys={chosen === null ? [] : [chosen]}
          onSelectionChange={(keys) => {
            const key = keys === 'all' ? undefined : [...keys][0]
            if (key !== undefined) onChoose(String(key))
          }}
          renderEmptyState={() => <p className="empty">No matching captures.</p>}
        >
          {({ id, capture }) => (
            <ListBoxItem id={id} textValue={id} className="capture-item">
              <Text slot="label" className="mono capture-name" title={id}>
                {id}
              </Text>
              <Text slot="description" className="note capture-note">
                {shows('status') && <Shape mark={STATUS[capture.status].mark} tone={STATUS[capture.status].tone} />}
                {noteOf(capture, shows)}
              </Text>
            </ListBoxItem>
          )}
        </ListBox>
      </Virtualizer>
    </section>
  )
}
