import { CONTROL_STATES, controlStateWords } from '../../../schemas/words.ts'
import type { Framework } from '../framework.ts'
import { plain } from '../plain-text.ts'
import { countedCheck, joined } from '../tally.ts'
import { controlDetail, type Row, withoutNodes } from './control-detail.ts'
import { dayOf } from './declared.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, plainCell, type Section, text } from './model.ts'
import { see } from './titles.ts'
import { of, share, stateLine, when } from './wording.ts'

const STATUS: Readonly<Record<string, string>> = {
  'in-force': 'In force.',
  'in-use': 'In use.',
  'proposed-not-in-force': 'Proposed, not in force.',
}

/** One framework: how many items stand where, every item that nodes bear on in one table and then in full, and the others in one table. */
export function controlSection(matter: Matter, framework: Framework): Section {
  const results = new Map(
    matter.assessment.controls
      .filter(({ framework: id }) => id === framework.id)
      .map((result) => [result.control, result]),
  )
  const rows = framework.controls.flatMap((control): readonly Row[] => {
    const result = results.get(control.key)
    return result === undefined ? [] : [{ control, result }]
  })
  const own = isOwn(matter, framework)
  const onNodes = rows.filter(rests)
  const onPeople = rows.filter((row) => !rests(row))
  return {
    id: `controls-${framework.id}`,
    title: `Controls: ${plain(framework.title, 120)}`,
    blocks: [
      ...banner(framework, own),
      text(
        `${STATUS[framework.status] ?? ''} ${plain(framework.version, 200)}. Titles and summaries are in ${own ? 'the words of whoever wrote the mapping' : 'our words'} and are not legal advice. A state says what the evidence in this report supports; whether an item is satisfied is decided by the people responsible and their auditor.`.trim(),
      ),
      ...pointInTime(matter, framework),
      text(HOW),
      heading(3, 'Where the items stand', true),
      stateTable(rows),
      ...(onNodes.length === 0
        ? []
        : [
            heading(3, `Items that node evidence bears on (${of(onNodes.length, rows.length)})`, true),
            text(BACKGROUND),
            overview(onNodes, new Set(matter.catalog.notFromNodes.map(({ id }) => id))),
          ]),
      ...(onPeople.length === 0
        ? []
        : [
            heading(3, `Items without node evidence (${of(onPeople.length, rows.length)})`, true),
            text('Nobody can automate this; it rests on records. Nothing here was read on a server.'),
            peopleTable(matter, onPeople),
          ]),
      ...(onNodes.length === 0 ? [] : [heading(3, 'Each item that node evidence bears on, in full', true)]),
      ...onNodes.flatMap((row) => controlDetail(matter, framework, row)),
    ],
  }
}

/** Whether a node's answers bear on an item, be it as background only. */
const rests = ({ control: { evidenceClass } }: Row): boolean =>
  evidenceClass === 'automatable' || evidenceClass === 'partial'

const HOW = `From a count to the answers: take the check’s id. ${see('checks')} has its claim and its limits; ${see('gaps')} has the nodes that contradict it, with what was observed there and the short codes of the answers; ${see('undecided')} has the nodes where it was not decided; ${see('evidence')} says where the answers lie.`

const BACKGROUND =
  'Checks are counted over all declared nodes together: three checks on eight nodes are 24 answers. Where the node part is “None”, the checks are background, and what they answered, contradictions included, decides nothing about the item.'

const OVERLAY: Block = {
  kind: 'banner',
  title: 'Proposed rule, not in force',
  text: 'This section reads the same evidence against a proposal. Nothing in it is an obligation, and nothing in it changes the other sections.',
}
const OWN: Block = {
  kind: 'banner',
  title: 'The customer’s own mapping',
  text: 'Items, their words and the checks that bear on them come from a file of the customer. We did not judge whether a check fits an item; what each check observed is as in the rest of this report.',
}

