import { profileWords } from '../../../schemas/words.ts'
import { oneLine } from '../plain-text.ts'
import { type Limit, limitsOf } from '../profile.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, plainCell, type Section, text } from './model.ts'
import { titles } from './titles.ts'
import { plural } from './wording.ts'

type Judged = Pick<Matter, 'assessment' | 'catalog'>

/** The numbers that held, in the order of the catalog: those that a check compares against, and every one that the fleet moved. */
function limitsUsed({ assessment, catalog }: Judged): readonly Limit[] {
  const used = new Set(catalog.checks.flatMap(({ thresholds = [] }) => thresholds))
  return [...limitsOf(catalog.thresholds, assessment.scope.profile).values()].filter(
    ({ threshold, moved }) => used.has(threshold.id) || moved !== 'not',
  )
}

const profileOf = ({ assessment }: Judged): (typeof profileWords)[keyof typeof profileWords] =>
  profileWords[assessment.scope.profile?.name ?? 'baseline']

/** For the first page: which profile judged, and how many of its limits were moved. */
export function profileCell(judged: Judged): Cell {
  const moved = (way: Limit['moved']): number => limitsUsed(judged).filter((one) => one.moved === way).length
  const [looser, stricter] = [moved('looser'), moved('stricter')]
  const counts = [
    ...(looser === 0 ? [] : [`${plural(looser, 'limit')} loosened`]),
    ...(stricter === 0 ? [] : [`${plural(stricter, 'limit')} tightened`]),
  ]
  return [
    { text: `Profile: ${profileOf(judged).label}` },
    ...(counts.length === 0 ? [] : [{ text: `${counts.join(', ')} by the fleet’s own declaration` }]),
  ]
}

/** For the reader's page: every limit that the fleet loosened, with its reason. Nothing where none was. */
export function loosened(judged: Judged): readonly Block[] {
  const looser = limitsUsed(judged).filter(({ moved }) => moved === 'looser')
  if (looser.length === 0) return []
  return [
    {
      kind: 'banner',
      title: looser.length === 1 ? 'A limit was loosened' : `${looser.length} limits were loosened`,
      text: 'By the fleet’s own declaration, against what the profile says. What is supported here is supported by these numbers.',
    },
    { kind: 'list', items: looser.map((limit) => ({ text: `${movedText(limit)} Reason given: ${reasonOf(limit)}` })) },
  ]
}

const movedText = ({ threshold, shown, shownBefore, moved }: Limit): string =>
  `${threshold.title}: ${shown}, ${moved} than the profile’s ${shownBefore}.`
const reasonOf = ({ source }: Limit): string => oneLine(source, 600)

/** Which numbers the checks compared against, each with where it comes from. */
export function profileSection(matter: Matter): Section {
  const { label, meaning } = profileOf(matter)
  const limits = limitsUsed(matter)
  return {
    id: 'compared',
    title: titles.compared,
    blocks: [
      text(`Profile: ${label}. ${meaning}`),
      text(
        'A verdict holds by the numbers below. No rule of HIPAA and no SOC 2 criterion sets them; which ones fit is decided by the people responsible.',
      ),
      ...(limits.length === 0
        ? [text('No check of this catalog compares against a number.')]
        : [heading(3, 'Every number that a check compared against'), table(limits)]),
    ],
  }
}

const table = (limits: readonly Limit[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'Number', width: 38 },
    { title: 'Value', width: 24 },
    { title: 'Where it comes from', width: 38 },
  ],
  rows: limits.map((limit) => [
    [{ text: limit.threshold.title }, { text: limit.threshold.id, style: 'quiet' }],
    [{ text: limit.shown }, ...mark(limit)],
    limit.moved === 'not'
      ? plainCell(limit.source)
      : plainCell(`The fleet’s own declaration. Reason given: ${reasonOf(limit)}`),
  ]),
})

const mark = ({ moved, shownBefore }: Limit): readonly Line[] =>
  moved === 'not' ? [] : [{ text: `${moved} than the profile’s ${shownBefore}`, style: 'strong' }]
