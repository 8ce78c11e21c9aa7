import type { HardwarePin, Isolation, SignalReading } from '../../../schemas/types.ts'
import { contradictionWords, familyWords, oddsWords, readsWords, spoofWords } from '../../../schemas/words.ts'
import type { Catalog, SignalNote } from '../catalog.ts'
import { plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { type Block, type Cell, heading, type Line, plainCell, text } from './model.ts'
import { brief, plural } from './wording.ts'

/**
 * The dossier behind the four answers of one node: how it was decided, its pictures, what was read, what would have to be faked, what
 * stays open.
 */
export function dossierBlocks(
  isolation: Isolation,
  { signals }: Catalog,
  pictures: readonly Block[],
): readonly Block[] {
  const notes = new Map(signals.map((note) => [note.id, note]))
  return [
    ...decision(isolation),
    ...pictures,
    ...contradictions(isolation, notes),
    ...minimum(isolation),
    ...signalTable(isolation, notes),
    ...levels(isolation, notes),
    ...open(isolation),
    ...pins(isolation),
  ]
}

/** Names that stand for themselves only where the catalog knows them. */
const titleOf = (notes: ReadonlyMap<string, SignalNote>, id: string): string => notes.get(id)?.title ?? plain(id, 60)

function decision({ rule, weight }: Isolation): readonly Block[] {
  return [
    heading(4, 'How it was decided'),
    {
      kind: 'facts',
      rows: [
        { label: 'Rule', value: plainCell(`${rule.id}. ${plain(rule.text, 600)}`) },
        {
          label: 'Weight, as read',
          value: plainCell(`${signed(weight.honest)} (${oddsWords(weight.honest)}), if the provider is honest`),
        },
        {
          label: 'Weight, distrusted',
          value: plainCell(
            `${signed(weight.adversarial)} (${oddsWords(weight.adversarial)}), if the provider set whatever is cheap to set`,
          ),
        },
      ],
    },
    text(
      'Weights are natural logarithms of how often guests read like this over how often hardware does, from the counts printed beside each signal. They decide nothing alone; the rules decide.',
    ),
  ]
}

const signed = (weight: number): string => (weight > 0 ? `+${weight}` : weight < 0 ? `−${Math.abs(weight)}` : '0')

function contradictions(
  { contradictions: found }: Isolation,
  notes: ReadonlyMap<string, SignalNote>,
): readonly Block[] {
  if (found.length === 0) return [heading(4, 'Contradictions'), text('None was seen in what was read.')]
  return [
    heading(4, `Contradictions (${found.length})`),
    {
      kind: 'list',
      items: [...found]
        .sort((a, b) => (a.class < b.class ? -1 : a.class > b.class ? 1 : 0))
        .map(
          (one): Line => ({
            text: `${one.class}, ${familyWords[one.family]}, ${titleOf(notes, one.signal)}: ${plain(one.text, 600)}${one.captures.length === 0 ? '' : ` [evidence ${one.captures.map(({ sha256 }) => brief(sha256)).join(', ')}]`}`,
            mark: one.class === 'K1' ? 'square-cross' : 'diamond-question',
          }),
        ),
    },
    text(`K1: ${contradictionWords.K1.toLowerCase()}. K2: ${contradictionWords.K2.toLowerCase()}.`),
  ]
}

function minimum({ minimum: items, layer }: Isolation): readonly Block[] {
  if (items.length === 0 || (layer !== 'metal' && layer !== 'unknown')) return []
  const held = items.filter(({ holds }) => holds === 'yes').length
  const applies = items.filter(({ holds }) => holds !== 'not-applicable').length
  return [
    heading(4, `Minimum evidence for hardware: ${held} of ${applies} parts hold`),
    {
      kind: 'list',
      items: items.map(({ item, title, holds, text: said }) => ({
        text: `${item}. ${title}: ${plain(said, 900)}`,
        mark: holds === 'yes' ? 'ring-tick' : holds === 'no' ? 'diamond-question' : 'bar',
      })),
    },
  ]
}

const ORDER: Readonly<Record<SignalReading['reads'], number>> = {
  virtual: 0,
  metal: 1,
  neutral: 2,
  unreadable: 3,
  'not-applicable': 4,
}

/** One row per signal that was read; the others in one line each kind, so that a page holds a node. */
function signalTable({ signals: all }: Isolation, notes: ReadonlyMap<string, SignalNote>): readonly Block[] {
  const shown = all.filter(({ reads }) => reads === 'virtual' || reads === 'metal' || reads === 'neutral')
  const rest = (reads: SignalReading['reads']): string =>
    all
      .filter((one) => one.reads === reads)
      .map(({ id }) => titleOf(notes, id).toLowerCase())
      .join('; ')
  const left = [
    ['Not read', rest('unreadable')],
    ['Doesn’t apply', rest('not-applicable')],
  ].filter(([, named]) => named !== '')
  return [
    heading(4, `Signals: ${shown.length} of ${all.length} read`),
    {
      kind: 'table',
      columns: [
        { title: 'Signal', width: 32 },
        { title: 'What was read', width: 40 },
        { title: 'Counted before', width: 17 },
        { title: 'To fake', width: 11 },
      ],
      rowHeaders: true,
      rows: [...shown]
        .sort((a, b) => ORDER[a.reads] - ORDER[b.reads] || compare(a.id, b.id))
        .map((one) => row(one, notes)),
    },
    text(
      'Counted before: how many honest guests, guests dressed up as hardware, and machines of known kind read as on a guest, out of those read; then the weight of this reading.',
    ),
    ...left.map(([label, named]) => text(`${label}: ${named}.`)),
  ]
}

function row(one: SignalReading, notes: ReadonlyMap<string, SignalNote>): readonly Cell[] {
  const note = notes.get(one.id)
  const counts = note?.counts ?? null
  const { label, mark } = readsWords[one.reads]
  return [
    [{ text: titleOf(notes, one.id) }, { text: one.id, style: 'mono' }],
    [
      { text: label, mark },
      { text: plain(one.value, 160), style: 'quiet' },
    ],
    counts === null || one.weight === null
      ? plainCell('·')
      : [
          { text: [counts.vm, counts.dressed, counts.metal].map(([hits, asked]) => `${hits}/${asked}`).join('  ') },
          { text: signed(one.weight), style: 'mono' },
        ],
    plainCell(note === undefined ? '' : note.spoof),
  ]
}

function levels({ levels: all, layer }: Isolation, notes: ReadonlyMap<string, SignalNote>): readonly Block[] {
  if (all.length === 0 || layer === 'vm' || layer === 'lpar') return []
  return [
    heading(4, 'What a provider would have to fake'),
    {
      kind: 'table',
      columns: [
        { title: 'Provider', width: 25 },
        { title: 'Would have to fake', width: 27 },
        { title: 'Would still show', width: 27 },
        { title: 'Of that, read here as on hardware', width: 21 },
      ],
      rowHeaders: true,
      rows: all.map((level) => [
        plainCell(`${level.level}. ${level.provider}`),
        lines(level.mustFake, 'Nothing.'),
        lines(level.wouldStillShow, 'Nothing.'),
        plainCell(
          level.readHere.length === 0
            ? 'Nothing that was read.'
            : `${plural(level.readHere.length, 'signal')}: ${byFamily(level.readHere, notes)}.`,
        ),
      ]),
    },
    text(
      `Cost of imitation: ${Object.entries(spoofWords)
        .map(([code, words]) => `${code} ${words}`)
        .join('; ')}.`,
    ),
  ]
}

/** How many of each family, so that a list of some eighty signals stays a sentence. Which they are stands in the table above. */
function byFamily(ids: readonly string[], notes: ReadonlyMap<string, SignalNote>): string {
  const families = Object.entries(familyWords).map(
    ([family, words]) => [words.toLowerCase(), ids.filter((id) => notes.get(id)?.family === family).length] as const,
  )
  return families
    .filter(([, count]) => count > 0)
    .map(([words, count]) => `${words} ${count}`)
    .join(', ')
}

const lines = (all: readonly string[], none: string): Cell =>
  all.length === 0 ? plainCell(none) : all.map((said) => ({ text: said }))

function open({ settle, cannotShow }: Isolation): readonly Block[] {
  return [
    heading(4, 'What cannot be shown from inside'),
    { kind: 'list', items: cannotShow.map((said) => ({ text: said })) },
    ...(settle.length === 0
      ? []
      : [
          heading(4, 'What would settle open points'),
          {
            kind: 'table' as const,
            columns: [
              { title: 'Open', width: 42 },
              { title: 'What would settle it', width: 58 },
            ],
            rows: settle.map(({ what, how }) => [plainCell(plain(what, 300)), plainCell(plain(how, 900))]),
          },
        ]),
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
    heading(4, 'Parts of this machine'),
    text(
      'Serial numbers and fixed addresses, to notice a moved or swapped part in a later run. Reported by the node about itself.',
    ),
    {
      kind: 'facts',
      rows: [...new Set(all.map(({ kind }) => kind))].map((kind) => ({
        label: PIN_WORDS[kind],
        value: all
          .filter((pin) => pin.kind === kind)
          .map(({ part, value }): Line => ({ text: `${plain(value, 100)}  ${plain(part, 80)}` })),
      })),
    },
  ]
}
