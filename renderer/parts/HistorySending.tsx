import type { SentRow, SentState } from '../../schemas/ipc-history.ts'
import { SENT_WORDS, sentItemsText, sentReason } from '../../schemas/sent-words.ts'
import { may } from '../models/team.ts'
import { plural, visible, when } from '../models/text.ts'
import { useAnswer } from '../state/bridge.ts'
import { useStore } from '../state/store.ts'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { Ask, FailureNote } from './Ask.tsx'
import { MarkedLine } from './Mark.tsx'
import { textColumn, type WholeColumn, WholeTable } from './WholeTable.tsx'

/** Marks of states. Only what the outbox lists as delivered is a full disc. */
const MARKS: Readonly<Record<SentState, { readonly mark: string; readonly tone: string }>> = {
  sent: { mark: 'disc', tone: 'informational' },
  waiting: { mark: 'disc-half', tone: 'inconclusive' },
  'given-up': { mark: 'square-cross', tone: 'not-satisfied' },
  refused: { mark: 'square-cross', tone: 'not-satisfied' },
  'not-planned': { mark: 'dotted-ring', tone: 'inconclusive' },
  nothing: { mark: 'ring', tone: 'not-applicable' },
}

/**
 * The outcome of sending packs to other systems. Not shown where nothing is sent, or for roles that may not see it.
 */
export function HistorySending() {
  return may('history.sending') ? <Sending /> : null
}

function Sending() {
  const { runs } = useStore()
  const answer = useAnswer('history.sending', null, runs)
  // Only a server that sends has this section, so nothing is drawn before the answer.
  if (answer.state === 'waiting' || (answer.state === 'here' && answer.value === null)) return null
  return (
    <section aria-labelledby="sending">
      <h2 id="sending">Other systems</h2>
      <Ask answer={answer}>
        {(view) =>
          view === null ? null : view.shortfalls.length > 0 ? (
            <>
              <Notice
                kind="warning"
                title="What was sent is not known"
                means="The outbox could not be read. Packs may have been sent or not."
              />
              {view.shortfalls.map((error) => (
                <FailureNote key={`${error.code} ${error.detail}`} error={error} />
              ))}
            </>
          ) : view.rows.total === 0 ? (
            <EmptyState title="No packs to send">
              Sealed packs are sent by the configuration of this engagement.
            </EmptyState>
          ) : (
            <WholeTable
              table="sending"
              caption={
                <>
                  {plural(view.rows.total, 'line')}
                  {view.rows.rows.length < view.rows.total ? `, the first ${view.rows.rows.length} are shown` : ''}
                </>
              }
              columns={COLUMNS}
              rows={view.rows.rows}
              keyOf={({ run, target, at, why }) => `${run} ${target ?? ''} ${at ?? ''} ${why ?? ''}`}
              most={MOST_DRAWN}
            />
          )
        }
      </Ask>
    </section>
  )
}

const MOST_DRAWN = 100

const COLUMNS: readonly WholeColumn<SentRow>[] = [
  textColumn('run', 'Run', ({ run }) => run, { isRowHeader: true }),
  {
    id: 'target',
    title: 'Receiver',
    text: ({ target }) => target ?? 'All',
    cell: ({ target }) => (target === null ? <span className="quiet">All</span> : visible(target)),
  },
  {
    id: 'state',
    title: 'State',
    text: ({ state }) => SENT_WORDS[state],
    cell: ({ state }) => <MarkedLine {...MARKS[state]} label={SENT_WORDS[state]} />,
  },
  textColumn('items', 'Items', ({ items }) => sentItemsText(items)),
  { id: 'date', title: 'Date', cellClass: 'number', text: ({ at }) => at ?? '', cell: ({ at }) => when(at) },
  { id: 'reason', title: 'Reason', text: sentReason, cell: (row) => visible(sentReason(row)) },
]
