import { inGroups } from '../seal-model.ts'
import { Copy } from './Copy.tsx'

/** A SHA-256 fingerprint in groups of four for comparison; copied without spaces. */
export function Fingerprint({ of, what = 'the fingerprint' }: { readonly of: string; readonly what?: string }) {
  return (
    <span className="fingerprint-groups mono">
      {/* One text for screen readers and selection; the spacing is visual only. */}
      <span className="groups">
        {inGroups(of).map((group, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat; their position identifies them
          <span key={place}>{group} </span>
        ))}
      </span>
      <Copy text={of} what={what} />
    </span>
  )
}
