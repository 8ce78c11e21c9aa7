import type { ClaimRow, ClaimsView } from '../../schemas/ipc-engagement.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { recordsToBring, worstFirst } from '../claims-model.ts'
import { both, useKept } from '../kept.ts'
import { Ask } from '../parts/Ask.tsx'
import { ClaimAnswers, ClaimCounts } from '../parts/ClaimAnswers.tsx'
import { Page } from '../parts/Page.tsx'
import { ProviderChoice } from '../parts/ProviderChoice.tsx'
import { go, useStore } from '../store.ts'
import { day, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Notice } from '../ui/Notice.tsx'

/** What a provider promised, and how the evidence of nodes answers it; with `claim`, one promise node by node. */
export function ProviderClaims({ of, claim }: { readonly of: Source; readonly claim: string | null }) {
  const { runs, soFar } = useStore()
  const answer = useKept(useAnswer('claims.get', { of }, `${runs} ${soFar}`), of)
  if (claim !== null)
    return (
      <Ask answer={answer}>
        {(view) => {
          const found = view?.claims.find(({ id }) => id === claim)
          return found === undefined ? <Gone of={of} /> : <OneClaim of={of} claim={found} />
        }}
      </Ask>
    )
  return (
    <Page
      title="Provider claims"
      over={of === 'pack' ? 'As stated in the pack' : 'What was promised, and what nodes show of it'}
      under="Links are read for their state and width; no load is put on any node."
    >
      {of === 'run' && <ProviderChoice />}
      <Ask answer={answer}>
        {(view) =>
          view === null ? (
            <EmptyState title="No promises to answer">
              {of === 'pack'
                ? 'No provider profile is stated in this pack.'
                : 'Choose a profile that ships with Barewitness, or import one with the promises of your own contract.'}
            </EmptyState>
          ) : (
            <Claims of={of} view={view} />
          )
        }
      </Ask>
    </Page>
  )
}

const Gone = ({ of }: { readonly of: Source }) => (
  <Page title="Provider claims">
    <EmptyState
      title="This promise is no longer in the profile"
      action={<Button onPress={() => go({ screen: 'claims', of })}>Show all promises</Button>}
    >
      Another provider profile was chosen meanwhile.
    </EmptyState>
  </Page>
)

const KINDS = { page: 'Public page', contract: 'Contract', order: 'Order' } as const

function From({ claim: { source } }: { readonly claim: ClaimRow }) {
  if (source === null) return <span className="quiet">Not said</span>
  return (
    <>
      {KINDS[source.kind]}: {visible(source.title)}
      <span className="note source">
        {visible(source.where)}, read on {day(source.on)}
      </span>
    </>
  )
}

function Claims({ of, view }: { readonly of: Source; readonly view: ClaimsView }) {
  const { profile, judgedAt, claims } = view
  const records = recordsToBring(view)
  return (
    <>
      <p className="quiet">
        {visible(profile.name)}, as of {day(profile.asOf)}.
        {judgedAt !== null && ` Answered from the evidence as of ${when(judgedAt)}.`}
      </p>
      {judgedAt === null && <Notice title="No run was made yet." means="So no node has answered any of these." />}
      {profile.notes.map((note) => (
        <p key={note} className="note">
          {visible(note)}
        </p>
      ))}
      {claims.length === 0 ? (
        <p className="empty">The profile holds no promise.</p>
      ) : (
        <section className="scroll" aria-label="Promises and answers">
          <table className="claims-table">
            <thead>
              <tr>
                <th scope="col">Promise</th>
                <th scope="col">Answers of nodes</th>
                <th scope="col">Where it was made</th>
                <th scope="col">Record to bring</th>
              </tr>
            </thead>
            <tbody>
              {worstFirst(claims).map((claim) => (
                <tr key={claim.id}>
                  <th scope="row">
                    <Button kind="link" onPress={() => go({ screen: 'claims', of, claim: claim.id })}>
                      {visible(claim.says)}
                    </Button>
                  </th>
                  <td>
                    <ClaimCounts claim={claim} />
                  </td>
                  <td>
                    <From claim={claim} />
                  </td>
                  <td>{claim.bring === null ? <span className="quiet">None</span> : visible(claim.bring)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {records.length > 0 && (
        <section aria-labelledby="to-bring">
          <h2 id="to-bring">
            Records to bring <span className="number quiet">{records.length}</span>
          </h2>
          <ul className="plain-list">
            {records.map(({ what, says }) => (
              <li key={what}>
                {visible(what)}
                <span className="note">{says.map(visible).join(' ')}</span>
              </li>
            ))}
          </ul>
          <div className="actions">
            <Button onPress={() => go({ screen: 'attachments', of })}>Documents</Button>
          </div>
        </section>
      )}
    </>
  )
}

function OneClaim({ of, claim }: { readonly of: Source; readonly claim: ClaimRow }) {
  const { runs, soFar } = useStore()
  const asked = `${runs} ${soFar}`
  const answers = useKept(useAnswer('claims.answers', { of, claim: claim.id }, asked), `${of} ${claim.id}`)
  const catalog = useAnswer('catalog.get', null)
  return (
    <Page title={visible(claim.says)} over="Provider claim" under={<From claim={claim} />}>
      <ClaimCounts claim={claim} />
      <section aria-labelledby="bears">
        <h2 id="bears">What is read for it</h2>
        {claim.bears.length === 0 && <p>Nothing on a node.</p>}
        <ul className="plain-list">
          {claim.bears.map(({ title, limits, check }) => (
            <li key={title}>
              {visible(title)} {check !== null && <span className="mono quiet">{check.id}</span>}
              {limits !== '' && <span className="note">Does not show: {visible(limits)}</span>}
            </li>
          ))}
        </ul>
        {claim.why !== null && <p className="prose">{visible(claim.why)}</p>}
        {claim.bring !== null && (
          <p>
            <strong>Record to bring:</strong> {visible(claim.bring)}
          </p>
        )}
      </section>
      <section aria-labelledby="on-nodes">
        <h2 id="on-nodes">Node by node</h2>
        <Ask answer={both(answers, catalog)}>
          {([found, words]) => <ClaimAnswers of={of} claim={claim} answers={found} catalog={words} />}
        </Ask>
      </section>
    </Page>
  )
}
