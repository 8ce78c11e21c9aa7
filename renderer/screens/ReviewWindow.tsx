import { IconFolderOpen } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { PackReview } from '../../schemas/ipc-packs.ts'
import { useAction } from '../actions.ts'
import { type Answer, call } from '../bridge.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { Shape } from '../parts/Mark.tsx'
import { ReviewEvidence } from '../parts/ReviewEvidence.tsx'
import { ReviewFindings } from '../parts/ReviewFindings.tsx'
import { ReviewLimits } from '../parts/ReviewLimits.tsx'
import { ReviewSeal } from '../parts/ReviewSeal.tsx'
import { ReviewTabs } from '../parts/ReviewTabs.tsx'
import { Sampling } from '../parts/Sampling.tsx'
import { Verifying } from '../parts/Verifying.tsx'
import { HEADLINE_MARKS, KINDS } from '../seal-model.ts'
import { change, useStore } from '../store.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/**
 * The review window for one pack: it cannot collect, change or send. Screens that read a pack are its children; screens
 * that exist only here are rendered by it.
 */
export function ReviewWindow({ children }: { readonly children: ReactNode }) {
  const { route, announced: said, packs, problem } = useStore()
  const [review, setReview] = useState<Answer<PackReview | null>>({ state: 'waiting' })
  const [chosen, setChosen] = useState(0)
  const opened = packs + chosen
  // biome-ignore lint/correctness/useExhaustiveDependencies: `opened` asks again, because another pack is open
  useEffect(() => {
    let current = true
    change({ route: { screen: 'review' }, earlier: [] })
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
          No server is contacted.
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
            if (value === null) return <NothingOpen onReview={() => setChosen((count) => count + 1)} />
            if (route.screen !== 'review') return children
            if (route.part === 'sampling') return <Sampling review={value} />
            if (route.part === 'evidence') return <ReviewEvidence />
            if (route.part === 'findings') return <ReviewFindings view={value.view} />
            if (route.part === 'limits') return <ReviewLimits />
            return <ReviewSeal review={value} onReview={known} />
          }}
        </Ask>
      </main>
      <p className="said" role="status" aria-live="polite">
        {said}
      </p>
    </div>
  )
}

/** The open file on every screen of the window: name, kind, result, and time of verification. */
function What({ review }: { readonly review: PackReview }) {
  const { kind, verifiedAt } = review.report
  const { mark, tone } = HEADLINE_MARKS[review.headline.tone]
  return (
    <div className="review-what">
      <p className="review-file">{visible(review.file)}</p>
      <p className="review-facts">
        <span className={`status tone-${tone}`}>
          <Shape mark={mark} tone={tone} />
          <span>{review.headline.word}</span>
        </span>
        <span>{KINDS[kind].label}</span>
        <span className="number">Verified {when(verifiedAt)}</span>
      </p>
    </div>
  )
}

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
