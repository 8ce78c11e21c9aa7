import type { DistanceBound, Location } from '../../schemas/types.ts'
import { kilometres, milliseconds } from '../location-model.ts'
import { visible, when } from '../text.ts'

/** Vantage points, signers, round-trip times, and the maximum distance of the SSH responder. */
export function LocationDiscs({ distanceBounds }: Pick<Location, 'distanceBounds'>) {
  if (distanceBounds.length === 0)
    return (
      <p className="empty">
        No round-trip time was measured from a declared place. Declare a <span className="mono">vantage</span> in the
        fleet file, or add measurement files of other machines.
      </p>
    )
  return (
    <section className="scroll" aria-label="Vantage points">
      <table className="location-discs">
        <thead>
          <tr>
            <th scope="col">Vantage point</th>
            <th scope="col">Signed by</th>
            <th scope="col">Round-trip time</th>
            <th scope="col">Maximum distance</th>
            <th scope="col">Other times</th>
          </tr>
        </thead>
        <tbody>
          {distanceBounds.map((disc) => (
            <Disc key={`${disc.record ?? ''} ${disc.vantage.name}`} disc={disc} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Disc({ disc }: { readonly disc: DistanceBound }) {
  const { vantage, record, signer, at, samples, maxDistanceKm, tcpMs, keepaliveMs, text } = disc
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
          'Measured during collection'
        ) : (
          <>
            Measurement file <span className="mono">{visible(record)}</span>
            {signer !== null && <span className="note mono">key {signer.slice(0, 16)}…</span>}
          </>
        )}
        {at !== null && <span className="note">{when(at)}</span>}
      </td>
      <td className="number">
        {milliseconds(disc.milliseconds)}
        <span className="note">{samples} samples</span>
      </td>
      <td>
        {maxDistanceKm === null ? <span className="quiet">Not usable</span> : `At most ${kilometres(maxDistanceKm)}`}
        <span className="note">{visible(text)}</span>
      </td>
      <td className="number">
        <span className="note">TCP {milliseconds(tcpMs)}</span>
        <span className="note">Keep-alive {milliseconds(keepaliveMs)}</span>
      </td>
    </tr>
  )
}
