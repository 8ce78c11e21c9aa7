import { locationVerdictWords } from '../../schemas/location-words.ts'
import type { Location, LocationAnswer } from '../../schemas/types.ts'
import { nextStep } from '../location-model.ts'
import { visible } from '../text.ts'
import { LocationMark } from './LocationMark.tsx'

/** The declared place, then each policy, with its verdict, why, and what to do. */
export function LocationAnswers({ location: { claim, answers } }: { readonly location: Location }) {
  if (answers.length === 0)
    return <p className="empty">No place is declared for this node, and no policy says where it has to be.</p>
  return (
    <ul className="location-answers" aria-label="Declared place and policies">
      {answers.map((answer) => (
        <li key={`${answer.of} ${answer.title}`}>
          <Answer answer={answer} declaredBy={answer.of === 'declared-place' ? (claim?.declaredBy ?? null) : null} />
        </li>
      ))}
    </ul>
  )
}

function Answer({ answer, declaredBy }: { readonly answer: LocationAnswer; readonly declaredBy: string | null }) {
  const { of, title, verdict, text } = answer
  const next = nextStep(answer)
  return (
    <>
      <h3>
        <span className="location-of">{of === 'declared-place' ? 'Declared place' : 'Policy'}</span> {visible(title)}
      </h3>
      <p className="location-verdict">
        <LocationMark word={verdict} />
        <span className="note">{locationVerdictWords[verdict].meaning}</span>
      </p>
      <p className="prose">{visible(text)}</p>
      {declaredBy !== null && (
        <p className="note">Declared by {visible(declaredBy)}; a claim, and no evidence of it.</p>
      )}
      {next !== null && (
        <p className="prose">
          <strong>What to do:</strong> {visible(next)}
        </p>
      )}
    </>
  )
}
