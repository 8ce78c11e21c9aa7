import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { profileWords } from '../../schemas/words.ts'
import { plural, visible } from '../text.ts'
import { Disclosure } from '../ui/Disclosure.tsx'

/** Numbers that the fleet moved from what its profile says, each with its reason. Nothing where none was moved. */
export function ProfileNote({ view: { scope, moved } }: { readonly view: Pick<AssessmentView, 'scope' | 'moved'> }) {
  if (moved.length === 0) return null
  const looser = moved.filter((one) => one.moved === 'looser').length
  const { label } = profileWords[scope.profile?.name ?? 'baseline']
  return (
    <Disclosure
      level={2}
      startsOpen={looser > 0}
      title={
        looser === 0
          ? `${plural(moved.length, 'limit')} of the profile ${label} tightened by this fleet`
          : `${looser} of ${plural(moved.length, 'moved limit')} of the profile ${label} loosened by this fleet`
      }
    >
      {looser > 0 && <p>What is supported here is supported by these numbers.</p>}
      <ul>
        {moved.map(({ threshold, title, shown, shownBefore, moved: way, reason }) => (
          <li key={threshold}>
            {title}: <strong>{shown}</strong>, {way} than the profile’s {shownBefore}.
            <span className="note">Reason given: {visible(reason)}</span>
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}
