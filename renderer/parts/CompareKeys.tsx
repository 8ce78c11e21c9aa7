import { useState } from 'react'
import type { PackReview } from '../../schemas/ipc-packs.ts'
import type { HostKeyRow } from '../../schemas/ipc-views.ts'
import { compareFingerprint } from '../models/seal-model.ts'
import { plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { FailureNote } from './Ask.tsx'
import { Fingerprint } from './Copy.tsx'
import { FormDialog } from './FormDialog.tsx'
import { MarkedLine } from './Mark.tsx'
import { textColumn, type WholeColumn, WholeTable } from './WholeTable.tsx'

/** Compares a list from another source with the presented keys, and records only the keys that match. */
export function CompareKeys({
  onRows,
  onClose,
}: {
  readonly onRows: (rows: readonly HostKeyRow[]) => void
  readonly onClose: () => void
}) {
  const [text, setText] = useState('')
  const [how, setHow] = useState('')
  const [found, setFound] = useState<readonly HostKeyRow[] | null>(null)
  const match = useAction('hostkeys.match-text')
  const confirm = useAction('hostkeys.confirm-matched')
  const compare = async (): Promise<void> => {
    const rows = await match.run({ text })
    if (rows === null) return
    onRows(rows)
    const matched = rows.filter(isMatched)
    setFound(matched)
    announce(`${plural(matched.length, 'key')} matched.`)
  }
  const record = async (): Promise<void> => {
    const rows = await confirm.run({ howVerified: how.trim() })
    if (rows === null) return
    onRows(rows)
    announce(`${plural(found?.length ?? 0, 'key')} confirmed.`)
    onClose()
  }
  const error = match.error ?? confirm.error
  return (
    <Dialog
      size="large"
      title="Compare with list"
      onClose={onClose}
      actions={
        <>
          {found !== null && found.length > 0 && (
            <Button kind="primary" busy={confirm.busy} isDisabled={how.trim().length < 3} onPress={() => void record()}>
              Confirm {plural(found.length, 'key')}
            </Button>
          )}
          <Button busy={match.busy} isDisabled={text.trim() === ''} onPress={() => void compare()}>
            Compare list
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Close
          </Button>
        </>
      }
    >
      <TextArea
        label="Fingerprints or known_hosts lines"
        mono
        rows={7}
        value={text}
        onChange={(value) => {
          setText(value)
          setFound(null)
        }}
        placeholder={'SHA256:… db-1\ndb-2 ssh-ed25519 AAAA…'}
        description="From your provider’s console or your own records, not over the network path that you are verifying."
      />
      {found !== null && found.length === 0 && (
        <Notice
          kind="warning"
          title="No unconfirmed key is in this list."
          means="Nothing was confirmed. Keys already on record and changed keys are not compared here."
        />
      )}
      {found !== null && found.length > 0 && (
        <>
          <WholeTable
            table="compared-keys"
            caption={`${plural(found.length, 'key')} in the list, each presented by its node. Other keys are unchanged.`}
            columns={MATCH_COLUMNS}
            rows={found}
            keyOf={({ node }) => node}
          />
          <TextField
            label="Source of the list and verification method"
            value={how}
            onChange={setHow}
            maxLength={500}
            description="Stored as evidence with each key."
          />
        </>
      )}
      {error !== null && <FailureNote error={error} />}
    </Dialog>
  )
}

const MATCH_COLUMNS: readonly WholeColumn<HostKeyRow>[] = [
  textColumn('node', 'Node', ({ node }) => node, { isRowHeader: true }),
  textColumn('fingerprint', 'Fingerprint (SHA-256)', ({ fingerprint }) => fingerprint, {
    cellClass: 'mono fingerprint',
  }),
  textColumn('matched', 'Name in the list', ({ matched }) => matched, { cellClass: 'source' }),
  textColumn('verified', 'Verified by', ({ byDecision }) => (byDecision ? 'decision only' : 'none')),
]

/** Keys that the engine compares: unverified ones, and those verified by a decision only. */
const isMatched = ({ matched, state, byDecision }: HostKeyRow): boolean =>
  matched !== null && (state === 'unknown' || byDecision)

const LEAST_WORDS = 3

/** Compares the fingerprint with one received over another channel; trusting the key requires a verification method. */
export function CompareKey({
  fingerprint,
  subject,
  onClose,
  onReview,
}: {
  readonly fingerprint: string
  readonly subject: string
  readonly onClose: () => void
  readonly onReview: (review: PackReview) => void
}) {
  const [received, setReceived] = useState('')
  const [how, setHow] = useState('')
  const trust = useAction('pack.trust')
  const found = compareFingerprint(fingerprint, received)
  const send = async (): Promise<void> => {
    const after = await trust.run({ howVerified: how.trim() })
    if (after !== null) onReview(after)
  }
  const may = how.trim().length >= LEAST_WORDS && (found.is === 'same' || found.is === 'empty')
  return (
    <FormDialog
      title="Compare key"
      size="large"
      verb="Trust key"
      isDisabled={!may}
      describedBy="compare-why"
      action={trust}
      onSubmit={send}
      onClose={onClose}
    >
      <p>
        The pack names “{visible(subject)}” as its signer. Anyone can create a key with this name. Compare the
        fingerprint with one that you obtained from the signer over a different channel, such as telephone or paper. If
        a root certificate issued the key, the root is trusted, so that later keys of the same owner are trusted too.
      </p>
      <p className="compare-ours">
        <span className="label">Fingerprint in this pack</span>
        <Fingerprint of={fingerprint} what="the fingerprint of the signer" />
      </p>
      <TextField
        label="Fingerprint from the signer"
        description="Spaces, colons and upper case are ignored. Leave empty if you compared visually."
        mono
        isRequired={false}
        value={received}
        onChange={setReceived}
        error={found.is === 'different' || found.is === 'not-a-fingerprint' ? comparisonWords(found) : undefined}
      />
      <p role="status" className="compare-found">
        {found.is === 'same' && <MarkedLine mark="ring-tick" tone="satisfied" label="All 64 characters match." />}
      </p>
      <TextArea
        label="Verification method"
        description="Enter who confirmed it, how, and when. Stored and shown with your decision."
        value={how}
        onChange={setHow}
        maxLength={500}
        rows={2}
      />
      <p id="compare-why" className="quiet">
        {found.is === 'different' && 'You cannot trust a key whose fingerprint differs.'}
        {found.is !== 'different' && !may && 'Enter the verification method to trust the key.'}
      </p>
    </FormDialog>
  )
}

const comparisonWords = (
  found: Extract<ReturnType<typeof compareFingerprint>, { is: 'different' | 'not-a-fingerprint' }>,
): string =>
  found.is === 'different'
    ? `No match: the first difference is in group ${found.group} of 16. Do not trust this key.`
    : `A fingerprint has 64 characters from 0-9 and a-f; this has ${found.digits}.`
