import type { ReactNode } from 'react'
import { collect } from '../actions.ts'
import { go, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'

/** Before the first collection: what the screen will show, and the step that leads there. */
export function NoResultsYet({ children }: { readonly children: ReactNode }) {
  const { fleet } = useStore()
  const hasNodes = fleet !== null && fleet.nodes.length > 0
  return (
    <EmptyState
      title="No results yet"
      action={
        hasNodes ? (
          <Button onPress={() => void collect('all')}>Collect evidence</Button>
        ) : (
          <Button onPress={() => go({ screen: 'nodes', part: 'import' })}>Add nodes</Button>
        )
      }
    >
      {children}
    </EmptyState>
  )
}
