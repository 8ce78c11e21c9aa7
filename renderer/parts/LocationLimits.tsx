import { LOCATION_SHOWS } from '../../schemas/location-words.ts'
import { Disclosure } from '../ui/Disclosure.tsx'

/** What a location result can and cannot show: beside every one of them, and open on paper. */
export const LocationLimits = ({ level = 3 }: { readonly level?: 2 | 3 }) => (
  <Disclosure title="What this can and cannot show" level={level} className="location-limits">
    <div className="scroll">
      <table className="location-shows">
        <thead>
          <tr>
            <th scope="col">Statement</th>
            <th scope="col">Whether it is shown</th>
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
