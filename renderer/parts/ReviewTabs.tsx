import type { PackReview } from '../../schemas/ipc-packs.ts'
import type { ReviewPart, Route } from '../routes.ts'
import { change, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'

interface Place {
  readonly id: ReviewPart | 'results' | 'location' | 'controls' | 'engagement' | 'claims'
  readonly title: string
  readonly route: Route
}

const PLACES: readonly Place[] = [
  { id: 'seal', title: 'Verification', route: { screen: 'review', part: 'seal' } },
  { id: 'findings', title: 'Findings', route: { screen: 'review', part: 'findings' } },
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
    default:
      return 'results'
  }
}

/** The tabs of the review window. A file without results has the verification only; the other tabs state this. */
export function ReviewTabs({ review }: { readonly review: PackReview }) {
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
