import type { ReactNode } from 'react'
import { failureWords } from '../../schemas/failure-words.ts'
import { collect } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { go, outdated, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { OwnPage } from './Page.tsx'
import { RunChoice } from './RunChoice.tsx'

/** Before the first collection: what the screen will show, and the step that leads there. */
export function NoResultsYet({ children }: { readonly children: ReactNode }) {
  const { fleet } = useStore()
  const hasNodes = fleet !== null && fleet.nodes.length > 0
  return (
    <EmptyState
      title="No results yet"
      action={
        hasNodes ? (
          <Button kind="primary" onPress={() => void collect('all')}>
            Collect evidence
          </Button>
        ) : (
          <ImportNodes />
        )
      }
    >
      {children}
    </EmptyState>
  )
}

/** The step of every screen that is empty because no node is declared. */
export const ImportNodes = () => (
  <Button kind="primary" onPress={() => go({ screen: 'nodes', part: 'import' })}>
    Import nodes
  </Button>
)

/**
 * Replaces results whose evaluation as of another day was cancelled. The evaluation can be started again, or another
 * run opened.
 */
export function NotEvaluated() {
  const { runs } = useStore()
  const listed = useAnswer('runs.list', null, runs)
  const { title, meaning, next } = failureWords['run.not-evaluated']
  const shown = listed.state === 'here' && listed.value.length > 1 ? listed.value.find(({ open }) => open) : undefined
  return (
    <OwnPage title="Results">
      <Notice
        interrupts
        title={title}
        means={meaning}
        next={shown === undefined ? next : `${next} You can also choose another run.`}
        actions={
          <>
            <Button kind="primary" autoFocus onPress={outdated}>
              Evaluate results
            </Button>
            {shown !== undefined && <RunChoice run={shown.run} />}
          </>
        }
      />
    </OwnPage>
  )
}
