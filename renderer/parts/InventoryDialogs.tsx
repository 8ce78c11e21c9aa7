import { today } from '@internationalized/date'
import { type FormEvent, useId, useState } from 'react'
import { inventoryKindWords } from '../../schemas/engagement-words.ts'
import type { InventoryDraft, InventoryView } from '../../schemas/ipc-engagement.ts'
import { useAction } from '../actions.ts'
import type { CoverageRow } from '../coverage-model.ts'
import { announce, outdated } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'

const KINDS = ['portal-export', 'invoice', 'order'] as const satisfies readonly InventoryDraft['kind'][]

/** Source and owner of the provider inventory, then the file. */
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
    announce(`Provider inventory imported: ${plural(view.inventory?.rows ?? 0, 'asset')}.`)
    onClose()
    outdated()
  }
  return (
    <Dialog
      title="Import provider inventory"
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
          A CSV file with a header line, for example id, hostname, address and serial number. The pack includes it
          unchanged.
        </p>
        {before !== null && (
          <p className="quiet">
            It replaces {visible(before.file.name)}. Excluded assets remain excluded where their ids appear again.
          </p>
        )}
        <RadioGroup
          label="Type"
          value={kind}
          onChange={setKind}
          options={KINDS.map((id) => ({ id, title: inventoryKindWords[id] }))}
        />
        <TextField
          label="Source"
          value={source}
          onChange={setSource}
          maxLength={300}
          error={tried && source.trim() === '' ? 'Enter the source.' : undefined}
          isRequired
          autoFocus
        />
        <div className="form-pair">
          <TextField
            label="Owner"
            value={owner}
            onChange={setOwner}
            maxLength={200}
            error={tried && owner.trim() === '' ? 'Enter the owner.' : undefined}
            isRequired
          />
          <DateField
            label="As of"
            value={on}
            onChange={setOn}
            error={tried && on === '' ? 'Choose the date of the inventory.' : undefined}
            isRequired
          />
        </div>
        {bring.error !== null && <FailureNote error={bring.error} />}
      </form>
    </Dialog>
  )
}

/** The reason for excluding an inventory asset from the population; it can be changed and withdrawn. */
export function LeaveOutDialog({ row, onClose }: { readonly row: CoverageRow; readonly onClose: () => void }) {
  const form = useId()
  const set = useAction('inventory.leave-out')
  const [why, setWhy] = useState(row.why ?? '')
  const [tried, setTried] = useState(false)
  const put = async (reason: string | null): Promise<void> => {
    if (row.rowId === null || (await set.run({ id: row.rowId, why: reason })) === null) return
    announce(reason === null ? 'Asset included.' : 'Asset excluded.')
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
      title="Exclude asset"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" type="submit" form={form} busy={set.busy}>
            Exclude asset
          </Button>
          {row.why !== null && (
            <Button isDisabled={set.busy} onPress={() => void put(null)}>
              Include asset
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
        <p className="quiet">The asset remains listed, and every report prints your reason.</p>
        <TextArea
          label="Reason for exclusion"
          value={why}
          onChange={setWhy}
          maxLength={1000}
          error={tried && why.trim().length < 3 ? 'Enter at least 3 characters.' : undefined}
          isRequired
          autoFocus
        />
        {set.error !== null && <FailureNote error={set.error} />}
      </form>
    </Dialog>
  )
}
