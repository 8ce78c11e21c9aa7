import { useState } from 'react'
import type { ExceptionView } from '../../schemas/ipc-packs.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { useKept } from '../kept.ts'
import { Acceptances, STANDING } from '../parts/Acceptances.tsx'
import { Ask } from '../parts/Ask.tsx'
import { FailureNote } from '../parts/Failure.tsx'
import { Page } from '../parts/Page.tsx'
import { say, useStore } from '../store.ts'
import { plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'

/** What has ended comes first: it is a finding again that nobody accepts. */
const ORDER: readonly ExceptionView['standing'][] = ['expired', 'in-force', 'withdrawn']
const SHOWN = [
  { id: 'all', title: 'All' },
  ...ORDER.map((id) => ({ id, title: STANDING[id] })),
] as const satisfies readonly { readonly id: ExceptionView['standing'] | 'all'; readonly title: string }[]

/** Every finding that somebody accepts for a time, with what became of it. */
export function Exceptions({ of }: { readonly of: Source }) {
  const { runs } = useStore()
  const answer = useKept(useAnswer('register.get', { of }, runs), of)
  const save = useAction('exceptions.save')
  const [text, setText] = useState('')
  const [shown, setShown] = useState<ExceptionView['standing'] | 'all'>('all')
  const onSave = async (): Promise<void> => {
    const saved = await save.run(null)
    if (saved !== null) say(`List saved as ${saved.file}.`)
  }
  return (
    <Page
      title="Exceptions"
      over={of === 'pack' ? 'As stated in the pack' : 'Findings that somebody accepts for a time'}
      under="A verdict stays what it is. An acceptance stands beside it, with a name and an end."
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
        {({ exceptions }) => {
          const wanted = text.trim().toLowerCase()
          const matching = exceptions.filter(
            (one) =>
              (shown === 'all' || one.standing === shown) &&
              [one.check, one.owner, one.reason, one.approvedBy, ...one.nodes].join(' ').toLowerCase().includes(wanted),
          )
          return (
            <>
              <div className="table-bar">
                <SearchField label="Find an acceptance" value={text} onChange={setText} isFilter />
                <Select label="Standing" hideLabel options={SHOWN} value={shown} onChange={setShown} />
                <span className="note" role="status">
                  {matching.length} of {plural(exceptions.length, 'acceptance')}
                </span>
              </div>
              {exceptions.length === 0 && (
                <EmptyState title="No finding is accepted">
                  Here will be each finding that somebody accepts until a day. It is accepted from the page of its
                  claim.
                </EmptyState>
              )}
              {exceptions.length > 0 && matching.length === 0 && <p className="empty">No acceptance matches.</p>}
              {ORDER.map((standing) => {
                const own = matching
                  .filter((one) => one.standing === standing)
                  .sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
                return own.length === 0 ? null : (
                  <section key={standing} aria-label={`${STANDING[standing]}: ${own.length}`}>
                    <h2>
                      {STANDING[standing]} <span className="number quiet">{own.length}</span>
                    </h2>
                    <Acceptances exceptions={own} of={of} withChecks />
                  </section>
                )
              })}
            </>
          )
        }}
      </Ask>
    </Page>
  )
}
