import { IconMessagePlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { PortalRequest, RequestEntry, RequestStatus } from '../../schemas/ipc-portal.ts'
import { packSubject } from '../../schemas/period-words.ts'
import { requestStatusWords, requestVerbs } from '../../schemas/portal-words.ts'
import { isAuditorPage } from '../models/team.ts'
import { day, firstUp, visible, when } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { FormDialog } from '../parts/FormDialog.tsx'
import { Page } from '../parts/Page.tsx'
import {
  NamedEvidence,
  type References,
  usePackReferences,
  useRunReferences,
  WithReferences,
} from '../parts/RequestReferences.tsx'
import { useAction } from '../state/actions.ts'
import { useAnswer, useKept } from '../state/bridge.ts'
import { announce, go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { ChoiceMenu } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextArea, TextField } from '../ui/Field.tsx'
import { EmptyState } from '../ui/Notice.tsx'

/** The requests of auditors on the server, for both sides: all of them, or one with its answers and comments. */
export function Requests({ id }: { readonly id: string | null }) {
  const { portal } = useStore()
  const answer = useKept(useAnswer('portal.requests', null, portal), 'requests')
  if (id !== null)
    return (
      <Ask answer={answer}>
        {(requests) => {
          const found = requests.find((one) => one.id === id)
          return found === undefined ? (
            <All requests={requests} />
          ) : isAuditorPage() ? (
            <OneWithPack request={found} />
          ) : (
            <OneWithRun request={found} />
          )
        }}
      </Ask>
    )
  return <Ask answer={answer}>{(requests) => <All requests={requests} />}</Ask>
}

function All({ requests }: { readonly requests: readonly PortalRequest[] }) {
  const [asking, setAsking] = useState(false)
  const isAuditor = isAuditorPage()
  return (
    <Page
      title="Requests"
      under={
        isAuditor
          ? 'What you request from the officers of this engagement. Other auditors do not see it.'
          : 'What auditors request on this server. Answers change no verdict and no document.'
      }
      actions={
        isAuditor && (
          <Button kind="primary" icon={IconMessagePlus} onPress={() => setAsking(true)}>
            New request
          </Button>
        )
      }
    >
      {requests.length === 0 ? (
        <EmptyState title="No requests">
          {isAuditor
            ? 'Write a request for evidence that the shared packs do not contain.'
            : 'Requests are listed here as soon as an auditor writes one.'}
        </EmptyState>
      ) : (
        <div className="scroll">
          <table>
            <caption>Requests, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Reference</th>
                <th scope="col">Request</th>
                <th scope="col">Requested by</th>
                <th scope="col">Due (UTC)</th>
                <th scope="col">Status</th>
              </tr>
            </thead>
            <tbody>
              {requests.map((one) => (
                <tr key={one.id}>
                  <td className="number">{one.reference}</td>
                  <th scope="row" className="source">
                    <Button kind="link" onPress={() => go({ screen: 'requests', id: one.id })}>
                      {visible(one.title)}
                    </Button>
                  </th>
                  <td>{visible(one.asked.by)}</td>
                  <td className="number">
                    {day(one.due)}
                    {one.isLate && <span className="note">past due</span>}
                  </td>
                  <td>
                    {requestStatusWords[one.status]}
                    {one.hasNewComment && <span className="note">new comment</span>}
                    {one.waits && <span className="note">{isAuditor ? 'for you to review' : 'for you to answer'}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {asking && <AskDialog onClose={() => setAsking(false)} />}
    </Page>
  )
}

const ABOUT = [
  ['control', 'Control'],
  ['node', 'Node'],
  ['check', 'Check'],
  ['period', 'Period'],
] as const

/** A request as an officer reads it, over the run that is shown. */
const OneWithRun = ({ request }: { readonly request: PortalRequest }) => (
  <One request={request} references={useRunReferences()} />
)

/** A request as an auditor reads it, over the pack of its latest answer. */
const OneWithPack = ({ request }: { readonly request: PortalRequest }) => (
  <One request={request} references={usePackReferences(request)} />
)

function One({ request, references }: { readonly request: PortalRequest; readonly references: References }) {
  const [acting, setActing] = useState<(PortalRequest['may'][number] | 'comment') | null>(null)
  const { reference, title, text, about, due, status, asked, entries, may, isClosed, isLate } = request
  return (
    <Page
      title={title}
      over={reference}
      under={`${requestStatusWords[status]}. Requested by ${visible(asked.by)}, ${when(asked.at)}.`}
    >
      <dl className="seal-facts">
        <Fact term="Due">
          {day(due)}, UTC{isLate && ', past due'}
        </Fact>
        {ABOUT.filter(([name]) => about[name] !== '').map(([name, label]) => (
          <Fact key={name} term={label} className="source">
            <WithReferences text={about[name]} references={references} />
          </Fact>
        ))}
      </dl>
      {text !== '' && (
        <p className="prose source lines">
          <WithReferences text={text} references={references} />
        </p>
      )}
      <section aria-labelledby="course">
        <h2 id="course">Answers and comments</h2>
        {entries.length === 0 ? (
          <p className="empty">Nothing was answered yet.</p>
        ) : (
          <ol className="request-entries">
            {entries.map((entry) => (
              <Entry key={`${entry.at} ${entry.by} ${entry.to}`} entry={entry} references={references} />
            ))}
          </ol>
        )}
      </section>
      {references.error !== null && <FailureNote error={references.error} />}
      {!isClosed && (
        <div className="actions">
          {may
            .flatMap((to) => (to === 'open' ? [] : [to]))
            .map((to) => (
              <Button key={to} kind={FIRST.includes(to) ? 'primary' : 'secondary'} onPress={() => setActing(to)}>
                {requestVerbs[to]}…
              </Button>
            ))}
          <Button onPress={() => setActing('comment')}>Comment…</Button>
        </div>
      )}
      {acting !== null && (
        <ActDialog request={request} to={acting === 'comment' ? null : acting} onClose={() => setActing(null)} />
      )}
    </Page>
  )
}

const FIRST: readonly string[] = ['answered', 'accepted']

const Entry = ({ entry, references }: { readonly entry: RequestEntry; readonly references: References }) => (
  <li>
    <p className="quiet">
      {visible(entry.by)}, {entry.role}, {when(entry.at)}
      {entry.to !== null && (
        <>
          : <strong>{requestStatusWords[entry.to]}</strong>
        </>
      )}
    </p>
    {entry.comment !== '' && (
      <p className="prose source lines">
        <WithReferences text={entry.comment} references={references} />
      </p>
    )}
    <NamedEvidence entry={entry} references={references} />
  </li>
)

const NO_ABOUT: PortalRequest['about'] = { control: '', node: '', check: '', period: '' }

/** Writes a request of an auditor. */
function AskDialog({ onClose }: { readonly onClose: () => void }) {
  const ask = useAction('portal.ask')
  const [title, setTitle] = useState('')
  const [text, setText] = useState('')
  const [about, setAbout] = useState(NO_ABOUT)
  const [due, setDue] = useState('')
  const [tried, setTried] = useState(false)
  const submit = async (): Promise<void> => {
    setTried(true)
    if (title.trim().length < 3 || due === '') return
    if ((await ask.run({ title: title.trim(), text: text.trim(), about, due })) === null) return
    announce('Request sent.')
    onClose()
  }
  return (
    <FormDialog title="New request" verb="Send request" action={ask} onSubmit={submit} onClose={onClose}>
      <TextField
        label="What is requested"
        value={title}
        onChange={setTitle}
        maxLength={200}
        error={tried && title.trim().length < 3 ? 'Enter at least 3 characters.' : undefined}
        isRequired
        autoFocus
      />
      <TextArea label="Details" value={text} onChange={setText} maxLength={4000} isRequired={false} />
      <div className="draw-form">
        {ABOUT.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            value={about[name]}
            onChange={(value) => setAbout({ ...about, [name]: value })}
            maxLength={200}
            isRequired={false}
          />
        ))}
      </div>
      <DateField
        label="Due day"
        value={due}
        onChange={setDue}
        error={tried && due === '' ? 'Enter the due day.' : undefined}
        isRequired
      />
    </FormDialog>
  )
}

interface ActDialogProps {
  readonly request: PortalRequest
  /** Null for a comment. */
  readonly to: RequestStatus | null
  readonly onClose: () => void
}

/** Sets a status with a comment, or only comments. An answer names evidence. */
function ActDialog({ request, to, onClose }: ActDialogProps) {
  const act = useAction('portal.act')
  const [comment, setComment] = useState('')
  const [names, setNames] = useState<Names>({ packs: [], documents: [], findings: [] })
  const verb = to === null || to === 'open' ? 'Comment' : requestVerbs[to]
  const submit = async (): Promise<void> => {
    const done = await act.run({ id: request.id, to, comment: comment.trim(), ...names })
    if (done === null) return
    announce(`${verb}: done.`)
    onClose()
  }
  return (
    <FormDialog
      title={verb}
      verb={verb}
      kind={to === 'withdrawn' ? 'danger' : 'primary'}
      isDisabled={comment.trim() === '' && needsComment(to, names)}
      action={act}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="source">
        {request.reference}: {visible(request.title)}
      </p>
      <TextArea
        label="Comment"
        description="Both sides read it. It cannot be changed."
        value={comment}
        onChange={setComment}
        maxLength={4000}
        isRequired={needsComment(to, names)}
        autoFocus
      />
      {to === 'answered' && <Evidence names={names} onChange={setNames} />}
    </FormDialog>
  )
}

interface Names {
  readonly packs: readonly string[]
  readonly documents: readonly string[]
  readonly findings: readonly string[]
}

/**
 * Whether a comment is required, as on the server: not for acceptance and progress, nor for an answer that names
 * evidence.
 */
const needsComment = (to: RequestStatus | null, { packs, documents, findings }: Names): boolean =>
  to === null ||
  to === 'returned' ||
  to === 'withdrawn' ||
  (to === 'answered' && packs.length + documents.length + findings.length === 0)

/**
 * The evidence that an answer names: shared packs, documents of the register, and findings of the run that is shown.
 */
function Evidence({ names, onChange }: { readonly names: Names; readonly onChange: (names: Names) => void }) {
  const packs = useAnswer('portal.packs', null)
  const register = useAnswer('register.get', { of: 'run' })
  const findings = useAnswer('findings.get', { of: 'run', node: null })
  const shared = packs.state === 'here' ? packs.value.filter(({ ended }) => ended === null) : []
  const filed = register.state === 'here' ? register.value.documents : []
  const rows = findings.state === 'here' ? (findings.value?.rows ?? []) : []
  const choices = [
    {
      name: 'packs',
      title: 'Shared packs',
      options: shared.map(({ id, run }) => ({ id, title: firstUp(visible(packSubject(run))) })),
    },
    { name: 'documents', title: 'Documents', options: filed.map(({ id, name }) => ({ id, title: visible(name) })) },
    {
      name: 'findings',
      title: 'Findings',
      options: rows.map(({ reference, title }) => ({ id: reference, title: `${reference}: ${visible(title)}` })),
    },
  ] as const
  return (
    <fieldset className="ticks">
      <legend>Evidence</legend>
      <p className="quiet">
        Documents and findings are named with their digest or condition. Share a pack that contains them, so that the
        auditor can read them.
      </p>
      <div className="actions">
        {choices.map(({ name, title, options }) => (
          <ChoiceMenu
            key={name}
            title={`${title}: ${names[name].length} of ${options.length}`}
            options={options}
            chosen={names[name]}
            onChange={(chosen) => onChange({ ...names, [name]: chosen })}
          />
        ))}
      </div>
    </fieldset>
  )
}
