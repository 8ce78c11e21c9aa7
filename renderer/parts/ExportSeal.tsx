import { IconLock } from '@tabler/icons-react'
import { useState } from 'react'
import { useSeconds } from '../models/measure.ts'
import {
  identityOf,
  lossByNode,
  type SealChoices,
  type SealPlan,
  signerName,
  signerProblem,
} from '../models/seal-model.ts'
import { may, signedIn } from '../models/team.ts'
import { plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { changeExport, discardDraft, useExport } from '../state/export-store.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { TextField } from '../ui/Field.tsx'
import { Notice, Progress } from '../ui/Notice.tsx'
import { FailureNote } from './Ask.tsx'
import { Fingerprint } from './Copy.tsx'
import { IdentityCard } from './Identities.tsx'
import { NoSealer } from './NoSealer.tsx'

interface SealProps {
  readonly plan: SealPlan
  readonly choices: SealChoices
  readonly onChange: (part: Partial<SealChoices>) => void
}

/** Signing identity, protection of its key, and source of the time. */
export function ExportSeal({
  plan,
  choices,
  onChange,
  problem,
  onSeal,
}: SealProps & {
  /** Why nothing can be sealed, or null. */
  readonly problem: string | null
  readonly onSeal: () => void
}) {
  const { sealing, draft, error } = useExport()
  return (
    <section aria-labelledby="seal" className="wizard-step">
      <h2 id="seal">Seal</h2>
      <p>The seal is a signature over every file of the pack. Recipients can detect any later change.</p>
      {plan.demo ? (
        <Notice
          title="Demo data is sealed with a demo key"
          means="The demo key can never be trusted, so a demo pack cannot pass as a real one."
        />
      ) : (
        <WhichKey plan={plan} choices={choices} onChange={onChange} />
      )}
      <WhichClock plan={plan} choices={choices} onChange={onChange} />
      {error !== null && <FailureNote error={error} />}
      {problem !== null && (
        <p id="why-no-seal" className="quiet">
          {problem}
        </p>
      )}
      {sealing ? (
        <Sealing
          timestamp={choices.timestamp && plan.authority !== null}
          copy={choices.copy}
          isElsewhere={!plan.demo && identityOf(choices, plan)?.kind === 'sealer'}
        />
      ) : (
        <div className="actions">
          <Button
            kind="primary"
            icon={IconLock}
            isDisabled={problem !== null}
            {...(problem === null ? {} : { describedBy: 'why-no-seal' })}
            onPress={onSeal}
          >
            {draft === null ? 'Seal pack' : 'Seal pack again'}
          </Button>
        </div>
      )}
      {!sealing && draft !== null && draft.from === choices && !draft.lossAccepted && <Loss />}
    </section>
  )
}

function WhichKey({ plan, choices, onChange }: SealProps) {
  const { identitiesMade } = useExport()
  const used = identityOf(choices, plan)
  if (used === null)
    return may('identities.create') ? (
      <FirstIdentity organization={plan.organization} />
    ) : (
      <NoSealer onCheck={() => changeExport({ identitiesMade: identitiesMade + 1 })} />
    )
  return (
    <>
      <RadioGroup
        label="Signing identity"
        description={
          may('identities.create')
            ? 'To create another one, open Settings, Signing identities.'
            : 'The signer confirms the export at their own computer.'
        }
        value={used.name}
        onChange={(identity) => onChange({ identity })}
        options={plan.identities.map(({ name, subject, keptHow }) => ({
          id: name,
          title: `${visible(subject)} (${visible(name)})`,
          note: `Secret storage: ${visible(keptHow)}.`,
        }))}
      />
      <div className="key-line">
        <span className="quiet">Fingerprint (SHA-256) for the auditor to compare</span>
        <Fingerprint of={used.fingerprint} />
      </div>
      <IdentityCard key={used.name} identity={used} level={3} startsOpen={identitiesMade > 0} />
    </>
  )
}

const OWN = 'own'
const OUTSIDE = 'outside'

function WhichClock({ plan, choices, onChange }: SealProps) {
  return (
    <RadioGroup
      label="Time"
      value={choices.timestamp && plan.authority !== null ? OUTSIDE : OWN}
      onChange={(id) => onChange({ timestamp: id === OUTSIDE })}
      options={[
        { id: OUTSIDE, title: 'Time-stamp authority', isDisabled: plan.authority === null, note: clockNote(plan) },
        {
          id: OWN,
          title: signedIn() === null ? 'Clock of this computer only' : 'Clock of the server only',
          note: 'Works offline. No independent time-stamp; the pack states this.',
        },
      ]}
    />
  )
}

const clockNote = ({ authority }: SealPlan): string =>
  authority === null
    ? 'Not set. Enter one under Settings, Time-stamping.'
    : `${visible(authority)} receives a digest of the seal, and nothing else. If it cannot be reached, the pack is sealed without a time-stamp; you are notified before you save.`

/**
 * Sealing takes a while, and the engine does not report which step is active. All steps are listed with the elapsed
 * time.
 */
function Sealing({
  timestamp,
  copy,
  isElsewhere,
}: {
  readonly timestamp: boolean
  readonly copy: boolean
  /** The signer confirms at another computer. */
  readonly isElsewhere: boolean
}) {
  const seconds = useSeconds()
  const parts = [
    'writing the report',
    ...(isElsewhere ? ['waiting for the signer to confirm'] : []),
    'packing the evidence',
    'sealing',
    ...(timestamp ? ['requesting a time-stamp'] : []),
    ...(copy ? ['creating the redacted copy'] : []),
  ]
  return (
    <div className="sealing">
      <Progress label={`Sealing: ${parts.join(', ')}`} value={null} words={plural(seconds, 'second')} />
    </div>
  )
}

/** Confirmed once after sealing: some verdicts cannot be reproduced from a redacted copy. */
function Loss() {
  const { draft } = useExport()
  if (draft === null) return null
  const lost = draft.made.notDerivable
  return (
    <>
      <Notice
        kind="warning"
        interrupts
        title={`${plural(lost.length, 'verdict')} cannot be reproduced from the redacted copy`}
        means="Its recipient must rely on your statement of them. All verdicts can be reproduced from the complete pack."
        actions={
          <>
            <Button onPress={() => changeExport({ draft: { ...draft, lossAccepted: true }, step: 'review' })}>
              Keep redacted copy
            </Button>
            <Button onPress={() => void discardDraft().then(() => changeExport({ step: 'redact' }))}>Go back</Button>
          </>
        }
      />
      <div className="ledger-list">
        {lossByNode(lost).map(({ node, checks }) => (
          <Disclosure key={node} title={visible(node)} aside={plural(checks.length, 'verdict')}>
            <ul className="plain-list">
              {checks.map(({ check, why }) => (
                <li key={check}>
                  <span className="mono">{visible(check)}</span>
                  <span className="note">{visible(why)}</span>
                </li>
              ))}
            </ul>
          </Disclosure>
        ))}
      </div>
    </>
  )
}

const FIRST = 'default'

/** Asks who seals before the first seal, so that nothing is sealed in a name that no person entered. */
function FirstIdentity({ organization: declared }: { readonly organization: string | null }) {
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
