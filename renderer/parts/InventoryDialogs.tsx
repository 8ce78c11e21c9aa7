import { today } from '@internationalized/date'
import { type FormEvent, useId, useState } from 'react'
import { inventoryKindWords } from '../../schemas/engagement-words.ts'
import type { InventoryDraft, InventoryView } from '../../schemas/ipc-engagement.ts'
import { useAction } from '../actions.ts'
import type { CoverageRow } from '../coverage-model.ts'
import { outdated, say } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Failure.tsx'

const KINDS = ['portal-export', 'invoice', 'order'] as const satisfies readonly InventoryDraft['kind'][]

/** Where the provider's list comes from and who answers for it, then the file itself. */
export function InventoryDialog({
  before,
  onClose,
}: {
  readonly before: InventoryView | null
  readonly onClose: () => void
}) {
  const form = useId()
  const bring = useAction('inventory.import-choose')
  const [kind, setKind] = useState<InventoryDraft['kind']>(before?.kind ?? 'portal-export')
  const [source, setSource] = useState(before?.source ?? '')
  const [owner, setOwner] = useState(before?.owner ?? '')
  const [on, setOn] = useState(today('UTC').toString())
  const [tried, setTried] = useState(false)
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (source.trim() === '' || owner.trim() === '' || on === '') return
    const view = await bring.run({ kind, source, owner, on })
    if (view === null) return
    say(`Provider’s list imported: ${plural(view.inventory?.rows ?? 0, 'row')}.`)
    onClose()
    outdated()
  }
  return (
    <Dialog
      title="Import the provider’s list"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={bring.busy}>
            Choose file and import
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void send(event)} noValidate>
        <p>
          A table (CSV) whose first line names its columns, such as id, hostname, address and serial number. It goes
          into the pack as it is.
        </p>
        {before !== null && (
          <p className="quiet">
            It takes the place of {visible(before.file.name)}. Rows left out stay so where their ids are found again.
          </p>
        )}
        <RadioGroup
          label="What it is"
          value={kind}
          onChange={setKind}
          options={KINDS.map((id) => ({ id, title: inventoryKindWords[id] }))}
        />
        <TextField
          label="Where it comes from"
          value={source}
          onChange={setSource}
          maxLength={300}
          error={tried && source.trim() === '' ? 'Say where it comes from.' : undefined}
          isRequired
          autoFocus
        />
        <div className="form-pair">
          <TextField
            label="Owner"
            value={owner}
            onChange={setOwner}
            maxLength={200}
            error={tried && owner.trim() === '' ? 'Name who answers for it.' : undefined}
            isRequired
          />
          <DateField
            label="As of"
            value={on}
            onChange={setOn}
            error={tried && on === '' ? 'Choose the day of the list.' : undefined}
            isRequired
          />
        </div>
        {bring.error !== null && <FailureNote error={bring.error} />}
      </form>
    </Dialog>
  )
}

/** Why a row of the provider's list is no node of this population; that can be changed and taken back. */
export function LeaveOutDialog({ row, onClose }: { readonly row: CoverageRow; readonly onClose: () => void }) {
  const form = useId()
  const set = useAction('inventory.leave-out')
  const [why, setWhy] = useState(row.why ?? '')
  const [tried, setTried] = useState(false)
  const put = async (reason: string | null): Promise<void> => {
    if (row.rowId === null || (await set.run({ id: row.rowId, why: reason })) === null) return
    say(reason === null ? 'The row counts again.' : 'The row is left out.')
    onClose()
    outdated()
  }
  const send = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (why.trim().length >= 3) void put(why)
  }
  return (
    <Dialog
      title="Leave this row out"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={set.busy}>
            Leave row out
          </Button>
          {row.why !== null && (
            <Button isDisabled={set.busy} onPress={() => void put(null)}>
              Count row again
            </Button>
          )}
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={send} noValidate>
        <p>
          {visible(row.name)}
          {row.listed !== null && row.listed !== row.name && <span className="note mono">{visible(row.listed)}</span>}
        </p>
        <p className="quiet">The row stays in the list, and every report gives your reason.</p>
        <TextArea
          label="Why it is no node of this population"
          value={why}
          onChange={setWhy}
          maxLength={1000}
          error={tried && why.trim().length < 3 ? 'Say why.' : undefined}
          isRequired
          autoFocus
        />
        {set.error !== null && <FailureNote error={set.error} />}
      </form>
    </Dialog>
  )
}
