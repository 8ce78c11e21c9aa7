import { IconLock } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import type { ExportPlan } from '../../schemas/ipc-packs.ts'
import { changeExport, discardDraft, sealDraft, useExport } from '../export-store.ts'
import { identityOf, lossByNode, type StepProps } from '../seal-model.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Progress } from '../ui/Progress.tsx'
import { FailureNote } from './Failure.tsx'
import { Fingerprint } from './Fingerprint.tsx'

/** Whose key seals, what protects that key, and whose clock says when. */
export function ExportSeal({ plan, choices, onChange }: StepProps) {
  const { sealing, draft, error } = useExport()
  return (
    <section aria-labelledby="seal" className="wizard-step">
      <h2 id="seal">Seal</h2>
      <p>A seal ties every byte of the pack to one key. Whoever opens the pack can see that nothing changed since.</p>
      {plan.demo ? (
        <Notice
          title="Demo data is sealed by a demonstration key"
          means="No trust store accepts that key. A demo pack cannot be taken for a real one."
        />
      ) : (
        <WhichKey plan={plan} choices={choices} onChange={onChange} />
      )}
      <WhichClock plan={plan} choices={choices} onChange={onChange} />
      {error !== null && <FailureNote error={error} />}
      {sealing ? (
        <Sealing timestamp={choices.timestamp && plan.authority !== null} copy={choices.copy} />
      ) : (
        <div className="actions">
          <Button kind="primary" icon={IconLock} onPress={() => void sealDraft(plan)}>
            {draft === null ? 'Seal pack' : 'Seal pack again'}
          </Button>
        </div>
      )}
      {!sealing && draft !== null && draft.from === choices && !draft.lossAccepted && <Loss />}
    </section>
  )
}

function WhichKey({ plan, choices, onChange }: StepProps) {
  const used = identityOf(choices, plan)
  if (used === null)
    return (
      <Notice
        title="A new signing key for this computer is made"
        means="The system keeps its passphrase where it can; otherwise a small window of its own asks you to choose one."
        next="Back the key up afterwards, under Settings, Identity. Nobody can recover it."
      />
    )
  return (
    <>
      <RadioGroup
        label="Signing key"
        description="Another one can be made under Settings, Identity."
        value={used.name}
        onChange={(identity) => onChange({ identity })}
        options={plan.identities.map(({ name, subject, keptHow }) => ({
          id: name,
          title: `${visible(subject)} (${visible(name)})`,
          note: `Its secret is kept ${visible(keptHow)}.`,
        }))}
      />
      <div className="key-line">
        <span className="quiet">Fingerprint (SHA-256) that an auditor will compare</span>
        <Fingerprint of={used.fingerprint} />
      </div>
    </>
  )
}

const OWN = 'own'
const OUTSIDE = 'outside'

function WhichClock({ plan, choices, onChange }: StepProps) {
  return (
    <RadioGroup
      label="Time"
      value={choices.timestamp && plan.authority !== null ? OUTSIDE : OWN}
      onChange={(id) => onChange({ timestamp: id === OUTSIDE })}
      options={[
        {
          id: OUTSIDE,
          title: 'Time-stamp authority',
          isDisabled: plan.authority === null,
          note: clockNote(plan),
        },
        {
          id: OWN,
          title: 'Time from this computer only',
          note: 'Works offline. Nobody else then says by when the pack existed, and the pack says so.',
        },
      ]}
    />
  )
}

const clockNote = ({ authority }: ExportPlan): string =>
  authority === null
    ? 'None is set. Name one under Settings, Time-stamping.'
    : `${visible(authority)} gets a digest of the seal, and nothing else. Without a network the pack is sealed all the same, without an outside time; you are told before you save.`

/** Sealing takes longer than a moment. We do not hear which part is under way, so all are named, with the time that went by. */
function Sealing({ timestamp, copy }: { readonly timestamp: boolean; readonly copy: boolean }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((count) => count + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  const parts = [
    'writing the report',
    'packing the evidence',
    'sealing',
    ...(timestamp ? ['asking the time-stamp authority'] : []),
    ...(copy ? ['making the copy'] : []),
  ]
  return (
    <div className="sealing">
      <Progress label={`Sealing: ${parts.join(', ')}`} value={null} words={plural(seconds, 'second')} />
    </div>
  )
}

/** Asked once after sealing: a copy that withholds makes some verdicts rest on trust alone. */
function Loss() {
  const { draft } = useExport()
  if (draft === null) return null
  const lost = draft.made.notDerivable
  return (
    <>
      <Notice
        kind="warning"
        interrupts
        title={`From the copy, ${plural(lost.length, 'verdict')} cannot be derived again`}
        means="Its reader has to take them from you. The sealed pack keeps everything, and all its verdicts can be derived again."
        actions={
          <>
            <Button onPress={() => changeExport({ draft: { ...draft, lossAccepted: true }, step: 'review' })}>
              Keep copy
            </Button>
            <Button onPress={() => void discardDraft().then(() => changeExport({ step: 'withhold' }))}>Go back</Button>
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
