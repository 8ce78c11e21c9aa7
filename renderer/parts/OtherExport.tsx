import { exportRoute, useExport } from '../export-store.ts'
import { go } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Page } from './Page.tsx'

/** Replaces an export while another one is open. */
export function OtherExport({ title }: { readonly title: string }) {
  const state = useExport()
  return (
    <Page title={title}>
      <EmptyState
        title="Another export is open"
        action={
          <Button kind="primary" onPress={() => go(exportRoute(state))}>
            Continue that export
          </Button>
        }
      >
        {state.of === 'run' ? 'An evidence pack' : 'A period report'} is being sealed, or is sealed and not saved yet.
        Save or discard it first.
      </EmptyState>
    </Page>
  )
}
