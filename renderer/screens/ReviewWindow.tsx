import { IconFolderOpen } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { LimitGroup, PackReview } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { wasReached } from '../models/model.ts'
import type { ReviewPart, Route } from '../models/routes.ts'
import { HEADLINE_MARKS, KINDS } from '../models/seal-model.ts'
import { isAuditorPage } from '../models/team.ts'
import { plural, visible, when, withDates } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { MarkedLine } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { ReviewSeal } from '../parts/ReviewSeal.tsx'
import { Sampling } from '../parts/Sampling.tsx'
import { Verifying } from '../parts/Verifying.tsx'
import { textColumn, type WholeColumn, WholeTable } from '../parts/WholeTable.tsx'
import { useAction } from '../state/actions.ts'
import { type Answer, call, useAnswer } from '../state/bridge.ts'
import { change, go, showShared, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'

/**
 * The review window for one pack: it cannot collect, change or send. Screens that read a pack are its children; it
 * renders the screens that exist only here.
 */
export function ReviewWindow({ children }: { readonly children: ReactNode }) {
  const { route, reviewStart, announced: announcement, packs, problem } = useStore()
  const [review, setReview] = useState<Answer<PackReview | null>>({ state: 'waiting' })
  const [chosen, setChosen] = useState(0)
  const opened = packs + chosen
  // biome-ignore lint/correctness/useExhaustiveDependencies: `opened` asks again, because another pack is open
  useEffect(() => {
    let current = true
    change({ route: reviewStart, earlier: [] })
    setReview({ state: 'waiting' })
    void call('pack.review', null).then((reply) => {
      if (current) setReview(reply.ok ? { state: 'here', value: reply.value } : { state: 'failed', error: reply.error })
    })
    return () => {
      current = false
    }
  }, [opened])
  const held = review.state === 'here' ? review.value : null
  const known = (value: PackReview): void => setReview({ state: 'here', value })
  return (
    <div className="review-frame">
      <div className="review-top">
        <aside className="banner" aria-label="Review">
          {held?.report.kind === 'foreign-pdf'
            ? 'This file was not written by Barewitness. '
            : 'Review of a sealed pack, read-only. '}
          {isAuditorPage() ? 'It is verified on the server of the audited organization.' : 'No server is contacted.'}
          {isAuditorPage() && (
            <Button small onPress={() => showShared(false)}>
              Shared packs
            </Button>
          )}
        </aside>
        {held?.report.demo === true && (
          <aside className="banner demo" aria-label="Demo data">
            <strong>Demo data.</strong> Recorded or made-up nodes. Not evidence about any real servers.
          </aside>
        )}
        {held !== null && (
          <header className="review-head">
            <What review={held} />
            <ReviewTabs review={held} />
          </header>
        )}
      </div>
      <main key={opened} data-pane tabIndex={-1} aria-label="Screen">
        <Verifying />
        {problem !== null && <FailureNote error={problem} />}
        <Ask answer={review}>
          {(value) => {
            if (value === null && isAuditorPage()) return <NoSharedOpen />
            if (value === null) return <NothingOpen onReview={() => setChosen((count) => count + 1)} />
            if (route.screen !== 'review') return children
            if (route.part === 'sampling') return <Sampling review={value} />
            if (route.part === 'evidence') return <ReviewEvidence />
            if (route.part === 'limits') return <ReviewLimits />
            return <ReviewSeal review={value} onReview={known} />
          }}
        </Ask>
      </main>
      <p className="said" role="status" aria-live="polite">
        {announcement}
      </p>
    </div>
  )
}

/** The open file on every screen of the window: name, kind, result, and time of verification. */
function What({ review }: { readonly review: PackReview }) {
  const { kind, verifiedAt } = review.report
  return (
    <div className="review-what">
      <p className="review-file">{visible(review.file)}</p>
      <p className="review-facts">
        <MarkedLine {...HEADLINE_MARKS[review.headline.tone]} label={review.headline.word} />
        <span>{KINDS[kind].label}</span>
        <span className="number">Verified {when(verifiedAt)}</span>
      </p>
    </div>
  )
}

/** The pack was closed on the server: it is no longer shared, or the server was restarted. */
const NoSharedOpen = () => (
  <>
    <h1 tabIndex={-1}>Review evidence pack</h1>
    <EmptyState
      title="No pack is open"
      action={
        <Button kind="primary" onPress={() => showShared(false)}>
          Shared packs
        </Button>
      }
    >
      The pack was closed on the server. Open it again if it is still shared with you. Your worksheet is kept.
    </EmptyState>
  </>
)

function NothingOpen({ onReview }: { readonly onReview: () => void }) {
  const open = useAction('pack.choose-and-verify')
  return (
    <>
      <h1 tabIndex={-1}>Review evidence pack</h1>
      {open.error !== null && <FailureNote error={open.error} />}
      <EmptyState
        title="No pack is open"
        action={
          <Button
            kind="primary"
            icon={IconFolderOpen}
            busy={open.busy}
            onPress={() =>
              void open.run(null).then((review) => {
                if (review !== null) onReview()
              })
            }
          >
            Open evidence pack
          </Button>
        }
      >
        Open a pack (.zip) or a report (.pdf) that you received. Nothing in it is executed.
      </EmptyState>
    </>
  )
}

/** Everything that the pack does not show, in one place. */
function ReviewLimits() {
  const limits = useAnswer('review.limits', null)
  return (
    <Page
      title="What is not shown"
      under="All limits of this pack: its verification, its population, its checks, and its method."
    >
      <Ask answer={limits}>
        {(groups) => (
          <>
            {groups.map((group) => (
              <Group key={group.id} group={group} />
            ))}
          </>
        )}
      </Ask>
    </Page>
  )
}

const Group = ({ group: { id, title, lines } }: { readonly group: LimitGroup }) => (
  <section aria-labelledby={`limits-${id}`}>
    <h2 id={`limits-${id}`}>
      {title} <span className="number quiet">{lines.length}</span>
    </h2>
    <ul className="limits-list">
      {lines.map(({ about, text }) => (
        <li key={`${about} ${text}`}>
          {about !== null && <strong>{visible(about)}: </strong>}
          {withDates(visible(text))}
        </li>
      ))}
    </ul>
  </section>
)

interface Place {
  readonly id: ReviewPart | 'findings' | 'results' | 'location' | 'controls' | 'engagement' | 'claims'
  readonly title: string
  readonly route: Route
}

const PLACES: readonly Place[] = [
  { id: 'seal', title: 'Verification', route: { screen: 'review', part: 'seal' } },
  { id: 'findings', title: 'Findings', route: { screen: 'findings', of: 'pack' } },
  { id: 'results', title: 'Results', route: { screen: 'overview', of: 'pack' } },
  { id: 'location', title: 'Location', route: { screen: 'location', of: 'pack' } },
  { id: 'controls', title: 'Controls', route: { screen: 'controls', of: 'pack' } },
  { id: 'engagement', title: 'Engagement', route: { screen: 'engagement', of: 'pack' } },
  { id: 'claims', title: 'Provider claims', route: { screen: 'claims', of: 'pack' } },
  { id: 'evidence', title: 'Raw evidence', route: { screen: 'review', part: 'evidence' } },
  { id: 'sampling', title: 'Sampling', route: { screen: 'review', part: 'sampling' } },
  { id: 'limits', title: 'What is not shown', route: { screen: 'review', part: 'limits' } },
]

/** The tab of a screen in the review window. */
function placeInReview(route: Route): Place['id'] {
  switch (route.screen) {
    case 'review':
      return route.part ?? 'seal'
    case 'evidence':
    case 'location':
    case 'engagement':
    case 'claims':
      return route.screen
    case 'controls':
    case 'control':
    case 'documents':
      return 'controls'
    case 'findings':
    case 'finding':
      return 'findings'
    default:
      return 'results'
  }
}

/** The tabs of the review window. A file without results has only the verification; the other tabs state this. */
function ReviewTabs({ review }: { readonly review: PackReview }) {
  const { route } = useStore()
  const here = placeInReview(route)
  const nothingToRead = review.view === null
  return (
    <nav aria-label="Pack sections" data-pane tabIndex={-1}>
      <ul className="review-tabs">
        {PLACES.map(({ id, title, route: to }) => (
          <li key={id}>
            <Button
              kind="quiet"
              className="review-tab"
              current={here === id}
              isDisabled={nothingToRead && id !== 'seal'}
              {...(nothingToRead && id !== 'seal' ? { describedBy: 'nothing-to-read' } : {})}
              onPress={() => change({ route: to, earlier: [], announced: '' })}
            >
              {title}
            </Button>
          </li>
        ))}
      </ul>
      {nothingToRead && (
        <p id="nothing-to-read" className="quiet">
          This file contains no readable results.
        </p>
      )}
    </nav>
  )
}

/** The nodes of the pack with links to their captures. */
function ReviewEvidence() {
  const view = useAnswer('assessment.get', { of: 'pack' })
  return (
    <Page title="Raw evidence" under="Captures of each node as the pack contains them, with digests.">
      <Ask answer={view}>
        {(value) =>
          value === null ? <p className="empty">This file contains no raw evidence.</p> : <Nodes view={value} />
        }
      </Ask>
    </Page>
  )
}

const STATUS_WORDS = {
  complete: 'Collected',
  partial: 'Partial: some probes have no capture',
  failed: 'Not collected',
  missing: 'Missing: no evidence of this node in the pack',
} as const

const WITHOUT_PRIVILEGE = 'without privileged checks'

const MOST = 200

const NODE_COLUMNS: readonly WholeColumn<AssessmentView['rows'][number]>[] = [
  textColumn('node', 'Node', ({ node }) => node, { isRowHeader: true, cellClass: 'source' }),
  {
    id: 'evidence',
    title: 'Evidence',
    text: ({ status, privilege, failure }) =>
      [STATUS_WORDS[status], failure?.detail ?? '', privilege === 'none' ? WITHOUT_PRIVILEGE : '']
        .filter(Boolean)
        .join('; '),
    cell: ({ status, privilege, failure }) => (
      <>
        {STATUS_WORDS[status]}
        {failure !== null && <span className="note">{visible(failure.detail)}</span>}
        {privilege === 'none' && <span className="note">{WITHOUT_PRIVILEGE}</span>}
      </>
    ),
  },
  {
    id: 'collected',
    title: 'Collected',
    cellClass: 'number whole',
    text: ({ status, observedAt }) => (wasReached({ status }) ? observedAt : null),
    cell: ({ status, observedAt }) => (wasReached({ status }) ? when(observedAt) : '–'),
  },
  {
    id: 'action',
    title: 'Action',
    cell: ({ node }) => (
      <Button
        small
        label={`Open raw evidence of ${visible(node)}`}
        onPress={() => go({ screen: 'evidence', of: 'pack', node, capture: null })}
      >
        Open
      </Button>
    ),
  },
]

function Nodes({ view }: { readonly view: AssessmentView }) {
  const [part, setPart] = useState('')
  const found = view.rows.filter(({ node }) => node.toLowerCase().includes(part.trim().toLowerCase()))
  return (
    <>
      <SearchField label="Find a node" value={part} onChange={setPart} isFilter />
      <p className="quiet" role="status">
        {found.length} of {plural(view.rows.length, 'node')}
        {found.length > MOST && `; the first ${MOST} are shown`}.
      </p>
      <WholeTable table="pack-nodes" columns={NODE_COLUMNS} rows={found} most={MOST} keyOf={({ node }) => node} />
    </>
  )
}
