import type { HardwarePin, Isolation, OpenPoint, SignalReading } from '../../../../schemas/types.ts'
import { anomalyWords, familyWords, indicationWords, oddsWords, spoofWords } from '../../../../schemas/words.ts'
import { of, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  list,
  plainCell,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { compare } from '../../../core/recording/recording.ts'
import type { Catalog, SignalNote } from '../../../core/rules/catalog.ts'
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
    list(
      [...found]
        .sort((a, b) => (a.class < b.class ? -1 : a.class > b.class ? 1 : 0))
        .map(
          (one): Line => ({
            text: `${anomalyWords[one.class]}. ${familyWords[one.family]}, ${titleOf(notes, one.signal)}: ${plain(one.text, 600)}${one.captures.length === 0 ? '' : ` [evidence ${one.captures.map(({ sha256 }) => brief(sha256)).join(', ')}]`}${explained.has(one.signal) ? ' Explained; see above.' : ''}`,
            mark: one.class === 'impossible' ? 'square-cross' : 'diamond-question',
          }),
        ),
    ),
  ]
}

function minimum({ minimum: items, environment }: Isolation): readonly Block[] {
  if (items.length === 0 || (environment !== 'bare-metal' && environment !== 'undetermined')) return []
  const held = items.filter(({ holds }) => holds === 'yes').length
  const applies = items.filter(({ holds }) => holds !== 'not-applicable').length
  return [
    heading(4, `Minimum evidence for hardware: ${held} of ${applies} parts satisfied`),
    list(
      items.map(({ item, title, holds, text: sentence }) => ({
        text: `${item}. ${title}: ${plain(sentence, 900)}`,
        mark: holds === 'yes' ? 'ring-tick' : holds === 'no' ? 'diamond-question' : 'bar',
      })),
    ),
  ]
}

