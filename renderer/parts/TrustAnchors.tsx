import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { TrustAnchor } from '../../schemas/ipc-packs.ts'
import { visible, when } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextArea } from '../ui/Field.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Ask } from './Ask.tsx'
import { Fingerprint } from './Copy.tsx'
import { FormDialog } from './FormDialog.tsx'

type Use = TrustAnchor['for']

const USES: Readonly<Record<Use, { readonly title: string; readonly about: string; readonly empty: string }>> = {
  signers: {
    title: 'Signers',
    about: 'Keys or root certificates whose seals you accept as those of the named owner.',
    empty: 'Every signer is unconfirmed until you compare a fingerprint or add a certificate.',
  },
  authorities: {
    title: 'Time-stamp authorities',
    about: 'Authorities whose time-stamps you accept. Without one, the time check is indeterminate for every pack.',
    empty: 'Add the root certificate that the authority publishes.',
  },
}

/** Trusted signers and authorities, with date and verification method. No signers are trusted by default. */
export function TrustAnchors() {
  const [version, setVersion] = useState(0)
  const list = useAnswer('trust.list', null, version)
  const changed = (words: string): void => {
    setVersion((count) => count + 1)
    announce(words)
  }
  return (
    <section aria-labelledby="trust" className="settings-part">
      <h2 id="trust">Trusted signers</h2>
      <p className="prose">No signers are trusted by default. Your decisions apply to this computer only.</p>
      <Ask answer={list}>
        {(anchors) => (
          <>
            <Anchors use="signers" anchors={anchors} onChanged={changed} />
            <Anchors use="authorities" anchors={anchors} onChanged={changed} />
          </>
        )}
      </Ask>
    </section>
  )
}

function Anchors({
  use,
  anchors,
  onChanged,
}: {
  readonly use: Use
  readonly anchors: readonly TrustAnchor[]
  readonly onChanged: (words: string) => void
}) {
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<TrustAnchor | null>(null)
  const { title, about, empty } = USES[use]
  const own = anchors.filter((anchor) => anchor.for === use)
  return (
    <section aria-labelledby={`trust-${use}`}>
      <div className="section-head">
        <h3 id={`trust-${use}`}>{title}</h3>
        <Button icon={IconPlus} label={`Add certificate for ${title.toLowerCase()}`} onPress={() => setAdding(true)}>
          Add certificate
        </Button>
      </div>
      <p className="quiet">{about}</p>
      {own.length === 0 ? (
        <EmptyState title="None">{empty}</EmptyState>
      ) : (
        <ul className="entries">
          {own.map((anchor) => (
            <li key={anchor.fingerprint} className="entry">
              <div className="section-head">
                <h4>{visible(anchor.subject)}</h4>
                <Button small label={`Remove ${visible(anchor.subject)}`} onPress={() => setRemoving(anchor)}>
                  Remove…
                </Button>
              </div>
              <dl className="seal-facts">
                <Fact term="Fingerprint (SHA-256)">
                  <Fingerprint of={anchor.fingerprint} what={`the fingerprint of ${visible(anchor.subject)}`} />
                </Fact>
                <Fact term="Trusted since" className="number">
                  {when(anchor.since)}
                </Fact>
                <Fact term="Verification method" className="source">
                  {visible(anchor.howVerified)}
                </Fact>
              </dl>
            </li>
          ))}
        </ul>
      )}
      {adding && <Add use={use} onClose={() => setAdding(false)} onChanged={onChanged} />}
      {removing !== null && <Remove anchor={removing} onClose={() => setRemoving(null)} onChanged={onChanged} />}
    </section>
  )
}

function Add({
  use,
  onClose,
  onChanged,
}: {
  readonly use: Use
  readonly onClose: () => void
  readonly onChanged: (words: string) => void
}) {
  const [how, setHow] = useState('')
  const add = useAction('trust.add-choose')
  const run = async (): Promise<void> => {
    const anchors = await add.run({ for: use, howVerified: how.trim() })
    if (anchors === null) return
    onChanged('Certificate added.')
    onClose()
  }
  return (
    <FormDialog
      title={`Add certificate for ${USES[use].title.toLowerCase()}`}
      verb="Choose file"
      isDisabled={how.trim().length < 3}
      action={add}
      onSubmit={run}
      onClose={onClose}
    >
      <p>
        Choose a certificate (.pem, .crt or .der) whose fingerprint you compared with one from another channel. A file
        that contains a private key is rejected.
      </p>
      <TextArea
        label="Verification method"
        description="Enter who confirmed it, how, and when. Stored with your decision."
        rows={2}
        maxLength={500}
        value={how}
        onChange={setHow}
      />
    </FormDialog>
  )
}

function Remove({
  anchor,
  onClose,
  onChanged,
}: {
  readonly anchor: TrustAnchor
  readonly onClose: () => void
  readonly onChanged: (words: string) => void
}) {
  const remove = useAction('trust.remove')
  const run = async (): Promise<void> => {
    const left = await remove.run({ fingerprint: anchor.fingerprint })
    if (left === null) return
    onChanged('Certificate removed.')
    onClose()
  }
  return (
    <FormDialog
      title="Remove certificate"
      alert
      size="small"
      verb="Remove certificate"
      kind="danger"
      action={remove}
      onSubmit={run}
      onClose={onClose}
    >
      <p>Packs signed under “{visible(anchor.subject)}” will show an unconfirmed signer. No pack is changed.</p>
    </FormDialog>
  )
}
