import type { Location, LocationDisc } from '../../schemas/types.ts'
import { kilometres, milliseconds } from '../location-model.ts'
import { visible, when } from '../text.ts'

/** From where it was timed, by whom, and how far away the answering party can be by that. */
export function LocationDiscs({ discs }: Pick<Location, 'discs'>) {
  if (discs.length === 0)
    return (
      <p className="empty">
        No round trip was timed from a declared place. Declare a <span className="mono">vantage</span> in the fleet
        file, or bring records of other machines.
      </p>
    )
  return (
    <section className="scroll" aria-label="Vantages">
      <table className="location-discs">
        <thead>
          <tr>
            <th scope="col">Vantage</th>
            <th scope="col">Signed by</th>
            <th scope="col">Round trip</th>
            <th scope="col">Reach</th>
            <th scope="col">Beside it</th>
          </tr>
        </thead>
        <tbody>
          {discs.map((disc) => (
            <Disc key={`${disc.record ?? ''} ${disc.vantage.name}`} disc={disc} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Disc({ disc }: { readonly disc: LocationDisc }) {
  const { vantage, record, signer, at, samples, reachKm, tcpMs, keepaliveMs, text } = disc
  return (
    <tr>
      <th scope="row">
        {visible(vantage.name)}
        <span className="note">
          to within {kilometres(vantage.radiusKm)}, declared by {visible(vantage.declaredBy)}
        </span>
      </th>
      <td>
        {record === null ? (
          'Measured while collecting'
        ) : (
          <>
            Record <span className="mono">{visible(record)}</span>
            {signer !== null && <span className="note mono">key {signer.slice(0, 16)}…</span>}
          </>
        )}
        {at !== null && <span className="note">{when(at)}</span>}
      </td>
      <td className="number">
        {milliseconds(disc.milliseconds)}
        <span className="note">{samples} timed</span>
      </td>
      <td>
        {reachKm === null ? <span className="quiet">Not usable</span> : `At most ${kilometres(reachKm)}`}
        <span className="note">{visible(text)}</span>
      </td>
      <td className="number">
        <span className="note">TCP {milliseconds(tcpMs)}</span>
        <span className="note">Keep-alive {milliseconds(keepaliveMs)}</span>
      </td>
    </tr>
  )
}
