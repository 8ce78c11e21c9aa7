import { useState } from 'react'
import { useAction } from '../actions.ts'
import { changeExport, useExport } from '../export-store.ts'
import { signerName, signerProblem } from '../seal-model.ts'
import { announce } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/TextField.tsx'
import { FailureNote } from './Ask.tsx'

const FIRST = 'default'

/** Asks who seals before the first seal: nothing is sealed in a name that no person entered. */
export function FirstIdentity({ organization: declared }: { readonly organization: string | null }) {
  const { identitiesMade } = useExport()
  const [organization, setOrganization] = useState(declared ?? '')
  const [person, setPerson] = useState('')
  const create = useAction('identities.create')
  const problem = signerProblem({ organization, person })
  const make = async (): Promise<void> => {
    const made = await create.run({ name: FIRST, subject: signerName({ organization, person }) })
    if (made === null) return
    announce('Signing identity created.')
    changeExport({ identitiesMade: identitiesMade + 1 })
  }
  return (
    <section aria-labelledby="first-identity">
      <h3 id="first-identity">Create the signing identity</h3>
      <p>
        Auditors see this name with every seal. It cannot be changed later. The system stores the passphrase of the key
        where possible; otherwise a separate window asks you to choose one.
      </p>
      <TextField label="Organization" value={organization} onChange={setOrganization} maxLength={64} />
      <TextField
        label="Person or role"
        description="Named together with the organization, such as M. Ortiz."
        value={person}
        onChange={setPerson}
        maxLength={64}
      />
      {problem !== null && (
        <p id="why-no-signer" className="quiet">
          {problem}
        </p>
      )}
      <div className="actions">
        <Button
          kind="primary"
          busy={create.busy}
          isDisabled={problem !== null}
          {...(problem === null ? {} : { describedBy: 'why-no-signer' })}
          onPress={() => void make()}
        >
          Create signing identity
        </Button>
      </div>
      {create.error !== null && <FailureNote error={create.error} />}
    </section>
  )
}
