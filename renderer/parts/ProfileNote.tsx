import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { profileWords } from '../../schemas/words.ts'
import { plural, visible } from '../text.ts'
import { Disclosure } from '../ui/Disclosure.tsx'

/** Thresholds that the fleet changed from its profile, each with its reason. Nothing where none was changed. */
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
          ? `${plural(moved.length, 'threshold')} of the profile ${label} tightened by this fleet`
          : `${looser} of ${plural(moved.length, 'changed threshold')} of the profile ${label} relaxed by this fleet`
      }
    >
      {looser > 0 && <p>Results are evaluated with these relaxed thresholds.</p>}
      <ul>
        {moved.map(({ threshold, title, shown, shownBefore, moved: way, reason }) => (
          <li key={threshold}>
            {title}: <strong>{shown}</strong>, {way} than the profile’s {shownBefore}.
            <span className="note">Reason: {visible(reason)}</span>
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}
