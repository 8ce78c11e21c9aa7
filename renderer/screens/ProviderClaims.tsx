import { IconFileImport } from '@tabler/icons-react'
import { useState } from 'react'
import type { ClaimOnNode, ClaimRow, ClaimsView, ClaimWord, ProviderList } from '../../schemas/ipc-engagement.ts'
import type { CatalogView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { claimAnswerWords } from '../../schemas/words.ts'
import { countsOfClaim, requiredDocuments, worstFirst } from '../models/claims-model.ts'
import { ledgerOf } from '../models/ledger.ts'
import { day, plural, visible, when } from '../models/text.ts'
import { Ask, EvaluatingChange, FailureNote } from '../parts/Ask.tsx'
import { Ledger } from '../parts/Ledger.tsx'
import { MarkedLine } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { type WholeColumn, WholeTable } from '../parts/WholeTable.tsx'
import { useAction, useResults, useResultsSoFar } from '../state/actions.ts'
import { both, useAnswer } from '../state/bridge.ts'
import { go, recorded, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'

/** Provider claims with their results; with `claim`, one claim by node. */
export function ProviderClaims({ of, claim }: { readonly of: Source; readonly claim: string | null }) {
  const answer = useResultsSoFar('claims.get', { of })
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

const sourceOf = ({ source }: ClaimRow): string | null =>
  source === null ? null : [KINDS[source.kind], source.title ?? '', source.where, source.on].filter(Boolean).join(', ')

const claimColumns = (of: Source): readonly WholeColumn<ClaimRow>[] => [
  {
    id: 'claim',
    title: 'Provider claim',
    isRowHeader: true,
    text: ({ text }) => text,
    cell: ({ id, text }) => (
      <Button kind="link" onPress={() => go({ screen: 'claims', of, claim: id })}>
        {visible(text)}
      </Button>
    ),
  },
  {
    id: 'results',
    title: 'Results',
    text: (claim) =>
      countsOfClaim(claim)
        .map(({ text }) => text)
        .join(', '),
    cell: (claim) => <ClaimCounts claim={claim} />,
  },
  { id: 'source', title: 'Source', text: sourceOf, cell: (claim) => <From claim={claim} /> },
  {
    id: 'document',
    title: 'Document required',
    text: ({ documentRequired }) => documentRequired,
    cell: ({ documentRequired }) =>
      documentRequired === null ? <span className="quiet">None</span> : visible(documentRequired),
  },
]

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
        <WholeTable
          table="claims"
          className="claims-table"
          label="Claims and results"
          columns={claimColumns(of)}
          rows={worstFirst(claims)}
          keyOf={({ id }) => id}
        />
      )}
      {records.length > 0 && (
        <section aria-labelledby="to-bring">
          <h2 id="to-bring">
            Documents required <span className="number quiet">{records.length}</span>
          </h2>
          <ul className="plain-list">
            {records.map(({ what, claims }) => (
              <li key={what}>
                {visible(what)}
                <span className="note">{claims.map(visible).join(' ')}</span>
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
  const answers = useResultsSoFar('claims.answers', { of, claim: claim.id })
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
  return <Ask answer={useResults('provider.list', null)}>{(list) => <Choice list={list} />}</Ask>
}

function Choice({ list: { shipped, chosen, own } }: { readonly list: ProviderList }) {
  const { progress } = useStore()
  const choose = useAction('provider.choose')
  const bring = useAction('provider.import-choose')
  const done = (reply: ProviderList | null): void => {
    if (reply === null) return
    recorded(reply.chosen === null ? 'Provider profile removed.' : `Provider profile ${reply.chosen.name} selected.`)
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
      <EvaluatingChange isBusy={choose.busy || bring.busy} />
      {choose.error !== null && <FailureNote error={choose.error} />}
      {bring.error !== null && <FailureNote error={bring.error} />}
    </div>
  )
}

/** The result of a provider claim, as mark and label. */
function ClaimMark({ word, text }: { readonly word: ClaimWord; readonly text?: string }) {
  const shown = claimAnswerWords[word]
  return <MarkedLine {...shown} label={text ?? shown.label} />
}

/** Nodes per result, worst first. */
function ClaimCounts({ claim }: { readonly claim: ClaimRow }) {
  const counts = countsOfClaim(claim)
  if (counts.length === 0) return <span className="quiet">No node collected yet</span>
  return (
    <ul className="claim-counts">
      {counts.map(({ word, text }) => (
        <li key={word}>
          <ClaimMark word={word} text={text} />
        </li>
      ))}
    </ul>
  )
}

const SHOWN_AT_FIRST = 50

interface ClaimAnswersProps {
  readonly of: Source
  readonly claim: ClaimRow
  readonly answers: readonly ClaimOnNode[]
  readonly catalog: CatalogView
}

/** One claim on each node that it covers, contradicted first; each opens to its observations. */
function ClaimAnswers({ of, claim, answers, catalog }: ClaimAnswersProps) {
  const [text, setText] = useState('')
  const [word, setWord] = useState<ClaimWord | 'all'>('all')
  const [most, setMost] = useState(SHOWN_AT_FIRST)
  const wanted = text.trim().toLowerCase()
  const found = answers.filter(
    ({ node, result }) => (word === 'all' || result === word) && node.toLowerCase().includes(wanted),
  )
  return (
    <>
      <div className="table-bar">
        <SearchField label="Find a node" value={text} onChange={setText} isFilter />
        <Select
          label="Result"
          hideLabel
          value={word}
          onChange={setWord}
          options={[
            { id: 'all', title: `All results · ${answers.length}` },
            ...countsOfClaim(claim).map((one) => ({
              id: one.word,
              title: `${claimAnswerWords[one.word].label} · ${claim.counts[one.word]} of ${claim.nodes}`,
            })),
          ]}
        />
        <span className="note" role="status">
          {found.length} of {plural(answers.length, 'node')}
        </span>
      </div>
      {found.length === 0 && <p className="empty">No matching nodes.</p>}
      <div className="claim-nodes">
        {found.slice(0, most).map((one) => (
          <OnNode key={one.node} of={of} claim={claim} one={one} catalog={catalog} />
        ))}
      </div>
      {found.length > most && (
        <Button kind="link" onPress={() => setMost(Number.POSITIVE_INFINITY)}>
          Show {plural(found.length - most, 'more node')}
        </Button>
      )}
    </>
  )
}

function OnNode({
  of,
  claim,
  one: { node, result, observations },
  catalog,
}: Omit<ClaimAnswersProps, 'answers'> & { readonly one: ClaimOnNode }) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <Disclosure
      title={visible(node)}
      aside={<ClaimMark word={result} />}
      onToggle={(open) => setOpened(wasOpened || open)}
    >
      {wasOpened &&
        (observations.length === 0 ? (
          <p className="quiet">{claimAnswerWords[result].meaning}</p>
        ) : (
          <Ledger sides={ledgerOf(observations, catalog.probes)} of={of} node={node} onAllow={null} />
        ))}
      {wasOpened && (
        <p className="actions">
          {claim.tests.map(
            ({ check }) =>
              check !== null && (
                <Button
                  key={check.id}
                  small
                  label={`Result details: ${check.id} on ${visible(node)}`}
                  onPress={() => go({ screen: 'why', of, node, property: check.property, check: check.id })}
                >
                  Result: {check.id}
                </Button>
              ),
          )}
          <Button
            small
            kind="quiet"
            label={`Open node ${visible(node)}`}
            onPress={() => go({ screen: 'node', of, node })}
          >
            Open node
          </Button>
        </p>
      )}
    </Disclosure>
  )
}