/** Signals by indication and family, each with value, spoofing effort and weight; then signals that were not read. */
function signalTable({ signals: all }: Isolation, notes: ReadonlyMap<string, SignalNote>): readonly Block[] {
  const read = (reads: SignalReading['indicates']): readonly SignalReading[] =>
    all.filter((one) => one.indicates === reads).sort((a, b) => compare(a.id, b.id))
  const line = (reads: SignalReading['indicates'], family: string, sentences: readonly string[]): readonly Line[] =>
    sentences.length === 0
      ? []
      : [
          {
            text: `${indicationWords[reads].label}${family} (${sentences.length}): ${sentences.join('; ')}.`,
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
  return [heading(4, `Signals: ${of(decided, all.length)} read`), list([...valued, ...unread])]
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
    ...(common.adversaries.length > 0 ? [] : [levelTable(all)]),
    list(
      all.map(({ level, readOnThisNode }) => ({
        text:
          readOnThisNode.length === 0
            ? `${level}: none of the signals read.`
            : `${level}: ${plural(readOnThisNode.length, 'signal')}: ${byFamily(readOnThisNode, notes)}.`,
      })),
    ),
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
  const own = limitations.filter((sentence) => !common.limitations.includes(sentence))
  const points = openPoints.filter((point) => !common.openPoints.some(sameAs(point)))
  return [
    ...(own.length === 0
      ? []
      : [heading(4, 'Further limitations'), list(own.map((sentence) => ({ text: plain(sentence, 900) })))]),
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

/** Parts that are identical in every isolation analysis of a report. */
export interface Common {
  /** Falsification requirements by provider capability; empty where nodes differ. */
  readonly adversaries: Isolation['adversaries']
  readonly limitations: readonly string[]
  readonly openPoints: Isolation['openPoints']
}

/** The parts common to all analyses, printed once. */
export function commonOf(all: readonly Isolation[]): Common {
  const withLevels = all.filter(hasLevels).map((one) => one.adversaries)
  const [first = []] = withLevels
  const textOf = (ladder: Isolation['adversaries']): string =>
    JSON.stringify(ladder.map(({ readOnThisNode: _, ...words }) => words))
  const same = withLevels.every((ladder) => textOf(ladder) === textOf(first))
  return {
    adversaries: same ? first : [],
    limitations: (all[0]?.limitations ?? []).filter((sentence) =>
      all.every(({ limitations }) => limitations.includes(sentence)),
    ),
    openPoints:
      all.length < 2
        ? []
        : (all[0]?.openPoints ?? []).filter((point) => all.every(({ openPoints }) => openPoints.some(sameAs(point)))),
  }
}

const sameAs =
  (one: OpenPoint) =>
  ({ point, resolution }: OpenPoint): boolean =>
    point === one.point && resolution === one.resolution

/** Printed once for all nodes: method, what cannot be shown from inside a node, and falsification requirements. */
export function commonBlocks(
  { adversaries: ladder, limitations, openPoints }: Common,
  all: readonly Isolation[],
  notes: ReadonlyMap<string, SignalNote>,
): readonly Block[] {
  return [
    heading(3, 'Method of the isolation analysis', true),
    text(
      'A weight is the natural logarithm of the likelihood ratio of a signal: its frequency on guests divided by its frequency on hardware, from the counts printed with each signal. Weights alone decide nothing; the rules decide. “As observed” assumes that the provider does not falsify signals; “without cheap signals” excludes signals that are cheap for a provider to set.',
    ),
    text(
      `The code of a signal states its spoofing effort: ${spoofText()}. For signals with reference counts, the table below states how many machines of known type indicate virtualization; the weight is printed at each node.`,
    ),
    ...(limitations.length === 0
      ? []
      : [
          heading(4, 'Limitations common to all nodes'),
          list(limitations.map((sentence) => ({ text: plain(sentence, 900) }))),
        ]),
    ...(ladder.length === 0 ? [] : [heading(4, 'Falsification requirements'), levelTable(ladder)]),
    ...(openPoints.length === 0 ? [] : [heading(4, 'Open points common to all nodes'), openPointTable(openPoints)]),
    ...countedTable(all, notes),
  ]
}

/** Open points, one table row each, with the evidence that would resolve them. */
const openPointTable = (openPoints: Isolation['openPoints']): Block =>
  table(
    { 'Open point': 42, 'Evidence required': 58 },
    openPoints.map(({ point, resolution }) => [plainCell(plain(point, 300)), plainCell(plain(resolution, 900))]),
  )

/** Reference counts behind the weights, for signals with a weight on any of these nodes; identical for every node. */
function countedTable(all: readonly Isolation[], notes: ReadonlyMap<string, SignalNote>): readonly Block[] {
  const weighed = new Set(
    all.flatMap(({ signals }) => signals.filter(({ weight }) => weight !== null).map(({ id }) => id)),
  )
  const rows = [...weighed].sort(compare).flatMap((id): readonly (readonly Cell[])[] => {
    const note = notes.get(id)
    return note?.counts == null
      ? []
      : [
          [
            plainCell(note.title),
            ...[note.counts.vm, note.counts.dressed, note.counts.metal].map(([hits, asked]) =>
              plainCell(of(hits, asked)),
            ),
          ],
        ]
  })
  return rows.length === 0
    ? []
    : [
        heading(4, 'Reference counts: machines that indicate virtualization'),
        headedTable({ Signal: 46, 'Ordinary guests': 18, 'Disguised guests': 18, Hardware: 18 }, rows),
      ]
}

const spoofText = (): string =>
  Object.entries(spoofWords)
    .map(([code, words]) => `${code} ${words}`)
    .join('; ')

/** Whether falsification requirements are relevant: only where no evidence shows a guest. */
const hasLevels = ({ adversaries: all, environment }: Isolation): boolean =>
  all.length > 0 && environment !== 'virtual-machine' && environment !== 'logical-partition'

const levelTable = (adversaries: Isolation['adversaries']): Block =>
  headedTable(
    { Provider: 30, 'Would need to falsify': 35, 'Residual indicators': 35 },
    adversaries.map(({ level, adversary, wouldNeedToFalsify, residualIndicators }) => [
      plainCell(`${level}. ${adversary}`),
      lines(wouldNeedToFalsify),
      lines(residualIndicators),
    ]),
  )

const lines = (all: readonly string[]): Cell =>
  all.length === 0 ? plainCell('Nothing.') : all.map((sentence) => ({ text: sentence }))
