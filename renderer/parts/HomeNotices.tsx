import type { HomeNotice } from '../../schemas/ipc-findings.ts'
import { routeOf } from '../models/finding-model.ts'
import { useResults } from '../state/actions.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Phrases } from './FindingParts.tsx'
import { Shape } from './Mark.tsx'

const MARKS: Readonly<Record<HomeNotice['is'], readonly [mark: string, tone: string]>> = {
  'late-requests': ['square-cross', 'not-satisfied'],
  requests: ['diamond-question', 'inconclusive'],
  missed: ['square-cross', 'not-satisfied'],
  overdue: ['dotted-ring', 'inconclusive'],
  unknown: ['diamond-question', 'inconclusive'],
  explained: ['bar', 'not-applicable'],
  changed: ['diamond-question', 'inconclusive'],
  unchanged: ['ring-tick', 'satisfied'],
}

/**
 * Requests of auditors, missed scheduled runs, and changes since the previous run, each with a button to the screen
 * that handles it.
 */
export function HomeNotices({ first }: { readonly first: readonly HomeNotice[] }) {
  const answer = useResults('home.changes', null)
  const changes = answer.state === 'here' ? answer.value : []
  const all = [...first, ...changes]
  if (all.length === 0) return null
  return (
    <ul className="home-notices" aria-label="Requests, missed runs and changes">
      {all.map(({ is, phrases, action }) => (
        <li key={is} className="home-notice">
          <Shape mark={MARKS[is][0]} tone={MARKS[is][1]} />
          <p className="home-notice-words">
            <Phrases phrases={phrases} />
          </p>
          <Button small onPress={() => go(routeOf(action.opens, 'run'))}>
            {action.label}
          </Button>
        </li>
      ))}
    </ul>
  )
}
