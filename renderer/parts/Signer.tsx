import type { PackReview } from '../../schemas/ipc-packs.ts'
import { mayConfirm, STANDINGS } from '../seal-model.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Fingerprint } from './Copy.tsx'
import { Shape } from './Mark.tsx'

/** The signer, and the reader’s trust decision. */
export function Signer({ review, onCompare }: { readonly review: PackReview; readonly onCompare: () => void }) {
  const { signer, demo } = review.report
  if (signer === null) return <p className="quiet">No signing certificate could be read from this file.</p>
  const { label, meaning } = STANDINGS[signer.standing]
  return (
    <div className="signer">
      <dl className="seal-facts">
        <div>
          <dt>Name in certificate</dt>
          <dd>{visible(signer.subject)}</dd>
        </div>
        <div>
          <dt>Fingerprint (SHA-256)</dt>
          <dd>
            <Fingerprint of={signer.fingerprint} what="the fingerprint of the signer" />
          </dd>
        </div>
        <div>
          <dt>Trust</dt>
          <dd>
            <span className="status">
              <Shape
                mark={signer.standing === 'unknown' ? 'diamond-question' : 'ring-tick'}
                tone={signer.standing === 'unknown' ? 'inconclusive' : 'satisfied'}
              />
              <span>{label}</span>
            </span>
            <span className="note">
              {demo ? 'Demo key. It can never be trusted.' : meaning}
              {review.trust !== null && ` Since ${when(review.trust.since)}: ${visible(review.trust.howVerified)}`}
            </span>
          </dd>
        </div>
      </dl>
      {mayConfirm(review) && <Button onPress={onCompare}>Compare key…</Button>}
    </div>
  )
}
