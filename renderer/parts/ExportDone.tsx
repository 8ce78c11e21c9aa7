import { type Saved, startOver } from '../export-store.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { FileTable } from './FileTable.tsx'
import { Page } from './Page.tsx'
import { SealedBy } from './SealedBy.tsx'

/** What was written and where, with the digests that its reader can compare. */
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
        <h2 id="hand-over">How to hand it over</h2>
        <p className="prose">
          {saved.copy
            ? 'Give away the copy with parts withheld alone: every other file holds what is withheld from it.'
            : 'Send the pack; the report is inside it, too.'}{' '}
          Send the fingerprint of your key on another way, such as by telephone. It is what makes the seal yours.
        </p>
      </section>
      <div className="actions">
        <Button kind="primary" onPress={() => go({ screen: 'packs' })}>
          Go to packs
        </Button>
        <Button onPress={startOver}>Export another pack</Button>
      </div>
    </Page>
  )
}
