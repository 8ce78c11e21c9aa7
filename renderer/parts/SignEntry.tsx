import { useState } from 'react'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import type { EntrySignature } from '../../schemas/types.ts'
import { rolesToSign } from '../register-model.ts'
import { announce, outdated } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { FormDialog } from './FormDialog.tsx'
import { useEntrySigning } from './TrustAnchors.tsx'

interface SignEntryProps {
  readonly id: string
  readonly signatures: readonly EntrySignature[] | undefined
}

/** Adds a signature to a recorded entry. Not shown if both people have signed it. */
export function SignEntry({ id, signatures = [] }: SignEntryProps) {
  const [open, setOpen] = useState(false)
  const [first, ...others] = rolesToSign(signatures)
  if (first === undefined) return null
  return (
    <>
      {' '}
      <Button small kind="quiet" onPress={() => setOpen(true)}>
        Sign…
      </Button>
      {open && <SignDialog id={id} roles={[first, ...others]} onClose={() => setOpen(false)} />}
    </>
  )
}

function SignDialog({
  id,
  roles,
  onClose,
}: {
  readonly id: string
  readonly roles: readonly [EntrySignature['role'], ...EntrySignature['role'][]]
  readonly onClose: () => void
}) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<CallFailure | null>(null)
  const { choice, chosen, sign } = useEntrySigning(roles)
  const run = async (): Promise<void> => {
    setBusy(true)
    const failed = await sign(id)
    setBusy(false)
    setError(failed)
    if (failed !== null) return
    announce('Entry signed.')
    outdated()
    onClose()
  }
  return (
    <FormDialog
      title="Sign entry"
      verb="Sign entry"
      isDisabled={!chosen}
      action={{ busy, error }}
      onSubmit={run}
      onClose={onClose}
    >
      <p className="quiet">The signature covers the entry as recorded. Two people sign with different keys.</p>
      {choice}
    </FormDialog>
  )
}
