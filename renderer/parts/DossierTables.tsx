import type { SignalView } from '../../schemas/ipc-results.ts'
import type { Isolation, SignalReading } from '../../schemas/types.ts'
import { familyWords, readsWords, spoofWords } from '../../schemas/words.ts'
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

const TONES: Readonly<Record<SignalReading['reads'], string>> = {
  virtual: 'not-met',
  metal: 'met',
  neutral: 'informational',
  unreadable: 'inconclusive',
  'not-applicable': 'not-applicable',
}

/** Every signal by family: how it reads, what was read, what was counted before, where it misleads. */
export function Signals({ isolation: { signals }, notes }: PartProps) {
  const read = signals.filter(({ reads }) => reads === 'virtual' || reads === 'metal' || reads === 'neutral')
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
                  <th scope="col">Reads</th>
                  <th scope="col">What was read</th>
                  <th scope="col">Counted before</th>
                  <th scope="col">Where it misleads</th>
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
  const { label, mark } = readsWords[one.reads]
  const ratio = ([hits, asked]: readonly [number, number]): string => `${hits} of ${asked}`
  return (
    <tr>
      <th scope="row">
        {note?.title ?? one.id}
        <span className="note mono">{one.id}</span>
      </th>
      <td>
        <span className={`status tone-${TONES[one.reads]}`}>
          <Shape mark={mark} tone={TONES[one.reads]} />
          <span>{label}</span>
        </span>
      </td>
      <td>{visible(one.value)}</td>
      <td>
        {note?.counts === undefined || note.counts === null
          ? 'Not counted'
          : `As on a guest: ${ratio(note.counts.vm)} guests, ${ratio(note.counts.dressed)} dressed-up guests, ${ratio(note.counts.metal)} machines.`}
        {one.weight !== null && ` Weight ${signed(one.weight)}.`}
      </td>
      <td>
        {note !== undefined && (
          <>
            {note.traps.join(' ')} <span className="note">To fake it: {spoofWords[note.spoof]}.</span>
          </>
        )}
      </td>
    </tr>
  )
}

/** What a provider of each skill would have to fake, and which of what would still show was read here. */
export function Levels({ isolation: { levels, layer }, notes }: PartProps) {
  if (levels.length === 0 || layer === 'vm' || layer === 'lpar') return null
  return (
    <details>
      <summary>What a provider would have to fake</summary>
      <div className="scroll">
        <table className="claims">
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Would have to fake</th>
              <th scope="col">Would still show</th>
              <th scope="col">Of that, read here as on hardware</th>
            </tr>
          </thead>
          <tbody>
            {levels.map((level) => (
              <tr key={level.level}>
                <th scope="row">
                  {level.level}. {level.provider}
                </th>
                <td>{level.mustFake.length === 0 ? 'Nothing.' : level.mustFake.join(' ')}</td>
                <td>{level.wouldStillShow.join(' ')}</td>
                <td>
                  {level.readHere.length === 0
                    ? 'Nothing that was read.'
                    : level.readHere.map((id) => titleOf(notes, id)).join('; ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
