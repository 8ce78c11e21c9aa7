import type { SignalView } from '../../schemas/ipc-results.ts'
import type { Isolation, SignalReading } from '../../schemas/types.ts'
import { familyWords, indicationWords, spoofWords } from '../../schemas/words.ts'
import { visible } from '../text.ts'
import { Shape } from './Mark.tsx'

export type Notes = ReadonlyMap<string, SignalView>
export interface PartProps {
  readonly isolation: Isolation
  readonly notes: Notes
}

export const titleOf = (notes: Notes, id: string): string => notes.get(id)?.title ?? id
export const signed = (weight: number): string =>
  weight > 0 ? `+${weight}` : weight < 0 ? `−${Math.abs(weight)}` : '0'

const TONES: Readonly<Record<SignalReading['indicates'], string>> = {
  virtual: 'not-satisfied',
  'bare-metal': 'satisfied',
  neutral: 'informational',
  unreadable: 'inconclusive',
  'not-applicable': 'not-applicable',
}

/** Every signal by family: indication, value, reliability, and pitfalls. */
export function Signals({ isolation: { signals }, notes }: PartProps) {
  const read = signals.filter(
    ({ indicates }) => indicates === 'virtual' || indicates === 'bare-metal' || indicates === 'neutral',
  )
  const families = Object.keys(familyWords) as (keyof typeof familyWords)[]
  const of = (family: string): readonly SignalReading[] => signals.filter(({ id }) => notes.get(id)?.family === family)
  return (
    <details>
      <summary>
        Signals: {read.length} of {signals.length} read
      </summary>
      {families
        .filter((family) => of(family).length > 0)
        .map((family) => (
          <div key={family} className="scroll">
            <table className="claims">
              <caption>{familyWords[family]}</caption>
              <thead>
                <tr>
                  <th scope="col">Signal</th>
                  <th scope="col">Indication</th>
                  <th scope="col">Value</th>
                  <th scope="col">Reliability</th>
                  <th scope="col">Pitfalls</th>
                </tr>
              </thead>
              <tbody>
                {of(family).map((one) => (
                  <SignalRow key={one.id} one={one} note={notes.get(one.id)} />
                ))}
              </tbody>
            </table>
          </div>
        ))}
    </details>
  )
}

function SignalRow({ one, note }: { readonly one: SignalReading; readonly note: SignalView | undefined }) {
  const { label, mark } = indicationWords[one.indicates]
  const ratio = ([hits, asked]: readonly [number, number]): string => `${hits} of ${asked}`
  return (
    <tr>
      <th scope="row">
        {note?.title ?? one.id}
        <span className="note mono">{one.id}</span>
      </th>
      <td>
        <span className={`status tone-${TONES[one.indicates]}`}>
          <Shape mark={mark} tone={TONES[one.indicates]} />
          <span>{label}</span>
        </span>
      </td>
      <td>{visible(one.value)}</td>
      <td>
        {note?.counts === undefined || note.counts === null
          ? 'Not measured'
          : `Indicates virtualization on ${ratio(note.counts.vm)} guests, ${ratio(note.counts.dressed)} disguised guests and ${ratio(note.counts.metal)} bare-metal machines.`}
        {one.weight !== null && ` Weight ${signed(one.weight)}.`}
      </td>
      <td>
        {note !== undefined && (
          <>
            {note.pitfalls.join(' ')} <span className="note">Spoofing effort: {spoofWords[note.spoofingEffort]}.</span>
          </>
        )}
      </td>
    </tr>
  )
}

/** What a provider at each skill level would need to falsify, and which residual indicators were read as bare metal here. */
export function Levels({ isolation: { adversaries, environment }, notes }: PartProps) {
  if (adversaries.length === 0 || environment === 'virtual-machine' || environment === 'logical-partition') return null
  return (
    <details>
      <summary>Falsification requirements</summary>
      <div className="scroll">
        <table className="claims">
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Would need to falsify</th>
              <th scope="col">Residual indicators</th>
              <th scope="col">Residual indicators read as bare metal</th>
            </tr>
          </thead>
          <tbody>
            {adversaries.map((level) => (
              <tr key={level.level}>
                <th scope="row">
                  {level.level}. {level.adversary}
                </th>
                <td>{level.wouldNeedToFalsify.length === 0 ? 'None.' : level.wouldNeedToFalsify.join(' ')}</td>
                <td>{level.residualIndicators.join(' ')}</td>
                <td>
                  {level.readOnThisNode.length === 0
                    ? 'None.'
                    : level.readOnThisNode.map((id) => titleOf(notes, id)).join('; ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
