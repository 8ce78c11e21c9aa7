import type { PackReview } from '../../schemas/ipc-packs.ts'
import type { Route } from '../routes.ts'
import { change, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'

interface Place {
  readonly id: 'seal' | 'results' | 'location' | 'controls' | 'engagement' | 'claims' | 'evidence' | 'sampling'
  readonly title: string
  readonly route: Route
}

const PLACES: readonly Place[] = [
  { id: 'seal', title: 'Seal', route: { screen: 'review', part: 'seal' } },
  { id: 'results', title: 'Results', route: { screen: 'overview', of: 'pack' } },
  { id: 'location', title: 'Location', route: { screen: 'location', of: 'pack' } },
  { id: 'controls', title: 'Controls', route: { screen: 'controls', of: 'pack' } },
  { id: 'engagement', title: 'Engagement', route: { screen: 'engagement', of: 'pack' } },
  { id: 'claims', title: 'Provider claims', route: { screen: 'claims', of: 'pack' } },
  { id: 'evidence', title: 'Evidence', route: { screen: 'review', part: 'evidence' } },
  { id: 'sampling', title: 'Sampling', route: { screen: 'review', part: 'sampling' } },
]

/** Which place of the review window a screen belongs to. */
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
    case 'attachments':
      return 'controls'
    default:
      return 'results'
  }
}

/** The places of the review window. A file without findings has its seal only; the others stay and say so. */
export function ReviewTabs({ review }: { readonly review: PackReview }) {
  const { route } = useStore()
  const here = placeInReview(route)
  const nothingToRead = review.view === null
  return (
    <nav aria-label="Parts of the pack" data-pane tabIndex={-1}>
      <ul className="review-tabs">
        {PLACES.map(({ id, title, route: to }) => (
          <li key={id}>
            <Button
              kind="quiet"
              className="review-tab"
              current={here === id}
              isDisabled={nothingToRead && id !== 'seal'}
              {...(nothingToRead && id !== 'seal' ? { describedBy: 'nothing-to-read' } : {})}
              onPress={() => change({ route: to, earlier: [], said: '' })}
            >
              {title}
            </Button>
          </li>
        ))}
      </ul>
      {nothingToRead && (
        <p id="nothing-to-read" className="quiet">
          This file holds no findings that can be read here.
        </p>
      )}
    </nav>
  )
}
