import { IconDeviceFloppy, IconPlus, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { IdentityView } from '../../schemas/ipc-packs.ts'
import { may } from '../models/team.ts'
import { firstUp, visible, when } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextArea, TextField } from '../ui/Field.tsx'
import { Menu } from '../ui/Menu.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Ask, FailureNote } from './Ask.tsx'
import { Copy, Fingerprint } from './Copy.tsx'
import { FormDialog } from './FormDialog.tsx'

/** Signing identities, and where the private key and passphrase of each are stored. */
export function Identities() {
  const [version, setVersion] = useState(0)
  const list = useAnswer('identities.list', null, version)
  const restore = useAction('identities.restore')
  const [creating, setCreating] = useState(false)
  const changed = (words: string): void => {
    setVersion((count) => count + 1)
    announce(words)
  }
  return (
    <section aria-labelledby="identities" className="settings-part">
      <div className="section-head">
        <h2 id="identities">Signing identities</h2>
        <div className="actions">
          <Button
            kind={list.state === 'here' && list.value.length === 0 ? 'primary' : 'secondary'}
            icon={IconPlus}
            onPress={() => setCreating(true)}
          >
            Create signing identity
          </Button>
          <Button
            icon={IconUpload}
            busy={restore.busy}
            onPress={() =>
              void restore.run(null).then((done) => {
                if (done !== null) changed('Identity restored.')
              })
            }
          >
            Restore signing identity
          </Button>
        </div>
      </div>
      <p className="prose">
        A signing identity seals your packs. Only you have its private key, and it cannot be recovered. Back it up, and
        give its fingerprint to your auditors.
      </p>
      {restore.error !== null && <FailureNote error={restore.error} />}
      <Ask answer={list}>
        {(keys) =>
          keys.length === 0 ? (
            <EmptyState title="No signing identity on this computer">
              Sealing needs one. Create it here or before the first export, or restore one from a backup.
            </EmptyState>
          ) : (
            <ul className="entries">
              {keys.map((key) => (
                <Identity key={key.name} identity={key} onChanged={changed} />
              ))}
            </ul>
          )
        }
      </Ask>
      {creating && <Create onClose={() => setCreating(false)} onDone={() => changed('Signing identity created.')} />}
    </section>
  )
}

const KINDS: Readonly<Record<IdentityView['kind'], string>> = {
  local: 'Encrypted file in your account.',
  imported: 'Imported, encrypted file in your account.',
  token: 'On a security token, not exportable.',
  sealer: 'At the computer of its signer.',
}