const banner = ({ overlay }: Framework, own: boolean): readonly Block[] => (overlay ? [OVERLAY] : own ? [OWN] : [])

/** Whether a framework is the customer's: one of ours keeps its name, whatever a mapping calls itself. */
const isOwn = ({ assessment }: Matter, framework: Framework): boolean =>
  assessment.scope.mappings?.some((mapping) => mapping === framework) === true

/** SOC 2: one date is no period (AT-C 105 and 205: type 1 against type 2). */
function pointInTime({ assessment }: Matter, { id }: Framework): readonly Block[] {
  if (id !== 'soc2') return []
  const framing = assessment.scope.engagement?.framing
  const period =
    framing?.kind === 'period'
      ? ` The period declared is ${dayOf(framing.from)} to ${dayOf(framing.to)}; this is one date in it or beside it.`
      : ''
  return [
    text(
      `As of ${when(assessment.asOf)}. A SOC 2® examination over a period needs evidence through that period; one collection describes one date and says nothing about operation before or after it.${period} Deviations are counted over all declared nodes; an accepted exception does not take one away.`,
    ),
  ]
}

function stateTable(rows: readonly Row[]): Block {
  const used = CONTROL_STATES.map((state) => ({
    state,
    count: rows.filter(({ result }) => result.state === state).length,
  })).filter(({ count }) => count > 0)
  return {
    kind: 'table',
    columns: [
      { title: 'State', width: 30 },
      { title: 'Items', width: 12 },
      { title: 'Meaning', width: 58 },
    ],
    rows: used.map(({ state, count }) => [
      [stateLine(state)],
      plainCell(of(count, rows.length)),
      plainCell(controlStateWords[state].meaning),
    ]),
  }
}

const overview = (rows: readonly Row[], notFromNodes: ReadonlySet<string>): Block => ({
  kind: 'table',
  rowHeaders: true,
  columns: [
    { title: 'Item', width: 31 },
    { title: 'State', width: 16 },
    { title: 'Node part', width: 14 },
    { title: 'Records held', width: 8 },
    { title: 'Checks on nodes', width: 31 },
  ],
  rows: rows.map(({ control, result }): readonly Cell[] => [
    [{ text: plain(`${control.id} ${control.title}`, 400), style: 'strong' }],
    [stateLine(result.state)],
    result.nodePart === null ? plainCell('None') : [stateLine(result.nodePart)],
    plainCell(of(result.records.held, result.records.needed)),
    plainCell(counts(result, notFromNodes)),
  ]),
})

/** Over all mapped checks and nodes, in a line or two; each check’s own counts stand at the item in full. */
function counts({ checks }: Row['result'], notFromNodes: ReadonlySet<string>): string {
  if (checks.length === 0) return 'No check is mapped.'
  const all = joined(checks.map(countedCheck))
  const parts: readonly (readonly [count: number, words: string])[] = [
    [all.counts['not-met'], 'contradicted'],
    [all.counts.inconclusive, 'undecided'],
    [all.counts['not-tested'], 'not collected'],
    [all.counts.informational, 'recorded'],
    [all.counts['not-applicable'], 'not applicable'],
  ]
  const supported = share(all, 'met')
  const unbuilt = checks.filter(({ built }) => !built).length
  const beyond = checks.filter(({ built, check }) => !built && notFromNodes.has(check)).length
  return [
    [`${supported} supported`, ...parts.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]))].join(
      ', ',
    ),
    ...(beyond === 0 ? [] : [`${of(beyond, checks.length)} checks that nodes cannot bear`]),
    ...(unbuilt === beyond ? [] : [`${of(unbuilt - beyond, checks.length)} checks not in this catalog`]),
  ].join('; ')
}

const peopleTable = (matter: Matter, rows: readonly Row[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'Item', width: 42 },
    { title: 'State', width: 18 },
    { title: 'Records, and what is not shown', width: 40 },
  ],
  rows: rows.map((row) => withoutNodes(matter, row)),
})
