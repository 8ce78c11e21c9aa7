import { signerParts } from '../seal-model.ts'
import { visible } from '../text.ts'
import { Fingerprint } from './Fingerprint.tsx'

/** Whose key sealed a draft, with the fingerprint that its reader will compare. */
export function SealedBy({ signer }: { readonly signer: string }) {
  const { name, fingerprint } = signerParts(signer)
  return (
    <dl className="seal-facts">
      <div>
        <dt>Sealed by</dt>
        <dd>{visible(name)}</dd>
      </div>
      {fingerprint !== null && (
        <div>
          <dt>Fingerprint (SHA-256)</dt>
          <dd>
            <Fingerprint of={fingerprint} />
          </dd>
        </div>
      )}
    </dl>
  )
}
