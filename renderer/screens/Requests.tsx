import { IconMessagePlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { PortalRequest, RequestEntry } from '../../schemas/ipc-portal.ts'
import { requestStatusWords, requestVerbs } from '../../schemas/portal-words.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { Page } from '../parts/Page.tsx'
import { ActDialog, AskDialog } from '../parts/RequestDialogs.tsx'
import {
  NamedEvidence,
  type References,
  usePackReferences,
  useRunReferences,
  WithReferences,
} from '../parts/RequestReferences.tsx'
import { go, useStore } from '../store.ts'
import { isAuditorPage } from '../team.ts'
import { day, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'

/** What auditors ask for on the server, for both sides: all requests, or one with everything that was stated. */
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
        <div>
          <dt>Due</dt>
          <dd>
            {day(due)}, UTC{isLate && ', past due'}
          </dd>
        </div>
        {ABOUT.filter(([name]) => about[name] !== '').map(([name, label]) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd className="source">
              <WithReferences text={about[name]} references={references} />
            </dd>
          </div>
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
