import { useState } from 'react'
import type { RegisterView } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { otherRecords, type Slot, slotsLine, slotsOf } from '../control-tree.ts'
import { both, useKept } from '../kept.ts'
import { Ask } from '../parts/Ask.tsx'
import { Page } from '../parts/Page.tsx'
import { SLOT_WORDS } from '../parts/SlotLine.tsx'
import { RecordList, Slots } from '../parts/Slots.tsx'
import { go, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'

/** Records that no server can show, by control: what is attached, what is expected from whom, what is missing or late. */
export function Attachments({ of }: { readonly of: Source }) {
  const { runs } = useStore()
  const register = useKept(useAnswer('register.get', { of }, runs), of)
  const view = useKept(useAnswer('assessment.get', { of }, runs), of)
  return (
    <Page
      title="Records from people"
      over={of === 'pack' ? 'As stated in the pack' : 'What no server can show'}
      under="Each is stored by its digest and never run. Missing records stay in every count."
    >
      <Ask answer={both(register, view)}>{([said, found]) => <Listed of={of} register={said} view={found} />}</Ask>
    </Page>
  )
}

const ORDER: readonly Slot['is'][] = ['overdue', 'missing', 'unexamined', 'requested', 'decided', 'attached']

interface ListedProps {
  readonly of: Source
  readonly register: RegisterView
  readonly view: AssessmentView | null
}

function Listed({ of, register, view }: ListedProps) {
  const [text, setText] = useState('')
  const [shown, setShown] = useState<Slot['is'] | 'all'>('all')
  const controls = (view?.frameworks ?? [])
    .filter(({ overlay }) => !overlay)
    .flatMap(({ id, controls: rows }) =>
      rows.map((control) => ({
        framework: id,
        control,
        slots: slotsOf(id, control, register, view?.asOf ?? ''),
        others: otherRecords(id, control, register),
      })),
    )
  const every = controls.flatMap(({ slots }) => slots)
  const wanted = text.trim().toLowerCase()
  const matching = controls
    .map((one) => ({
      ...one,
      slots: one.slots.filter(
        (slot) =>
          (shown === 'all' || slot.is === shown) &&
          [one.control.id, one.control.title, slot.need, slot.request?.owner ?? '']
            .join(' ')
            .toLowerCase()
            .includes(wanted),
      ),
      others: shown === 'all' && wanted === '' ? one.others : [],
    }))
    .filter(({ slots, others }) => slots.length > 0 || others.length > 0)
  const ended = register.attachments.filter(({ standing }) => standing !== 'in-force')
  if (every.length === 0 && register.attachments.length === 0)
    return (
      <EmptyState title="No record is asked for yet">
        Here will be the records that controls need besides the evidence, once a run has finished.
      </EmptyState>
    )
  const count = (is: Slot['is']): number => every.filter((slot) => slot.is === is).length
  return (
    <>
      <div className="table-bar">
        <SearchField label="Find a record" value={text} onChange={setText} isFilter />
        <Select
          label="Which records"
          hideLabel
          value={shown}
          onChange={setShown}
          options={[
            { id: 'all', title: `All · ${every.length}` },
            ...ORDER.map((is) => ({ id: is, title: `${SLOT_WORDS[is].word} · ${count(is)} of ${every.length}` })),
          ]}
        />
        <span className="note" role="status">
          {matching.flatMap(({ slots }) => slots).length} of {slotsLine(every)}
        </span>
      </div>
      {matching.length === 0 && <p className="empty">No record matches.</p>}
      {matching.map(({ framework, control, slots, others }) => (
        <section
          key={`${framework} ${control.key}`}
          className="record-group"
          aria-label={`${control.id} ${control.title}`}
        >
          <h2>
            <Button kind="link" onPress={() => go({ screen: 'control', of, framework, key: control.key })}>
              {control.id} {control.title}
            </Button>
          </h2>
          <Slots of={of} slots={slots} />
          <RecordList of={of} records={others} />
        </section>
      ))}
      {ended.length > 0 && shown === 'all' && wanted === '' && (
        <section aria-labelledby="ended-records">
          <h2 id="ended-records">
            Expired and withdrawn <span className="number quiet">{ended.length}</span>
          </h2>
          <RecordList of={of} records={ended} />
        </section>
      )}
    </>
  )
}
