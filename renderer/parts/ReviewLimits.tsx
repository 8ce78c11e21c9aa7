import type { LimitGroup } from '../../schemas/ipc-packs.ts'
import { useAnswer } from '../bridge.ts'
import { visible, withDates } from '../text.ts'
import { Ask } from './Ask.tsx'
import { Page } from './Page.tsx'

/** Everything that the pack does not show, in one place. */
export function ReviewLimits() {
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
