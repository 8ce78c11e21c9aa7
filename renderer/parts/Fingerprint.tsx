import { inGroups } from '../seal-model.ts'
import { Copy } from './Copy.tsx'

/** A SHA-256 fingerprint in groups of four, so that people can compare it; copied without the gaps. */
export function Fingerprint({ of, what = 'the fingerprint' }: { readonly of: string; readonly what?: string }) {
  return (
    <span className="fingerprint-groups mono">
      {/* One text for those who hear it or select it; the gaps are drawn. */}
      <span className="groups">
        {inGroups(of).map((group, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat, and their place is what they are
          <span key={place}>{group} </span>
        ))}
      </span>
      <Copy text={of} what={what} />
    </span>
  )
}