function Identity({
  identity,
  onChanged,
}: {
  readonly identity: IdentityView
  readonly onChanged: (words: string) => void
}) {
  const { name, kind, subject, fingerprint, notAfter, keptHow, retired } = identity
  const [rotating, setRotating] = useState(false)
  const { error, run } = useAction('identities.backup')
  const backup = async (): Promise<void> => {
    const saved = await run({ name })
    if (saved !== null) announce(`Backup saved as ${visible(saved.file)}.`)
  }
  return (
    <li className="entry">
      <div className="section-head">
        <h3>
          {visible(subject)} <span className="quiet">({visible(name)})</span>
        </h3>
        <Menu
          title="Actions"
          label={`Actions for ${visible(name)}`}
          small
          entries={[
            { id: 'backup', title: 'Back up identity', onAction: () => void backup() },
            { id: 'rotate', title: 'Replace key…', isDisabled: kind !== 'local', onAction: () => setRotating(true) },
          ]}
        />
      </div>
      <dl className="seal-facts">
        <Fact term="Fingerprint (SHA-256)">
          <Fingerprint of={fingerprint} what={`the fingerprint of ${visible(name)}`} />
        </Fact>
        <Fact term="Valid until" className="number">
          {when(notAfter)}
        </Fact>
        <Fact term="Private key">{KINDS[kind]}</Fact>
        <Fact term="Secret storage">{firstUp(visible(keptHow))}.</Fact>
      </dl>
      <IdentityCard identity={identity} level={4} />
      {retired.length > 0 && (
        <Disclosure title="Earlier keys" aside={retired.length} level={4}>
          <p>Packs sealed with them still verify. They are not used for new seals.</p>
          <ul className="plain-list">
            {retired.map((old) => (
              <li key={old.fingerprint}>
                <Fingerprint of={old.fingerprint} what="the fingerprint of the earlier key" />
                <span className="note">Valid until {when(old.notAfter)}</span>
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
      {error !== null && <FailureNote error={error} />}
      {rotating && (
        <Rotate name={name} onClose={() => setRotating(false)} onDone={() => onChanged(`Key of ${name} replaced.`)} />
      )}
    </li>
  )
}

const NAME = /^[a-z0-9][a-z0-9-]{0,40}$/

function Create({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [name, setName] = useState('')
  const [subject, setSubject] = useState('')
  const create = useAction('identities.create')
  const may = NAME.test(name) && subject.trim() !== ''
  const run = async (): Promise<void> => {
    const done = await create.run({ name, subject: subject.trim() })
    if (done === null) return
    onDone()
    onClose()
  }
  return (
    <FormDialog
      title="Create signing identity"
      verb="Create signing identity"
      isDisabled={!may}
      action={create}
      onSubmit={run}
      onClose={onClose}
    >
      <TextField
        label="Signer name"
        description="Your organization, as shown to auditors. It cannot be changed later."
        maxLength={64}
        value={subject}
        onChange={setSubject}
      />
      <TextField
        label="Short name"
        description="For your own use: lower-case letters, digits and hyphens."
        mono
        maxLength={41}
        value={name}
        onChange={setName}
        error={
          name !== '' && !NAME.test(name)
            ? 'Use lower-case letters, digits and hyphens; begin with a letter or digit.'
            : undefined
        }
      />
      <p className="quiet">
        The system stores the passphrase where possible. Otherwise a separate window asks you for one.
      </p>
    </FormDialog>
  )
}

function Rotate({
  name,
  onClose,
  onDone,
}: {
  readonly name: string
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const [why, setWhy] = useState('')
  const rotate = useAction('identities.rotate')
  const run = async (): Promise<void> => {
    const done = await rotate.run({ name, why: why.trim() })
    if (done === null) return
    onDone()
    onClose()
  }
  return (
    <FormDialog
      title="Replace key"
      verb="Replace key"
      isDisabled={why.trim().length < 3}
      action={rotate}
      onSubmit={run}
      onClose={onClose}
    >
      <p>
        A new key replaces the key of “{visible(name)}”. Existing packs still verify with the old key. Give your
        auditors the new fingerprint.
      </p>
      <TextArea
        label="Reason"
        description="Stored with the key."
        rows={2}
        maxLength={500}
        value={why}
        onChange={setWhy}
      />
    </FormDialog>
  )
}

/** The card that auditors receive to confirm the signer, and the backup of the identity. */
export function IdentityCard({
  identity: { name, card },
  startsOpen = false,
  level,
}: {
  readonly identity: Pick<IdentityView, 'name' | 'card'>
  readonly startsOpen?: boolean
  readonly level: 3 | 4
}) {
  const save = useAction('identities.save-card')
  const backup = useAction('identities.backup')
  // On a team server, the private key is on another computer.
  const hasKey = may('identities.backup')
  const run = async (action: typeof save | typeof backup, what: string): Promise<void> => {
    const saved = await action.run({ name })
    if (saved !== null) announce(`${what} saved as ${visible(saved.file)}.`)
  }
  return (
    <Disclosure
      title={hasKey ? 'Fingerprint card and backup' : 'Fingerprint card'}
      startsOpen={startsOpen}
      level={level}
    >
      <p>
        Give the card to your auditors over another channel than the packs.
        {hasKey && ' The backup contains the private key; keep it offline. A lost identity cannot be recovered.'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lines wider than the window are scrolled with the arrow keys */}
      <section className="unit-text" tabIndex={0} aria-label={`Fingerprint card of ${visible(name)}`}>
        <pre className="mono">{visible(card)}</pre>
      </section>
      <div className="actions">
        <Copy text={card} what={`the fingerprint card of ${visible(name)}`} />
        {hasKey && (
          <>
            <Button small icon={IconDeviceFloppy} busy={save.busy} onPress={() => void run(save, 'Card')}>
              Save card
            </Button>
            <Button small icon={IconDeviceFloppy} busy={backup.busy} onPress={() => void run(backup, 'Backup')}>
              Back up identity
            </Button>
          </>
        )}
      </div>
      {save.error !== null && <FailureNote error={save.error} />}
      {backup.error !== null && <FailureNote error={backup.error} />}
    </Disclosure>
  )
}
