import { profileWords } from '../../../schemas/words.ts'
import { plural } from '../../core/phrases.ts'
import { oneLine } from '../../core/plain-text.ts'
import { type ThresholdValue, thresholdValues } from '../../core/profile.ts'
import { type Block, type Cell, heading, type Line, plainCell, type Section, text } from '../../core/report-document.ts'
import type { Matter } from './input.ts'
import { titles } from './titles.ts'

type LocationVerdict = Pick<Matter, 'assessment' | 'catalog'>

/** Thresholds in use, in catalog order: those that a check compares with, and all that the fleet file changed. */
function limitsUsed({ assessment, catalog }: LocationVerdict): readonly ThresholdValue[] {
  const used = new Set(catalog.checks.flatMap(({ thresholds = [] }) => thresholds))
  return [...thresholdValues(catalog.thresholds, assessment.scope.profile).values()].filter(
    ({ threshold, moved }) => used.has(threshold.id) || moved !== 'not',
  )
}

const profileOf = ({ assessment }: LocationVerdict): (typeof profileWords)[keyof typeof profileWords] =>
  profileWords[assessment.scope.profile?.name ?? 'baseline']

/** For the cover page: the threshold profile, and how many of its thresholds were changed. */
export function profileCell(judged: LocationVerdict): Cell {
  const moved = (way: ThresholdValue['moved']): number => limitsUsed(judged).filter((one) => one.moved === way).length
  const [looser, stricter] = [moved('looser'), moved('stricter')]
  const counts = [
    ...(looser === 0 ? [] : [`${plural(looser, 'threshold')} relaxed`]),
    ...(stricter === 0 ? [] : [`${plural(stricter, 'threshold')} tightened`]),
  ]
  return [
    { text: `Profile: ${profileOf(judged).label}` },
    ...(counts.length === 0 ? [] : [{ text: `${counts.join(', ')} in the fleet file` }]),
  ]
}

/** For the summary: every relaxed threshold with its reason. Empty where none was relaxed. */
export function relaxed(judged: LocationVerdict): readonly Block[] {
  const looser = limitsUsed(judged).filter(({ moved }) => moved === 'looser')
  if (looser.length === 0) return []
  return [
    {
      kind: 'banner',
      title: looser.length === 1 ? 'One threshold was relaxed' : `${looser.length} thresholds were relaxed`,
      text: 'The fleet file declares weaker values than the threshold profile. Satisfied verdicts in this report depend on these values.',
    },
    { kind: 'list', items: looser.map((limit) => ({ text: `${movedText(limit)} Reason: ${reasonOf(limit)}` })) },
  ]
}

const movedText = ({ threshold, shown, shownBefore, moved }: ThresholdValue): string =>
  `${threshold.title}: ${shown}, ${moved} than the profile’s ${shownBefore}.`
const reasonOf = ({ source }: ThresholdValue): string => oneLine(source, 600)

/** Thresholds that checks compare with, each with its source. */
export function profileSection(matter: Matter): Section {
  const { label, meaning } = profileOf(matter)
  const limits = limitsUsed(matter)
  return {
    id: 'compared',
    title: titles.compared,
    blocks: [
      text(`Profile: ${label}. ${meaning}`),
      text(
        'Verdicts depend on the thresholds below. Neither HIPAA nor the SOC 2 criteria define these values; management decides which are appropriate.',
      ),
      ...(limits.length === 0
        ? [text('No check of this catalog uses a threshold.')]
        : [heading(3, 'Thresholds used'), table(limits)]),
    ],
  }
}

const table = (limits: readonly ThresholdValue[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'Threshold', width: 38 },
    { title: 'Value', width: 24 },
    { title: 'Source', width: 38 },
  ],
  rows: limits.map((limit) => [
    [{ text: limit.threshold.title }, { text: limit.threshold.id, style: 'quiet' }],
    [{ text: limit.shown }, ...mark(limit)],
    limit.moved === 'not' ? plainCell(limit.source) : plainCell(`Fleet file. Reason: ${reasonOf(limit)}`),
  ]),
})

const mark = ({ moved, shownBefore }: ThresholdValue): readonly Line[] =>
  moved === 'not' ? [] : [{ text: `${moved} than the profile’s ${shownBefore}`, style: 'strong' }]
