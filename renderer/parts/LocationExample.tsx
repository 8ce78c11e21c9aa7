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

/** Shown without a declared place or residency rule, with an example. */
export function LocationExample({ of }: { readonly of: Source }) {
  return (
    <>
      <EmptyState title="No location declared">
        {of === 'pack'
          ? 'This pack declares neither a place nor a residency rule, so nothing was compared.'
          : 'In the fleet file, declare the place of each node, your vantage point and the residency rules. Then collect again. This window stores its fleet in fleet.json in its application data folder; close the window before you edit it. The file uses the same names in JSON:'}
      </EmptyState>
      {of === 'run' && (
        <pre className="location-example">
          <code>{EXAMPLE}</code>
        </pre>
      )}
    </>
  )
}
