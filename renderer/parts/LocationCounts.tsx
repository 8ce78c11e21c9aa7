import type { LocationRow } from '../../schemas/ipc-location.ts'
import { countsOfWords, type LocationWord, placeWord, policiesOf, policyWord } from '../location-model.ts'
import { visible } from '../text.ts'
import { LocationMark } from './LocationMark.tsx'

/** Nodes per result, for the declared place and each residency rule. */
export function LocationCounts({ rows }: { readonly rows: readonly LocationRow[] }) {
  return (
    <dl className="location-counts" aria-label="Location results">
      <Count title="Declared place" words={rows.map(placeWord)} />
      {policiesOf(rows).map((title) => (
        <Count key={title} title={visible(title)} words={rows.flatMap((row) => policyWord(row, title) ?? [])} />
      ))}
    </dl>
  )
}

function Count({ title, words }: { readonly title: string; readonly words: readonly LocationWord[] }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <ul>
          {countsOfWords(words).map(({ word, text }) => (
            <li key={word}>
              <LocationMark word={word} text={text} />
            </li>
          ))}
        </ul>
      </dd>
    </div>
  )
}
