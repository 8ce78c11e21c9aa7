import { useMemo, useState } from 'react'
import type { AcceptanceRequestView, DecisionView, RegisterView } from '../../schemas/ipc-register.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { statusWords } from '../../schemas/words.ts'
import { acceptancesShown, pendingWords, type Shown, STANDINGS, signedLine } from '../models/register-model.ts'
import { day, plural, visible } from '../models/text.ts'
import { Acceptances, AcceptedCheck, type CheckTitles, NamedNodes, SamePerson } from '../parts/Acceptances.tsx'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { Decisions } from '../parts/Decisions.tsx'
import { FormDialog } from '../parts/FormDialog.tsx'
import { Page } from '../parts/Page.tsx'
import { useEntrySigning } from '../parts/SignEntry.tsx'
import { WithdrawDialog } from '../parts/WithdrawDialog.tsx'
import { useAction, useResults } from '../state/actions.ts'
import { announce, recorded } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'

const SHOWN: readonly { readonly id: Shown; readonly title: string }[] = [
  { id: 'all', title: 'All' },
  { id: 'pending', title: 'Pending approval' },
  ...STANDINGS.map((id) => ({ id, title: statusWords[id] })),
]

/** Risk acceptances, acceptance requests and control decisions, each with its status. */
export function RiskAcceptances({ of }: { readonly of: Source }) {
  const answer = useResults('register.get', { of })
  const save = useAction('acceptances.save')
  const [text, setText] = useState('')
  const view = useResults('assessment.get', { of })
  const [shown, setShown] = useState<Shown>('all')
  const titles = useMemo<CheckTitles>(
    () => new Map(view.state === 'here' ? view.value?.checks.map(({ id, expected }) => [id, expected]) : []),
    [view],
  )
  const onSave = async (): Promise<void> => {
    const saved = await save.run(null)
    if (saved !== null) announce(`List saved as ${saved.file}.`)
  }
  return (
    <Page
      title="Risk acceptances"
      over={of === 'pack' ? 'As stated in the pack' : 'Deviations accepted by management until a date'}
      under="Accepting a risk does not change the verdict."
      actions={
        of === 'run' && (
          <Button busy={save.busy} onPress={() => void onSave()}>
            Save list
          </Button>
        )
      }
    >
      {save.error !== null && <FailureNote error={save.error} />}
      <Ask answer={answer}>
        {(register) => {
          const found = acceptancesShown(register, text, shown, titles)
          return (
            <>
              <div className="table-bar">
                <SearchField label="Find a risk acceptance" value={text} onChange={setText} isFilter />
                <Select label="Status" hideLabel options={SHOWN} value={shown} onChange={setShown} />
                <span className="note" role="status">
                  {found.count} of {found.total === 1 ? '1 entry' : `${found.total} entries`}
                </span>
              </div>
              {found.total === 0 && (
                <EmptyState title="No risk acceptances">Add a risk acceptance from the page of a result.</EmptyState>
              )}
              {found.total > 0 && found.count === 0 && <p className="empty">No matching risk acceptances.</p>}
              {found.pending.length > 0 && (
                <section aria-label={`Requests: ${found.pending.length}`}>
                  <h2>
                    Requests <span className="number quiet">{found.pending.length}</span>
                  </h2>
                  <p className="quiet">Requests have no effect until approved.</p>
                  <AcceptanceRequests requests={found.pending} of={of} titles={titles} />
                </section>
              )}
              {found.groups.map(({ status, entries }) => (
                <section key={status} aria-label={`${statusWords[status]}: ${entries.length}`}>
                  <h2>
                    {statusWords[status]} <span className="number quiet">{entries.length}</span>
                  </h2>
                  {status === 'expired' && (
                    <p className="quiet">
                      An expired or withdrawn acceptance has no effect: its deviation is no longer accepted.
                    </p>
                  )}
                  <Acceptances acceptances={entries} of={of} titles={titles} />
                </section>
              ))}
              <DecidedRows of={of} register={register} view={view.state === 'here' ? view.value : null} />
            </>
          )
        }}
      </Ask>
    </Page>
  )
}

interface DecidedRowsProps {
  readonly of: Source
  readonly register: RegisterView
  readonly view: AssessmentView | null
}

/** Control decisions, in a separate list: a decision accepts no risk. */
function DecidedRows({ of, register, view }: DecidedRowsProps) {
  const nameOf = ({ framework, control }: DecisionView): string => {
    const frame = view?.frameworks.find(({ id }) => id === framework)
    const row = frame?.controls.find(({ key }) => key === control)
    return visible(frame === undefined || row === undefined ? control : `${frame.title}, ${row.id} ${row.title}`)
  }
  const order = (one: DecisionView): number => STANDINGS.indexOf(one.status)
  const decisions = [...register.decisions].sort((a, b) => order(a) - order(b) || (a.expiresAt < b.expiresAt ? -1 : 1))
  return (
    <section aria-labelledby="decisions">
      <h2 id="decisions">
        Control decisions <span className="number quiet">{decisions.length}</span>
      </h2>
      {decisions.length === 0 ? (
        <p className="quiet">No control decisions. Add one from the control’s page.</p>
      ) : (
        <Decisions decisions={decisions} of={of} rowName={nameOf} />
      )}
    </section>
  )
}

