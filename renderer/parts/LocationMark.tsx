import { LOCATION_SHOWS } from '../../schemas/location-words.ts'
import { type LocationWord, STATEMENT_SUPPORT, type StatementSupport, shownAs } from '../location-model.ts'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Shape } from './Mark.tsx'

/** A location result, as mark and label. */
export function LocationMark({ word, text }: { readonly word: LocationWord; readonly text?: string }) {
  const { label, mark, tone } = shownAs(word)
  return (
    <span className={`status tone-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <span>{text ?? label}</span>
    </span>
  )
}

/** What one statement shows for one place or rule. */
export function StatementMark({ support }: { readonly support: StatementSupport }) {
  const { label, mark, tone } = STATEMENT_SUPPORT[support]
  return (
    <span className={`status tone-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <span>{label}</span>
    </span>
  )
}

/** Limitations of location results: shown with each of them, and open in print. */
export const LocationLimits = ({ level = 3 }: { readonly level?: 2 | 3 }) => (
  <Disclosure title="Limitations" level={level} className="location-limits">
    <div className="scroll">
      <table className="location-shows">
        <thead>
          <tr>
            <th scope="col">Statement</th>
            <th scope="col">Conclusion</th>
          </tr>
        </thead>
        <tbody>
          {LOCATION_SHOWS.map(({ statement, status }) => (
            <tr key={statement}>
              <th scope="row">{statement}</th>
              <td>{status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Disclosure>
)
