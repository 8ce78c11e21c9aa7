import { type ReactNode, useState } from 'react'
import { useAnswer } from '../bridge.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'

const UNSIGNED = ''

/** With which identity entries are signed: the first that is there, another, or none. Identity names are never empty. */
export function useSignChoice(label: string): { readonly identity: string | null; readonly choice: ReactNode } {
  const answer = useAnswer('identities.list', null)
  const [chosen, setChosen] = useState<string | null>(null)
  const identities = answer.state === 'here' ? answer.value : []
  const name = chosen ?? identities[0]?.name ?? UNSIGNED
  return {
    identity: name === UNSIGNED ? null : name,
    choice:
      identities.length === 0 ? (
        <p className="quiet">
          Not digitally signed, as no signing identity is set up: names are typed, not authenticated.{' '}
          <Button kind="link" small onPress={() => go({ screen: 'settings', part: 'identity' })}>
            Set up signing identity
          </Button>
        </p>
      ) : (
        <Select
          label={label}
          value={name}
          onChange={setChosen}
          options={[
            ...identities.map((one) => ({ id: one.name, title: `Signed as ${visible(one.subject)}` })),
            { id: UNSIGNED, title: 'Not signed' },
          ]}
        />
      ),
  }
}