interface Opened {
  readonly dialog: 'approve' | 'refuse'
  readonly request: AcceptanceRequestView
}

/** Acceptance requests with their status; pending ones can be approved or rejected, except in a pack. */
function AcceptanceRequests({
  requests,
  of,
  titles,
}: {
  readonly requests: readonly AcceptanceRequestView[]
  readonly of: Source
  readonly titles: CheckTitles
}) {
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = (): void => setOpened(null)
  return (
    <>
      <ul className="acceptances">
        {requests.map((one) => (
          <li key={one.id} className={`acceptance status-${one.status === 'open' ? 'pending' : 'withdrawn'}`}>
            <p className="acceptance-head">
              <span className="accepted-tab">
                {pendingWords[one.status]} · requested until {day(one.expiresAt)}
              </span>
              <AcceptedCheck check={one.check} nodes={one.nodes} of={of} titles={titles} />
              <NamedNodes of={of} nodes={one.nodes} />
              {one.status === 'open' && of === 'run' && (
                <>
                  <Button
                    small
                    label={`Approve request: ${one.check}`}
                    onPress={() => setOpened({ dialog: 'approve', request: one })}
                  >
                    Approve request
                  </Button>
                  <Button
                    small
                    kind="quiet"
                    label={`Reject request: ${one.check}`}
                    onPress={() => setOpened({ dialog: 'refuse', request: one })}
                  >
                    Reject request
                  </Button>
                </>
              )}
            </p>
            <dl className="facts">
              <Fact term="Reason">{visible(one.reason)}</Fact>
              <Fact term="Compensating control">{visible(one.compensatingControl)}</Fact>
              <Fact term="Owner">{visible(one.owner)}</Fact>
              <Fact term="Requested by">
                {visible(one.requestedBy)}, {day(one.requestedAt)}
              </Fact>
              <Fact term="Signatures">{signedLine(one.signatures)}</Fact>
              {one.resolved !== undefined && (
                <Fact term={pendingWords[one.resolved.as]}>
                  {visible(one.resolved.by)}, {day(one.resolved.at)}
                  {one.resolved.reason !== null && `: ${visible(one.resolved.reason)}`}
                </Fact>
              )}
            </dl>
          </li>
        ))}
      </ul>
      {opened?.dialog === 'approve' && <ApproveDialog request={opened.request} onClose={close} />}
      {opened?.dialog === 'refuse' && (
        <WithdrawDialog
          what="request"
          id={opened.request.id}
          about={`${opened.request.check}: ${visible(opened.request.reason)}`}
          onClose={close}
        />
      )}
    </>
  )
}

interface ApproveDialogProps {
  readonly request: AcceptanceRequestView
  readonly onClose: () => void
}

/** Approves a request as submitted, with the name and role of the approver. */
function ApproveDialog({ request, onClose }: ApproveDialogProps) {
  const approve = useAction('acceptances.approve')
  const [approvedBy, setApprovedBy] = useState('')
  const [approverRole, setApproverRole] = useState('')
  const [tried, setTried] = useState(false)
  const signing = useEntrySigning(['approver'])
  const send = async (): Promise<void> => {
    setTried(true)
    if (approvedBy.trim() === '' || approverRole.trim() === '') return
    if ((await approve.run({ id: request.id, approvedBy, approverRole })) === null) return
    await signing.signRecorded(request.id)
    recorded('Request approved.')
    onClose()
  }
  return (
    <FormDialog title="Approve request" verb="Approve request" action={approve} onSubmit={send} onClose={onClose}>
      <p>
        <span className="mono">{request.check}</span> on {plural(request.nodes.length, 'node')}, until{' '}
        {day(request.expiresAt)}. {visible(request.reason)}
      </p>
      <p className="quiet">The risk is accepted as requested, from now on. No verdict changes.</p>
      <TextField
        label="Approved by"
        value={approvedBy}
        onChange={setApprovedBy}
        maxLength={200}
        error={tried && approvedBy.trim() === '' ? 'Enter the approver.' : undefined}
        isRequired
        autoFocus
      />
      <TextField
        label="Approver’s role"
        value={approverRole}
        onChange={setApproverRole}
        maxLength={200}
        error={tried && approverRole.trim() === '' ? 'Enter the approver’s role.' : undefined}
        isRequired
      />
      <SamePerson requestedBy={request.requestedBy} approvedBy={approvedBy} />
      {signing.choice}
    </FormDialog>
  )
}
