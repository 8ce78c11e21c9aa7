import { locationVerdictWords } from '../../schemas/location-words.ts'
import type { Location, LocationResult } from '../../schemas/types.ts'
import { nextStep } from '../location-model.ts'
import { visible } from '../text.ts'
import { LocationMark } from './LocationMark.tsx'

/** The declared place, then each residency rule, with result, reason and recommended action. */
export function LocationAnswers({ location: { claim, results } }: { readonly location: Location }) {
  if (results.length === 0) return <p className="empty">No declared place and no residency rule for this node.</p>
  return (
    <ul className="location-answers" aria-label="Declared place and residency rules">
      {results.map((answer) => (
        <li key={`${answer.of} ${answer.title}`}>
          <Answer answer={answer} declaredBy={answer.of === 'declared-place' ? (claim?.declaredBy ?? null) : null} />
        </li>
      ))}
    </ul>
  )
}

function Answer({ answer, declaredBy }: { readonly answer: LocationResult; readonly declaredBy: string | null }) {
  const { of, title, result, text } = answer
  const next = nextStep(answer)
  return (
    <>
      <h3>
        <span className="location-of">{of === 'declared-place' ? 'Declared place' : 'Residency rule'}</span>{' '}
        {visible(title)}
      </h3>
      <p className="location-verdict">
        <LocationMark word={result} />
        <span className="note">{locationVerdictWords[result].meaning}</span>
      </p>
      <p className="prose">{visible(text)}</p>
      {declaredBy !== null && <p className="note">Declared by {visible(declaredBy)}; a declaration is not evidence.</p>}
      {next !== null && (
        <p className="prose">
          <strong>Recommendation:</strong> {visible(next)}
        </p>
      )}
    </>
  )
}
