import { IconFileImport } from '@tabler/icons-react'
import type { ClaimRow, ClaimsView, ProviderList } from '../../schemas/ipc-engagement.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { both, useAnswer, useKept } from '../bridge.ts'
import { requiredDocuments, worstFirst } from '../claims-model.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { ClaimAnswers, ClaimCounts } from '../parts/ClaimAnswers.tsx'
import { Page } from '../parts/Page.tsx'
import { announce, go, outdated, useStore } from '../store.ts'
import { day, plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Select } from '../ui/Select.tsx'

/** Provider claims with their results; with `claim`, one claim by node. */
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
      over={of === 'pack' ? 'As stated in the pack' : 'Provider statements and node evidence'}
      under="Results are based on configuration and link state; no load tests are run."
    >
      {of === 'run' && <ProviderChoice />}
      <Ask answer={answer}>
        {(view) =>
          view === null ? (
            <EmptyState title="No provider claims">
              {of === 'pack'
                ? 'This pack contains no provider profile.'
                : 'Choose a built-in profile, or import one with the claims of your contract.'}
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
      title="This claim is no longer in the profile"
      action={<Button onPress={() => go({ screen: 'claims', of })}>Show all claims</Button>}
    >
      Another provider profile was selected.
    </EmptyState>
  </Page>
)

const KINDS = { page: 'Public page', contract: 'Contract', order: 'Order' } as const

function From({ claim: { source } }: { readonly claim: ClaimRow }) {
  if (source === null) return <span className="quiet">No source</span>
  return (
    <>
      {KINDS[source.kind]}: {source.title === undefined ? 'title not recorded' : visible(source.title)}
      <span className="note source">
        {visible(source.where)}, retrieved {day(source.on)}
      </span>
    </>
  )
}

function Claims({ of, view }: { readonly of: Source; readonly view: ClaimsView }) {
  const { profile, evaluatedAt, claims } = view
  const records = requiredDocuments(view)
  return (
    <>
      <p className="quiet">
        {visible(profile.name)}, as of {day(profile.asOf)}.
        {evaluatedAt !== null && ` Evaluated as of ${when(evaluatedAt)}.`}
      </p>
      {evaluatedAt === null && <Notice title="No results yet." means="No node has been collected." />}
      {profile.notes.map((note) => (
        <p key={note} className="note">
          {visible(note)}
        </p>
      ))}
      {claims.length === 0 ? (
        <p className="empty">The profile contains no claims.</p>
      ) : (
        <section className="scroll" aria-label="Claims and results">
          <table className="claims-table">
            <thead>
              <tr>
                <th scope="col">Provider claim</th>
                <th scope="col">Results</th>
                <th scope="col">Source</th>
                <th scope="col">Document required</th>
              </tr>
            </thead>
            <tbody>
              {worstFirst(claims).map((claim) => (
                <tr key={claim.id}>
                  <th scope="row">
                    <Button kind="link" onPress={() => go({ screen: 'claims', of, claim: claim.id })}>
                      {visible(claim.text)}
                    </Button>
                  </th>
                  <td>
                    <ClaimCounts claim={claim} />
                  </td>
                  <td>
                    <From claim={claim} />
                  </td>
                  <td>
                    {claim.documentRequired === null ? (
                      <span className="quiet">None</span>
                    ) : (
                      visible(claim.documentRequired)
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {records.length > 0 && (
        <section aria-labelledby="to-bring">
          <h2 id="to-bring">
            Documents required <span className="number quiet">{records.length}</span>
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
            <Button onPress={() => go({ screen: 'documents', of })}>Open documents</Button>
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
    <Page title={visible(claim.text)} over="Provider claim" under={<From claim={claim} />}>
      <ClaimCounts claim={claim} />
      <section aria-labelledby="bears">
        <h2 id="bears">Evidence used</h2>
        {claim.tests.length === 0 && <p>None.</p>}
        <ul className="plain-list">
          {claim.tests.map(({ title, limitations, check }) => (
            <li key={title}>
              {visible(title)} {check !== null && <span className="mono quiet">{check.id}</span>}
              {limitations !== '' && <span className="note">Limitations: {visible(limitations)}</span>}
            </li>
          ))}
        </ul>
        {claim.why !== null && <p className="prose">{visible(claim.why)}</p>}
        {claim.documentRequired !== null && (
          <p>
            <strong>Document required:</strong> {visible(claim.documentRequired)}
          </p>
        )}
      </section>
      <section aria-labelledby="on-nodes">
        <h2 id="on-nodes">Results by node</h2>
        <Ask answer={both(answers, catalog)}>
          {([found, words]) => <ClaimAnswers of={of} claim={claim} answers={found} catalog={words} />}
        </Ask>
      </section>
    </Page>
  )
}

const NONE = 'none'
const OWN = 'own'

/** The provider profile: built-in, custom, or none. */
function ProviderChoice() {
  const { runs } = useStore()
  return (
    <Ask answer={useKept(useAnswer('provider.list', null, runs), 'provider')}>{(list) => <Choice list={list} />}</Ask>
  )
}

function Choice({ list: { shipped, chosen, own } }: { readonly list: ProviderList }) {
  const { progress } = useStore()
  const choose = useAction('provider.choose')
  const bring = useAction('provider.import-choose')
  const done = (reply: ProviderList | null): void => {
    if (reply === null) return
    announce(reply.chosen === null ? 'Provider profile removed.' : `Provider profile ${reply.chosen.name} selected.`)
    outdated()
  }
  const going = progress?.ended === 'no'
  const options = [
    { id: NONE, title: 'None' },
    ...shipped.map(({ id, name, asOf, claims }) => ({
      id,
      title: visible(name),
      note: `${plural(claims, 'claim')}, from public statements as of ${day(asOf)}`,
    })),
    ...(own && chosen !== null
      ? [{ id: OWN, title: visible(chosen.name), note: `${plural(chosen.claims, 'claim')}, from your own file` }]
      : []),
  ]
  const value = chosen === null ? NONE : own ? OWN : chosen.id
  return (
    <div className="provider-choice">
      <Select
        label="Provider profile"
        isDisabled={going}
        {...(going ? { description: 'Collection in progress; change the profile afterwards.' } : {})}
        options={options}
        value={value}
        onChange={(id) => {
          if (id !== value && id !== OWN) void choose.run({ id: id === NONE ? null : id }).then(done)
        }}
      />
      <Button
        icon={IconFileImport}
        isDisabled={going}
        busy={bring.busy}
        onPress={() => void bring.run(null).then(done)}
      >
        Import provider profile…
      </Button>
      {choose.error !== null && <FailureNote error={choose.error} />}
      {bring.error !== null && <FailureNote error={bring.error} />}
    </div>
  )
}
