import type { NextStepKind } from '../../schemas/ipc-findings.ts'
import { NO_FINDING_FILTER, routeOf, SEVERE } from '../models/finding-model.ts'
import { isOffered } from '../models/routes.ts'
import { collect } from '../state/actions.ts'
import { useAnswer, useKept } from '../state/bridge.ts'
import { go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'

const STEPS: Readonly<Record<NextStepKind, () => void>> = {
  import: () => go({ screen: 'nodes', part: 'import' }),
  collect: () => void collect('all'),
  'view-collection': () => go({ screen: 'collecting' }),
  'missed-runs': () => go(routeOf({ rows: 'missed-runs' }, 'run')),
  requests: () => go(routeOf({ rows: 'requests' }, 'run')),
  assign: () =>
    go({
      screen: 'findings',
      of: 'run',
      filter: { ...NO_FINDING_FILTER, severities: SEVERE, owner: { is: 'none' } },
      respond: true,
    }),
  reconcile: () => go({ screen: 'engagement', of: 'run', part: 'population' }),
  engagement: () => go({ screen: 'engagement', of: 'run', begin: true }),
  'audit-day': () => go({ screen: 'engagement', of: 'run' }),
  'assign-documents': () => go({ screen: 'documents', of: 'run' }),
  identity: () => go({ screen: 'settings', part: 'identity' }),
  sealer: () => go({ screen: 'export', step: 'seal' }),
  export: () => go({ screen: 'export' }),
}

/** Opens the screen of a step. */
export const takeStep = (step: NextStepKind): void => STEPS[step]()

/** Whether the screen of a step is offered. A sealer is configured where exports are. */
export const mayTake = (step: NextStepKind): boolean => step !== 'sealer' || isOffered({ screen: 'export' })

/** Steps before there are results. Other screens lead to them anyway. */
const BEFORE: readonly NextStepKind[] = ['import', 'collect', 'view-collection']

/** The next step of the audit, unless the screen itself is for that step. */
export function NextStep({ within }: { readonly within: readonly NextStepKind[] }) {
  const { runs, portal } = useStore()
  const answer = useKept(useAnswer('home.get', null, `${runs} ${portal}`), 'next step')
  if (answer.state !== 'here') return null
  const { next, results } = answer.value
  if (results === null || BEFORE.includes(next.is)) return null
  const isHere = within.includes(next.is)
  // Documents arrive over weeks, so an export does not wait for the last one.
  const mayExport = next.is === 'assign-documents' || next.is === 'identity' || next.is === 'sealer'
  return (
    <>
      {mayExport && isOffered({ screen: 'export' }) && <Button onPress={() => takeStep('export')}>Export…</Button>}
      {!isHere && mayTake(next.is) && (
        <Button kind="primary" onPress={() => takeStep(next.is)}>
          {next.label}
        </Button>
      )}
    </>
  )
}
