import { IconUserShare } from '@tabler/icons-react'
import { useState } from 'react'
import { invitationStatusWords } from '../../schemas/portal-words.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import type { Draft } from '../export-store.ts'
import { announce, go } from '../store.ts'
import { signedIn } from '../team.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { TextArea } from '../ui/Field.tsx'
import { FormDialog } from './FormDialog.tsx'

/** Shares a sealed draft with the auditors of a server; nothing in the window. */
export function ShareDraft({ draft, isDisabled }: { readonly draft: Draft; readonly isDisabled: boolean }) {
  const [open, setOpen] = useState(false)
  if (signedIn() === null) return null
  return (
    <>
      <Button icon={IconUserShare} isDisabled={isDisabled} onPress={() => setOpen(true)}>
        Share with auditors…
      </Button>
      {open && <ShareDialog draft={draft} onClose={() => setOpen(false)} />}
    </>
  )
}

function ShareDialog({ draft, onClose }: { readonly draft: Draft; readonly onClose: () => void }) {
  const share = useAction('portal.share')
  const [note, setNote] = useState('')
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const invitations = useAnswer('portal.invitations', null)
  const invited = (invitations.state === 'here' ? invitations.value : []).filter(
    ({ status }) => status === 'open' || status === 'active',
  )
  const submit = async (): Promise<void> => {
    if (chosen?.length === 0) return
    if ((await share.run({ handle: draft.made.handle, note: note.trim(), to: chosen })) === null) return
    announce('Pack shared with auditors.')
    onClose()
    go({ screen: 'auditors' })
  }
  return (
    <FormDialog
      title="Share with auditors"
      verb="Share pack"
      isDisabled={chosen?.length === 0}
      action={share}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        {draft.from.copy
          ? 'They can open and download the redacted copy. The complete pack and the report are not shared.'
          : 'They can open and download the pack, the report and all additional outputs.'}
      </p>
      <RadioGroup
        label="Share with"
        value={chosen === null ? 'all' : 'some'}
        onChange={(id) => setChosen(id === 'all' ? null : [])}
        options={[
          { id: 'all', title: 'All auditors of this engagement', note: 'Also those who are invited later.' },
          {
            id: 'some',
            title: 'Selected invitations',
            note: invited.length === 0 ? 'No one is invited. Invite auditors under Auditors, Access.' : undefined,
            isDisabled: invited.length === 0,
          },
        ]}
      />
      {chosen !== null && (
        <fieldset className="ticks">
          <legend>Invitations</legend>
          {invited.map(({ id, label, status }) => (
            <Checkbox
              key={id}
              isSelected={chosen.includes(id)}
              onChange={(on) => setChosen(on ? [...chosen, id] : chosen.filter((one) => one !== id))}
              note={invitationStatusWords[status]}
            >
              {visible(label)}
            </Checkbox>
          ))}
        </fieldset>
      )}
      <TextArea
        label="Note to the auditors"
        value={note}
        onChange={setNote}
        maxLength={2000}
        isRequired={false}
        autoFocus
      />
    </FormDialog>
  )
}
