import { type ReactNode, useState } from 'react'
import { useAnswer } from '../bridge.ts'
import { visible } from '../text.ts'
import { Select } from '../ui/Select.tsx'

export interface SigningKeyChoice {
  /** Null: no identity; the engine reports this. */
  readonly identity: string | null
  /** Empty where there is only one. */
  readonly choice: ReactNode
}

/** The signing identity: the only one, or the selected one. */
export function useSigningKey(first: string | null = null): SigningKeyChoice {
  const identities = useAnswer('identities.list', null)
  const [chosen, setChosen] = useState<string | null>(first)
  const able = identities.state === 'here' ? identities.value : []
  const identity = chosen ?? able[0]?.name ?? null
  const choice =
    able.length < 2 ? null : (
      <Select
        label="Signing identity"
        value={identity}
        onChange={setChosen}
        options={able.map(({ name, subject }) => ({ id: name, title: `${visible(subject)} (${visible(name)})` }))}
      />
    )
  return { identity, choice }
}
