import { type ReactNode, useState } from 'react'
import { useAnswer } from '../bridge.ts'
import { visible } from '../text.ts'
import { Select } from '../ui/Select.tsx'

export interface SigningKeyChoice {
  /** Null: none is known here, and the engine says so. */
  readonly identity: string | null
  /** Nothing to see where there is only one. */
  readonly choice: ReactNode
}

/** The key that signs: the only one there is, or the one that a person chooses. */
export function useSigningKey(): SigningKeyChoice {
  const identities = useAnswer('identities.list', null)
  const [chosen, setChosen] = useState<string | null>(null)
  const able = identities.state === 'here' ? identities.value.filter(({ retired }) => !retired) : []
  const identity = chosen ?? able[0]?.name ?? null
  const choice =
    able.length < 2 ? null : (
      <Select
        label="Signing key"
        value={identity}
        onChange={setChosen}
        options={able.map(({ name, subject }) => ({ id: name, title: `${visible(subject)} (${visible(name)})` }))}
      />
    )
  return { identity, choice }
}
