import { LOCATION_SHOWS } from '../../schemas/location-words.ts'
import { Disclosure } from '../ui/Disclosure.tsx'

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
