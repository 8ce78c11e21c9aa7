import { type Saved, startOver } from '../export-store.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { FileTable } from './FileTable.tsx'
import { Page } from './Page.tsx'
import { SealedBy } from './SealedBy.tsx'

/** Written files and their location, with digests for the recipient to compare. */
export function ExportDone({ saved }: { readonly saved: Saved }) {
  return (
    <Page
      title="Pack exported"
      under={
        <>
          In <span className="mono source">{visible(saved.folder)}</span>
        </>
      }
    >
      <SealedBy signer={saved.signer} />
      <FileTable label="Files written" files={saved.files} />
      <section aria-labelledby="hand-over">
        <h2 id="hand-over">Delivery</h2>
        <p className="prose">
          {saved.copy
            ? 'Deliver only the redacted copy: every other file contains the redacted parts.'
            : 'Deliver the pack; it includes the report.'}{' '}
          Send the fingerprint of your key over a different channel, such as telephone, so that the recipient can
          confirm the signer.
        </p>
      </section>
      <div className="actions">
        <Button kind="primary" onPress={() => go({ screen: 'packs' })}>
          Open evidence packs
        </Button>
        <Button onPress={startOver}>Export another pack</Button>
      </div>
    </Page>
  )
}
