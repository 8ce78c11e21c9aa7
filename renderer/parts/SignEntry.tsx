import { type ReactNode, useState } from 'react'
import type { Method } from '../../schemas/ipc.ts'
import type { IdentityView } from '../../schemas/ipc-packs.ts'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import type { EntrySignature } from '../../schemas/types.ts'
import { rolesToSign } from '../models/register-model.ts'
import { signedIn } from '../models/team.ts'
import { visible } from '../models/text.ts'
import { call, useAnswer } from '../state/bridge.ts'
import { change, go, recorded } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { Select } from '../ui/Select.tsx'
import { FormDialog } from './FormDialog.tsx'
import { EntryWithoutSealer } from './NoSealer.tsx'

type Role = EntrySignature['role']

const UNSIGNED = ''
const ROLES: Readonly<Record<Role, string>> = {
  requester: 'the requester',
  approver: 'the approver',
  respondent: 'the person who states it',
}

interface SigningIdentity {
  /** Null for no signature, or if there is no identity. */
  readonly identity: string | null
  readonly choice: ReactNode
}

/** The identities of this computer and the chosen one: `first`, otherwise the first of the list. Names are never empty. */
function useIdentities(first: string | null) {
  const [checks, setChecks] = useState(0)
  const answer = useAnswer('identities.list', null, checks)
  const [chosen, choose] = useState<string | null>(first)
  const identities = answer.state === 'here' ? answer.value : []
  return {
    identities,
    name: chosen ?? identities[0]?.name ?? UNSIGNED,
    choose,
    check: () => setChecks(checks + 1),
    /** True on a team server without connected sealers, whose identities it would list. */
    lacksSealer: answer.state === 'here' && identities.length === 0 && signedIn() !== null,
  }
}

/**
 * The identity of a signature that is always made. There is no choice between fewer than two; the engine reports if
 * there is none.
 */
export function useSigningKey(first: string | null = null, method: Method = 'register.sign'): SigningIdentity {
  const { identities, name, choose, check, lacksSealer } = useIdentities(first)
  const choice = lacksSealer ? (
    <EntryWithoutSealer isOptional={false} method={method} onCheck={check} />
  ) : identities.length < 2 ? null : (
    <Select
      label="Signing identity"
      value={name}
      onChange={choose}
      options={identities.map((one) => ({ id: one.name, title: `${visible(one.subject)} (${visible(one.name)})` }))}
    />
  )
  return signingAs(identities, name, choice)
}

/** A chosen identity. A key on another computer signs only what its signer confirms there. */
function signingAs(identities: readonly IdentityView[], name: string, choice: ReactNode): SigningIdentity {
  const used = identities.find((one) => one.name === name)
  if (used?.kind !== 'sealer') return { identity: name === UNSIGNED ? null : name, choice }
  return {
    identity: name,
    choice: (
      <>
        {choice}
        <p className="quiet">
          {visible(used.subject)} confirms each entry at the sealer within 10 minutes. Until then, nothing is recorded.
        </p>
      </>
    ),
  }
}

/**
 * The identity that signs an entry in a role: the first one, another, or none. Without a signature, names are typed
 * and not authenticated.
 */
export function useSignature(role: Role): SigningIdentity {
  const { identities, name, choose, check, lacksSealer } = useIdentities(null)
  const choice = lacksSealer ? (
    <EntryWithoutSealer isOptional onCheck={check} />
  ) : identities.length === 0 ? (
    <p className="quiet">
      Not digitally signed, as no signing identity is set up: names are typed, not authenticated.{' '}
      <Button kind="link" small onPress={() => go({ screen: 'settings', part: 'identity' })}>
        Set up signing identity
      </Button>
    </p>
  ) : (
    <Select
      label={`Signature of ${ROLES[role]}`}
      value={name}
      onChange={choose}
      options={[
        ...identities.map((one) => ({ id: one.name, title: `Signed as ${visible(one.subject)}` })),
        { id: UNSIGNED, title: 'Not signed' },
      ]}
    />
  )
  return signingAs(identities, name, choice)
}

interface EntrySigning {
  /** The choice, to be placed above the buttons of a dialog. */
  readonly choice: ReactNode
  /** Whether a signature was chosen. */
  readonly chosen: boolean
  /** Signs a recorded entry as chosen; null where that succeeded or no signature was chosen. */
  readonly sign: (id: string | undefined) => Promise<CallFailure | null>
  /** The same; a failure is reported above every screen, as the entry is recorded and can be signed later from the list. */
  readonly signRecorded: (id: string | undefined) => Promise<void>
}

/** A signature in one of the roles, made once the entry is recorded. The first role is the default. */
export function useEntrySigning(roles: readonly [Role, ...Role[]]): EntrySigning {
  const [chosen, setChosen] = useState<Role>(roles[0])
  const role = roles.includes(chosen) ? chosen : roles[0]
  const { identity, choice: which } = useSignature(role)
  const choice = (
    <>
      {which}
      {identity !== null && roles.length > 1 && (
        <RadioGroup
          label="Signed in the role of"
          inline
          value={role}
          onChange={setChosen}
          options={roles.map((id) => ({ id, title: ROLES[id] }))}
        />
      )}
    </>
  )
  const sign = async (id: string | undefined): Promise<CallFailure | null> => {
    if (identity === null || id === undefined) return null
    const signed = await call('register.sign', { id, role, identity })
    return signed.ok ? null : signed.error
  }
  const signRecorded = async (id: string | undefined): Promise<void> => {
    const problem = await sign(id)
    if (problem !== null) change({ problem })
  }
  return { choice, chosen: identity !== null, sign, signRecorded }
}

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
  readonly roles: readonly [Role, ...Role[]]
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
    recorded('Entry signed.')
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
