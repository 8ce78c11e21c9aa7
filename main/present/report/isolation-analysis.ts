import type { HardwarePin, Isolation, SignalReading } from '../../../schemas/types.ts'
import { anomalyWords, familyWords, indicationWords, oddsWords } from '../../../schemas/words.ts'
import type { Catalog, SignalNote } from '../../core/catalog.ts'
import { of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import { type Block, heading, type Line, plainCell, text } from '../../core/report-document.ts'
import { type Common, hasLevels, LEVEL_COLUMNS, levelCells, openPointTable, sameAs } from './isolation-common.ts'
import { brief } from './wording.ts'

interface Telling {
  readonly common: Common
  readonly short: boolean
  /** Signals with an explanation in the register, printed above. */
  readonly explained: ReadonlySet<string>
}

/**
 * The isolation analysis behind the four results of one node: decision, figures, signals, falsification requirements and
 * open points. Parts in `common` are not repeated. The short form omits the signals and what follows from them.
 */
export function isolationAnalysis(
  isolation: Isolation,
  { signals }: Catalog,
  pictures: readonly Block[],
  { common, short, explained }: Telling,
): readonly Block[] {
  const notes = new Map(signals.map((note) => [note.id, note]))
  return [
    ...decision(isolation),
    ...pictures,
    ...anomalies(isolation, notes, explained),
    ...minimum(isolation),
    ...(short
      ? []
      : [
          ...signalTable(isolation, notes),
          ...levels(isolation, notes, common),
          ...open(isolation, common),
          ...pins(isolation),
        ]),
  ]
}

/** A signal’s title from the catalog, or its ID where the catalog does not contain it. */
const titleOf = (notes: ReadonlyMap<string, SignalNote>, id: string): string => notes.get(id)?.title ?? plain(id, 60)

function decision({ rule, likelihood }: Isolation): readonly Block[] {
  return [
    heading(4, 'Basis of the result'),
    {
      kind: 'facts',
      rows: [
        { label: 'Rule', value: plainCell(`${rule.id}. ${plain(rule.text, 600)}`) },
        {
          label: 'Weight',
          value: plainCell(
            `As observed ${signed(likelihood.asObserved)} (${oddsWords(likelihood.asObserved)}); without cheap signals ${signed(likelihood.withoutCheapSignals)} (${oddsWords(likelihood.withoutCheapSignals)})`,
          ),
        },
      ],
    },
  ]
}

const signed = (weight: number): string => (weight > 0 ? `+${weight}` : weight < 0 ? `−${Math.abs(weight)}` : '0')

function anomalies(
  { anomalies: found }: Isolation,
  notes: ReadonlyMap<string, SignalNote>,
  explained: ReadonlySet<string>,
): readonly Block[] {
  if (found.length === 0) return [heading(4, 'Anomalies'), text('None in the facts collected.')]
  return [
    heading(4, `Anomalies (${found.length})`),
    {
      kind: 'list',
      items: [...found]
        .sort((a, b) => (a.class < b.class ? -1 : a.class > b.class ? 1 : 0))
        .map(
          (one): Line => ({
            text: `${anomalyWords[one.class]}. ${familyWords[one.family]}, ${titleOf(notes, one.signal)}: ${plain(one.text, 600)}${one.captures.length === 0 ? '' : ` [evidence ${one.captures.map(({ sha256 }) => brief(sha256)).join(', ')}]`}${explained.has(one.signal) ? ' Explained; see above.' : ''}`,
            mark: one.class === 'impossible' ? 'square-cross' : 'diamond-question',
          }),
        ),
    },
  ]
}

function minimum({ minimum: items, environment }: Isolation): readonly Block[] {
  if (items.length === 0 || (environment !== 'bare-metal' && environment !== 'undetermined')) return []
  const held = items.filter(({ holds }) => holds === 'yes').length
  const applies = items.filter(({ holds }) => holds !== 'not-applicable').length
  return [
    heading(4, `Minimum evidence for hardware: ${held} of ${applies} parts satisfied`),
    {
      kind: 'list',
      items: items.map(({ item, title, holds, text: said }) => ({
        text: `${item}. ${title}: ${plain(said, 900)}`,
        mark: holds === 'yes' ? 'ring-tick' : holds === 'no' ? 'diamond-question' : 'bar',
      })),
    },
  ]
}

/** Signals by indication and family, each with value, spoofing effort and weight; then signals that were not read. */
function signalTable({ signals: all }: Isolation, notes: ReadonlyMap<string, SignalNote>): readonly Block[] {
  const read = (reads: SignalReading['indicates']): readonly SignalReading[] =>
    all.filter((one) => one.indicates === reads).sort((a, b) => compare(a.id, b.id))
  const line = (reads: SignalReading['indicates'], family: string, said: readonly string[]): readonly Line[] =>
    said.length === 0
      ? []
      : [
          {
            text: `${indicationWords[reads].label}${family} (${said.length}): ${said.join('; ')}.`,
            mark: indicationWords[reads].mark,
          },
        ]
  const valued = (['virtual', 'bare-metal', 'neutral'] as const).flatMap((reads) => {
    const own = (has: (family: string | undefined) => boolean): readonly string[] =>
      read(reads)
        .filter(({ id }) => has(notes.get(id)?.family))
        .map((one) => signalValue(one, notes))
    return [
      ...Object.entries(familyWords).flatMap(([id, words]) =>
        line(
          reads,
          `, ${words}`,
          own((family) => family === id),
        ),
      ),
      ...line(
        reads,
        '',
        own((family) => family === undefined),
      ),
    ]
  })
  const unread = (['unreadable', 'not-applicable'] as const).flatMap((reads) =>
    line(
      reads,
      '',
      read(reads).map(({ id }) => titleOf(notes, id)),
    ),
  )
  const decided = all.filter(({ indicates }) => indicates !== 'unreadable' && indicates !== 'not-applicable').length
  return [heading(4, `Signals: ${of(decided, all.length)} read`), { kind: 'list', items: [...valued, ...unread] }]
}

/** "Who made the ACPI tables: “SUPERM” (S0)", with the weight where the signal has reference counts. */
function signalValue({ id, value, weight }: SignalReading, notes: ReadonlyMap<string, SignalNote>): string {
  const spoof = notes.get(id)?.spoofingEffort
  const behind = [...(spoof === undefined ? [] : [spoof]), ...(weight === null ? [] : [signed(weight)])]
  return `${titleOf(notes, id)}: ${plain(value, 160)}${behind.length === 0 ? '' : ` (${behind.join(', ')})`}`
}

/** Residual indicators that were read here as bare metal, by provider capability; the requirements themselves where they differ between nodes. */
function levels(isolation: Isolation, notes: ReadonlyMap<string, SignalNote>, common: Common): readonly Block[] {
  if (!hasLevels(isolation)) return []
  const { adversaries: all } = isolation
  return [
    heading(4, 'Residual indications of bare metal'),
    ...(common.adversaries.length > 0
      ? []
      : [{ kind: 'table', columns: LEVEL_COLUMNS, rowHeaders: true, rows: all.map(levelCells) } as const]),
    {
      kind: 'list',
      items: all.map(({ level, readOnThisNode }) => ({
        text:
          readOnThisNode.length === 0
            ? `${level}: none of the signals read.`
            : `${level}: ${plural(readOnThisNode.length, 'signal')}: ${byFamily(readOnThisNode, notes)}.`,
      })),
    },
  ]
}

/** Counts by family, because a list of about eighty signals would be unreadable; the signals are in the list above. */
function byFamily(ids: readonly string[], notes: ReadonlyMap<string, SignalNote>): string {
  const families = Object.entries(familyWords).map(
    ([family, words]) => [words.toLowerCase(), ids.filter((id) => notes.get(id)?.family === family).length] as const,
  )
  return families
    .filter(([, count]) => count > 0)
    .map(([words, count]) => `${words} ${count}`)
    .join(', ')
}

function open({ openPoints, limitations }: Isolation, common: Common): readonly Block[] {
  const own = limitations.filter((said) => !common.limitations.includes(said))
  const points = openPoints.filter((point) => !common.openPoints.some(sameAs(point)))
  return [
    ...(own.length === 0
      ? []
      : [
          heading(4, 'Further limitations'),
          { kind: 'list', items: own.map((said) => ({ text: plain(said, 900) })) } as const,
        ]),
    ...(points.length === 0
      ? []
      : [heading(4, common.openPoints.length === 0 ? 'Open points' : 'Further open points'), openPointTable(points)]),
  ]
}

const PIN_WORDS: Readonly<Record<HardwarePin['kind'], string>> = {
  system: 'System',
  board: 'Board',
  chassis: 'Chassis',
  processor: 'Processor',
  memory: 'Memory module',
  gpu: 'GPU',
  disk: 'Drive',
  nic: 'Network adapter',
  hca: 'Fabric adapter',
  bmc: 'Management controller',
  tpm: 'TPM',
}

function pins({ pins: all }: Isolation): readonly Block[] {
  if (all.length === 0) return []
  return [
    heading(4, 'Hardware identifiers'),
    text(
      'Serial numbers and fixed addresses, used to detect moved or replaced components in later runs. Self-reported by the node.',
    ),
    {
      kind: 'facts',
      rows: [...new Set(all.map(({ kind }) => kind))].map((kind) => ({
        label: PIN_WORDS[kind],
        value: plainCell(
          all
            .filter((pin) => pin.kind === kind)
            .map(({ part, value }) => `${plain(value, 100)} (${plain(part, 80)})`)
            .join('; '),
        ),
      })),
    },
  ]
}
