import { IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { Method } from '../../schemas/ipc.ts'
import type { IdentityView, TrustAnchor } from '../../schemas/ipc-packs.ts'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import type { EntrySignature } from '../../schemas/types.ts'
import { useAction } from '../actions.ts'
import { call, useAnswer } from '../bridge.ts'
import { announce, go } from '../store.ts'
import { signedIn } from '../team.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextArea } from '../ui/Field.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Select } from '../ui/Select.tsx'
import { Ask } from './Ask.tsx'
import { Fingerprint } from './Copy.tsx'
import { FormDialog } from './FormDialog.tsx'
import { EntryWithoutSealer } from './NoSealer.tsx'

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

type Role = EntrySignature['role']

const UNSIGNED = ''
const ROLES: Readonly<Record<Role, string>> = {
  requester: 'the requester',
  approver: 'the approver',
  respondent: 'the person who states it',
}

interface SigningIdentity {
  /** Null for no signature, or if there is no identity. */
  readonly identity: string | null
  readonly choice: ReactNode
}

/** The identities of this computer and the chosen one: `first`, otherwise the first of the list. Names are never empty. */
function useIdentities(first: string | null) {
  const [checks, setChecks] = useState(0)
  const answer = useAnswer('identities.list', null, checks)
  const [chosen, choose] = useState<string | null>(first)
  const identities = answer.state === 'here' ? answer.value : []
  return {
    identities,
    name: chosen ?? identities[0]?.name ?? UNSIGNED,
    choose,
    check: () => setChecks(checks + 1),
    /** True on a team server without connected sealers, whose identities it would list. */
    lacksSealer: answer.state === 'here' && identities.length === 0 && signedIn() !== null,
  }
}

/**
 * The identity of a signature that is always made. There is no choice between fewer than two; the engine reports if
 * there is none.
 */
export function useSigningKey(first: string | null = null, method: Method = 'register.sign'): SigningIdentity {
  const { identities, name, choose, check, lacksSealer } = useIdentities(first)
  const choice = lacksSealer ? (
    <EntryWithoutSealer isOptional={false} method={method} onCheck={check} />
  ) : identities.length < 2 ? null : (
    <Select
      label="Signing identity"
      value={name}
      onChange={choose}
      options={identities.map((one) => ({ id: one.name, title: `${visible(one.subject)} (${visible(one.name)})` }))}
    />
  )
  return signingAs(identities, name, choice)
}

/** A chosen identity. A key on another computer signs only what its signer confirms there. */
function signingAs(identities: readonly IdentityView[], name: string, choice: ReactNode): SigningIdentity {
  const used = identities.find((one) => one.name === name)
  if (used?.kind !== 'sealer') return { identity: name === UNSIGNED ? null : name, choice }
  return {
    identity: name,
    choice: (
      <>
        {choice}
        <p className="quiet">
          {visible(used.subject)} confirms each entry at the sealer within 10 minutes. Until then, nothing is recorded.
        </p>
      </>
    ),
  }
}

/**
 * The identity that signs an entry in a role: the first one, another, or none. Without a signature, names are typed
 * and not authenticated.
 */
export function useSignature(role: Role): SigningIdentity {
  const { identities, name, choose, check, lacksSealer } = useIdentities(null)
  const choice = lacksSealer ? (
    <EntryWithoutSealer isOptional onCheck={check} />
  ) : identities.length === 0 ? (
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
  return signingAs(identities, name, choice)
}

interface EntrySigning {
  /** The choice, to be placed above the buttons of a dialog. */
  readonly choice: ReactNode
  /** Whether a signature was chosen. */
  readonly chosen: boolean
  /** Signs a recorded entry as chosen; null where that succeeded or no signature was chosen. */
  readonly sign: (id: string | undefined) => Promise<CallFailure | null>
}

/** A signature in one of the roles, made once the entry is recorded. The first role is the default. */
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
