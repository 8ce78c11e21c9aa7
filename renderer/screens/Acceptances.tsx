import { useState } from 'react'
import type { DecisionView, RegisterView } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { standingWords } from '../../schemas/words.ts'
import { useAction } from '../actions.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { Acceptances } from '../parts/Acceptances.tsx'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { Decisions } from '../parts/Decisions.tsx'
import { Page } from '../parts/Page.tsx'
import { AcceptanceRequests } from '../parts/PendingRequests.tsx'
import { acceptancesShown, type Shown, STANDINGS } from '../register-model.ts'
import { announce, useStore } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'

const SHOWN: readonly { readonly id: Shown; readonly title: string }[] = [
  { id: 'all', title: 'All' },
  { id: 'pending', title: 'Pending approval' },
  ...STANDINGS.map((id) => ({ id, title: standingWords[id] })),
]

/** Risk acceptances, acceptance requests and control decisions, each with its status. */
export function RiskAcceptances({ of }: { readonly of: Source }) {
  const { runs } = useStore()
  const answer = useKept(useAnswer('register.get', { of }, runs), of)
  const save = useAction('acceptances.save')
  const [text, setText] = useState('')
  const view = useKept(useAnswer('assessment.get', { of }, runs), of)
  const [shown, setShown] = useState<Shown>('all')
  const onSave = async (): Promise<void> => {
    const saved = await save.run(null)
    if (saved !== null) announce(`List saved as ${saved.file}.`)
  }
  return (
    <Page
      title="Risk acceptances"
      over={of === 'pack' ? 'As stated in the pack' : 'Deviations accepted by management until a date'}
      under="Accepting a risk does not change the verdict."
      actions={
        of === 'run' && (
          <Button busy={save.busy} onPress={() => void onSave()}>
            Save list
          </Button>
        )
      }
    >
      {save.error !== null && <FailureNote error={save.error} />}
      <Ask answer={answer}>
        {(register) => {
          const found = acceptancesShown(register, text, shown)
          return (
            <>
              <div className="table-bar">
                <SearchField label="Find a risk acceptance" value={text} onChange={setText} isFilter />
                <Select label="Status" hideLabel options={SHOWN} value={shown} onChange={setShown} />
                <span className="note" role="status">
                  {found.count} of {found.total === 1 ? '1 entry' : `${found.total} entries`}
                </span>
              </div>
              {found.total === 0 && (
                <EmptyState title="No risk acceptances">Add a risk acceptance from the page of a result.</EmptyState>
              )}
              {found.total > 0 && found.count === 0 && <p className="empty">No matching risk acceptances.</p>}
              {found.pending.length > 0 && (
                <section aria-label={`Requests: ${found.pending.length}`}>
                  <h2>
                    Requests <span className="number quiet">{found.pending.length}</span>
                  </h2>
                  <p className="quiet">Requests have no effect until approved.</p>
                  <AcceptanceRequests requests={found.pending} of={of} />
                </section>
              )}
              {found.groups.map(({ standing, entries }) => (
                <section key={standing} aria-label={`${standingWords[standing]}: ${entries.length}`}>
                  <h2>
                    {standingWords[standing]} <span className="number quiet">{entries.length}</span>
                  </h2>
                  {standing === 'expired' && (
                    <p className="quiet">
                      An expired or withdrawn acceptance has no effect: its deviation is no longer accepted.
                    </p>
                  )}
                  <Acceptances acceptances={entries} of={of} withChecks />
                </section>
              ))}
              <DecidedRows of={of} register={register} view={view.state === 'here' ? view.value : null} />
            </>
          )
        }}
      </Ask>
    </Page>
  )
}

interface DecidedRowsProps {
  readonly of: Source
  readonly register: RegisterView
  readonly view: AssessmentView | null
}

/** Control decisions, in a separate list: a decision accepts no risk. */
function DecidedRows({ of, register, view }: DecidedRowsProps) {
  const nameOf = ({ framework, control }: DecisionView): string => {
    const frame = view?.frameworks.find(({ id }) => id === framework)
    const row = frame?.controls.find(({ key }) => key === control)
    return visible(frame === undefined || row === undefined ? control : `${frame.title}, ${row.id} ${row.title}`)
  }
  const order = (one: DecisionView): number => STANDINGS.indexOf(one.standing)
  const decisions = [...register.decisions].sort((a, b) => order(a) - order(b) || (a.expiresAt < b.expiresAt ? -1 : 1))
  return (
    <section aria-labelledby="decisions">
      <h2 id="decisions">
        Control decisions <span className="number quiet">{decisions.length}</span>
      </h2>
      {decisions.length === 0 ? (
        <p className="quiet">No control decisions. Add one from the control’s page.</p>
      ) : (
        <Decisions decisions={decisions} of={of} rowName={nameOf} />
      )}
    </section>
  )
}
