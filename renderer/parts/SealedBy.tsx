import { signerParts } from '../seal-model.ts'
import { visible } from '../text.ts'
import { Fingerprint } from './Fingerprint.tsx'

/** The signer of a draft, with the fingerprint for its recipient to compare. */
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
