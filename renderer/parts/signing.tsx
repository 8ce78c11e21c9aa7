import { type ReactNode, useState } from 'react'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import type { EntrySignature } from '../../schemas/types.ts'
import { call, useAnswer } from '../bridge.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { Select } from '../ui/Select.tsx'

type Role = EntrySignature['role']

const UNSIGNED = ''
const ROLES: Readonly<Record<Role, string>> = {
  requester: 'the requester',
  approver: 'the approver',
  respondent: 'the person who states it',
}

export interface SigningIdentity {
  /** Null: no signature, or no identity to make one with. */
  readonly identity: string | null
  readonly choice: ReactNode
}

/** The identities of this computer and the chosen one: `first`, otherwise the first of the list. Names are never empty. */
function useIdentities(first: string | null) {
  const answer = useAnswer('identities.list', null)
  const [chosen, choose] = useState<string | null>(first)
  const identities = answer.state === 'here' ? answer.value : []
  return { identities, name: chosen ?? identities[0]?.name ?? UNSIGNED, choose }
}

/** The identity of a signature that is always made. There is nothing to choose where there is only one; the engine reports that there is none. */
export function useSigningKey(first: string | null = null): SigningIdentity {
  const { identities, name, choose } = useIdentities(first)
  const choice =
    identities.length < 2 ? null : (
      <Select
        label="Signing identity"
        value={name}
        onChange={choose}
        options={identities.map((one) => ({ id: one.name, title: `${visible(one.subject)} (${visible(one.name)})` }))}
      />
    )
  return { identity: name === UNSIGNED ? null : name, choice }
}

/** The identity that signs an entry in a role: the first that is there, another, or none. Names alone are typed, not authenticated. */
export function useSignature(role: Role): SigningIdentity {
  const { identities, name, choose } = useIdentities(null)
  const choice =
    identities.length === 0 ? (
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
  return { identity: name === UNSIGNED ? null : name, choice }
}

export interface EntrySigning {
  /** The choice, to be placed above the buttons of a dialog. */
  readonly choice: ReactNode
  /** Whether a signature was chosen. */
  readonly chosen: boolean
  /** Signs a recorded entry as chosen; null where that succeeded or no signature was chosen. */
  readonly sign: (id: string | undefined) => Promise<CallFailure | null>
}

/** A signature in one of the roles, made once the entry is recorded. The first role is chosen first. */
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
  return { choice, chosen: identity !== null, sign }
}
