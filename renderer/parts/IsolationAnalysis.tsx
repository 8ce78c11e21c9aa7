import type { ProbeView, SignalView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { Isolation, SignalReading } from '../../schemas/types.ts'
import { anomalyWords, familyWords, indicationWords, oddsWords, spoofWords } from '../../schemas/words.ts'
import { ledgerOf, weightsOf } from '../models/ledger.ts'
import { plural, visible } from '../models/text.ts'
import { Fact } from '../ui/Fact.tsx'
import { Ledger } from './Ledger.tsx'
import { MarkedLine, Shape } from './Mark.tsx'
import { useTable } from './TableTools.tsx'
import { SortedTable, textColumn, type WholeColumn, WholeTable } from './WholeTable.tsx'

interface IsolationAnalysisProps {
  readonly isolation: Isolation
  readonly signals: readonly SignalView[]
  readonly probes: readonly ProbeView[]
  readonly of: Source
  readonly node: string
}

/** The isolation analysis: rule, likelihood ratios, anomalies, signals, falsification requirements, open points. */
export function IsolationAnalysis({ isolation, signals, probes, of, node }: IsolationAnalysisProps) {
  const notes: Notes = new Map(signals.map((note) => [note.id, note]))
  return (
    <div className="dossier">
      <Decision isolation={isolation} />
      <Anomalies isolation={isolation} notes={notes} />
      <details>
        <summary>Observations: {isolation.observations.length}</summary>
        <Ledger
          sides={ledgerOf(isolation.observations, probes, weightsOf(isolation))}
          of={of}
          node={node}
          onAllow={null}
        />
      </details>
      <Minimum isolation={isolation} />
      <Signals isolation={isolation} notes={notes} />
      <Levels isolation={isolation} notes={notes} />
      <Open isolation={isolation} />
      <Pins isolation={isolation} />
    </div>
  )
}

function Decision({ isolation: { rule, likelihood } }: { readonly isolation: Isolation }) {
  return (
    <dl className="four-answers" aria-label="Method">
      <Fact term="Deciding rule">
        {rule.id}. {visible(rule.text)}
      </Fact>
      <Fact term="Likelihood, as observed">
        {signed(likelihood.asObserved)} ({oddsWords(likelihood.asObserved)})
      </Fact>
      <Fact term="Likelihood, without signals that are cheap to falsify">
        {signed(likelihood.withoutCheapSignals)} ({oddsWords(likelihood.withoutCheapSignals)})
      </Fact>
    </dl>
  )
}

function Anomalies({ isolation: { anomalies }, notes }: PartProps) {
  if (anomalies.length === 0) return <p className="quiet">No anomalies observed.</p>
  return (
    <details open>
      <summary>
        {anomalies.length} {anomalies.length === 1 ? 'anomaly' : 'anomalies'}
      </summary>
      <ul className="marked">
        {anomalies.map((one) => (
          <li key={`${one.signal} ${one.text}`}>
            <Shape
              mark={one.class === 'impossible' ? 'square-cross' : 'diamond-question'}
              tone={one.class === 'impossible' ? 'not-satisfied' : 'inconclusive'}
            />
            <span>
              {visible(one.text)}{' '}
              <span className="note">
                {anomalyWords[one.class]}. {familyWords[one.family]}: {titleOf(notes, one.signal)}.
              </span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

const HOLDS = {
  yes: { mark: 'ring-tick', tone: 'satisfied', word: 'Present' },
  no: { mark: 'diamond-question', tone: 'inconclusive', word: 'Missing' },
  'not-applicable': { mark: 'bar', tone: 'not-applicable', word: 'Not applicable' },
} as const

function Minimum({ isolation: { minimum, environment } }: { readonly isolation: Isolation }) {
  if (minimum.length === 0 || (environment !== 'bare-metal' && environment !== 'undetermined')) return null
  const applies = minimum.filter(({ holds }) => holds !== 'not-applicable')
  return (
    <details open={environment === 'undetermined'}>
      <summary>
        Minimum evidence for hardware: {applies.filter(({ holds }) => holds === 'yes').length} of {applies.length}{' '}
        present
      </summary>
      <ul className="marked">
        {minimum.map(({ item, title, holds, text }) => (
          <li key={item}>
            <Shape mark={HOLDS[holds].mark} tone={HOLDS[holds].tone} />
            <span>
              {HOLDS[holds].word}: {title}. <span className="note">{visible(text)}</span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Open({ isolation: { limitations, openPoints } }: { readonly isolation: Isolation }) {
  return (
    <>
      <details>
        <summary>Not observable from the node</summary>
        <ul>
          {limitations.map((limitation) => (
            <li key={limitation}>{limitation}</li>
          ))}
        </ul>
      </details>
      {openPoints.length > 0 && (
        <details>
          <summary>{plural(openPoints.length, 'open point')} with evidence that would decide each</summary>
          <SortedTable<Isolation['openPoints'][number]>
            className="claims"
            columns={[
              textColumn('point', 'Open point', ({ point }) => point, { isRowHeader: true }),
              textColumn('evidence', 'Deciding evidence', ({ resolution }) => resolution),
            ]}
            rows={openPoints}
            keyOf={({ point }) => point}
          />
        </details>
      )}
    </>
  )
}

function Pins({ isolation: { pins } }: { readonly isolation: Isolation }) {
  if (pins.length === 0) return null
  return (
    <details>
      <summary>Hardware identifiers: {pins.length} serial numbers and addresses</summary>
      <p className="quiet">Self-reported by the node; used to detect moved or replaced components in later runs.</p>
      <SortedTable<Isolation['pins'][number]>
        className="claims"
        columns={[
          textColumn('kind', 'Kind', ({ kind }) => kind, { isRowHeader: true }),
          textColumn('part', 'Component', ({ part }) => part),
          textColumn('value', 'Serial number or address', ({ value }) => value, { cellClass: 'mono' }),
        ]}
        rows={pins}
        keyOf={({ kind, part, value }) => `${kind} ${part} ${value}`}
      />
    </details>
  )
}

type Notes = ReadonlyMap<string, SignalView>
interface PartProps {
  readonly isolation: Isolation
  readonly notes: Notes
}

const titleOf = (notes: Notes, id: string): string => notes.get(id)?.title ?? id
const signed = (weight: number): string => (weight > 0 ? `+${weight}` : weight < 0 ? `−${Math.abs(weight)}` : '0')

const TONES: Readonly<Record<SignalReading['indicates'], string>> = {
  virtual: 'not-satisfied',
  'bare-metal': 'satisfied',
  neutral: 'informational',
  unreadable: 'inconclusive',
  'not-applicable': 'not-applicable',
}

interface NotedSignal {
  readonly one: SignalReading
  readonly note: SignalView | undefined
}

const familyOf = ({ note }: NotedSignal): string =>
  note === undefined ? '' : familyWords[note.family as keyof typeof familyWords]

const SIGNAL_COLUMNS: readonly WholeColumn<NotedSignal>[] = [
  { id: 'family', title: 'Family', isKept: true, text: familyOf },
  {
    id: 'signal',
    title: 'Signal',
    isRowHeader: true,
    text: ({ one, note }) => note?.title ?? one.id,
    cell: ({ one, note }) => (
      <>
        {note?.title ?? one.id}
        <span className="note mono">{one.id}</span>
      </>
    ),
  },
  {
    id: 'indication',
    title: 'Indication',
    text: ({ one }) => indicationWords[one.indicates].label,
    cell: ({ one: { indicates } }) => (
      <MarkedLine
        mark={indicationWords[indicates].mark}
        tone={TONES[indicates]}
        label={indicationWords[indicates].label}
      />
    ),
  },
  textColumn('value', 'Value', ({ one }) => one.value),
  textColumn('reliability', 'Reliability', reliabilityOf),
  {
    id: 'pitfalls',
    title: 'Pitfalls',
    text: ({ note }) => (note === undefined ? null : `${note.pitfalls.join(' ')} ${spoofingOf(note)}`),
    cell: ({ note }) =>
      note !== undefined && (
        <>
          {note.pitfalls.join(' ')} <span className="note">{spoofingOf(note)}</span>
        </>
      ),
  },
]

const spoofingOf = ({ spoofingEffort }: SignalView): string => `Spoofing effort: ${spoofWords[spoofingEffort]}.`

function reliabilityOf({ one: { weight }, note }: NotedSignal): string {
  const ratio = ([hits, asked]: readonly [number, number]): string => `${hits} of ${asked}`
  const counts = note?.counts ?? null
  const measured =
    counts === null
      ? 'Not measured'
      : `Indicates virtualization on ${ratio(counts.vm)} guests, ${ratio(counts.dressed)} disguised guests and ${ratio(counts.metal)} bare-metal machines.`
  return weight === null ? measured : `${measured} Weight ${signed(weight)}.`
}

/** Every signal by family: indication, value, reliability, and pitfalls. */
function Signals({ isolation: { signals }, notes }: PartProps) {
  const read = signals.filter(
    ({ indicates }) => indicates === 'virtual' || indicates === 'bare-metal' || indicates === 'neutral',
  )
  const noted = signals.map((one): NotedSignal => ({ one, note: notes.get(one.id) })).filter(({ note }) => note)
  const { grid, tools } = useTable('signals', SIGNAL_COLUMNS, noted)
  return (
    <details>
      <summary>
        Signals: {read.length} of {signals.length} read
      </summary>
      <div className="table-bar">{tools}</div>
      {Object.values(familyWords).map((family) => {
        const own = grid.rows.filter((row) => familyOf(row) === family)
        return (
          own.length > 0 && (
            <SortedTable
              key={family}
              className="claims"
              caption={family}
              {...grid}
              rows={own}
              keyOf={({ one }) => one.id}
            />
          )
        )
      })}
    </details>
  )
}

const orNone = (text: string): string => (text === '' ? 'None.' : text)

const levelColumns = (notes: Notes): readonly WholeColumn<Isolation['adversaries'][number]>[] => [
  textColumn('provider', 'Provider', ({ level, adversary }) => `${level}. ${adversary}`, { isRowHeader: true }),
  textColumn('falsify', 'Would need to falsify', ({ wouldNeedToFalsify }) => orNone(wouldNeedToFalsify.join(' '))),
  textColumn('residual', 'Residual indicators', ({ residualIndicators }) => residualIndicators.join(' ')),
  textColumn('read', 'Residual indicators read as bare metal', ({ readOnThisNode }) =>
    orNone(readOnThisNode.map((id) => titleOf(notes, id)).join('; ')),
  ),
]

/** What a provider at each skill level would need to falsify, and which residual indicators were read as bare metal here. */
function Levels({ isolation: { adversaries, environment }, notes }: PartProps) {
  if (adversaries.length === 0 || environment === 'virtual-machine' || environment === 'logical-partition') return null
  return (
    <details>
      <summary>Falsification requirements</summary>
      <WholeTable
        table="falsification"
        className="claims"
        columns={levelColumns(notes)}
        rows={adversaries}
        keyOf={({ level }) => `${level}`}
      />
    </details>
  )
}
