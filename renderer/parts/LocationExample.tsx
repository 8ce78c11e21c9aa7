import type { Source } from '../../schemas/ipc-views.ts'
import { EmptyState } from '../ui/EmptyState.tsx'

const EXAMPLE = `vantage:
  name: Our office
  latitude: 39.04
  longitude: -77.49
  radiusKm: 2
  declaredBy: M. Ortiz
residency:
  - { name: Images stay in the United States, region: US }
nodes:
  - name: gpu-01
    location:
      name: Ashburn
      country: US
      latitude: 39.04
      longitude: -77.48
      radiusKm: 60
      declaredBy: provider contract`

/** Nothing is declared to compare with, and what to write where. */
export function LocationExample({ of }: { readonly of: Source }) {
  return (
    <>
      <EmptyState title="No place is declared">
        {of === 'pack'
          ? 'Neither a place nor a policy is stated in this pack, so that nothing was compared.'
          : 'Write into the fleet file where each node is meant to be, where you measure from, and where nodes have to be. Then collect again. This window keeps its fleet in fleet.json in its folder of application data; close the window before you change it. The same names stand there in JSON:'}
      </EmptyState>
      {of === 'run' && (
        <pre className="location-example">
          <code>{EXAMPLE}</code>
        </pre>
      )}
    </>
  )
}
