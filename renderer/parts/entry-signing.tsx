import { type ReactNode, useState } from 'react'
import type { CallFailure } from '../../schemas/ipc.ts'
import type { EntrySignature } from '../../schemas/types.ts'
import { call, useAnswer } from '../bridge.ts'
import { visible } from '../text.ts'
import { RadioGroup } from '../ui/Choice.tsx'
import { useSigningKey } from './use-signing-key.tsx'

type Role = EntrySignature['role']

const TITLES: Readonly<Record<Role, string>> = {
  requester: 'Sign as requester',
  approver: 'Sign as approver',
  respondent: 'Sign as the person who states it',
}

export interface EntrySigning {
  /** The choice, to be placed above the buttons of a dialog. */
  readonly choice: ReactNode
  /** Whether a signature was chosen. */
  readonly chosen: boolean
  /** Signs a recorded entry as chosen; null where that succeeded or no signature was chosen. */
  readonly sign: (id: string | undefined) => Promise<CallFailure | null>
}

/** Whether an entry is signed with the identity of this computer, in one of these roles. Names alone are typed, not authenticated. */
export function useEntrySigning(roles: readonly Role[]): EntrySigning {
  const identities = useAnswer('identities.list', null)
  const { identity, choice: which } = useSigningKey()
  const [chosen, setChosen] = useState<Role | 'none'>('none')
  const role = chosen !== 'none' && roles.includes(chosen) ? chosen : 'none'
  const able = identities.state === 'here' ? identities.value : []
  const subject = able.find(({ name }) => name === identity)?.subject ?? ''
  const choice =
    able.length === 0 ? (
      <p className="quiet">
        This entry will not be digitally signed: there is no signing identity. Create one under Settings. Names are
        typed, not authenticated.
      </p>
    ) : (
      <>
        <RadioGroup
          label="Digital signature"
          value={role}
          onChange={setChosen}
          options={[
            { id: 'none', title: 'Not signed', note: 'Names are typed, not authenticated. Reports state this.' },
            ...roles.map((id) => ({ id, title: TITLES[id], note: `With the identity of ${visible(subject)}.` })),
          ]}
        />
        {role !== 'none' && which}
      </>
    )
  const sign = async (id: string | undefined): Promise<CallFailure | null> => {
    if (role === 'none' || id === undefined) return null
    const signed = await call('register.sign', { id, role, identity })
    return signed.ok ? null : signed.error
  }
  return { choice, chosen: role !== 'none', sign }
}
