import { generalLimitation } from '../../../schemas/words.ts'
import { heading, type Section, text } from '../../core/report-document.ts'
import { DAY_STATES, dayStateWords } from './day-states.ts'
import { PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

/** Method and terms, and the kind of report that this information can support. */
export function readingSection(_: PeriodReportInput): Section {
  return {
    id: 'reading',
    title: PERIOD_TITLES.reading,
    blocks: [
      text(
        'Each run shows one point in time. Not tested: operation between runs. Every count is printed with its denominator, and days without evidence precede the results.',
      ),
      {
        kind: 'list',
        items: [
          {
            text: 'A schedule defines when runs are due. It is an entry of the run chain and applies only to runs after its entry.',
          },
          {
            text: 'A run counts as scheduled where its sealed entry states the schedule and the due time.',
          },
          {
            text: 'A missed run is explained where a signed entry states the reason. A missed run without an entry is unexplained and is listed first.',
          },
          {
            text: 'A deviation is one check not satisfied on one node, from the run that found it to the first run that shows it satisfied or not applicable. An inconclusive run does not end a deviation.',
          },
          {
            text: 'Changes are in three separate lists: evidence, rules and scope.',
          },
        ],
      },
      heading(3, 'Days of the calendar'),
      text('A day with several of these states counts as the first.'),
      {
        kind: 'table',
        rowHeaders: true,
        columns: [
          { title: 'Letter', width: 9 },
          { title: 'State', width: 26 },
          { title: 'Meaning', width: 65 },
        ],
        rows: DAY_STATES.map((state) => {
          const { letter, label, meaning } = dayStateWords[state]
          return [[{ text: letter, style: 'strong' }], [{ text: label }], [{ text: meaning }]]
        }),
      },
      heading(3, 'Type 1 and type 2'),
      text(
        `In a SOC 2® examination, a type 1 report is as of a point in time, and a type 2 report covers a period of time. The report of one run can support a type 1 examination. This report can support a type 2 examination: coverage, deviations, complete populations and reproducible samples. It is information produced by the entity (IPE). The practitioner decides how far to rely on it; ${seePart('lists')} states source, parameters, number of items and digest of each population.`,
      ),
      heading(3, 'Retention'),
      text(
        'HIPAA requires a covered entity or business associate to retain the documentation required by 45 CFR 164.316(b)(1) for six years from its creation or from when it last was in effect, whichever is later (45 CFR 164.316(b)(2)(i)). The owner is responsible for retention and decides whether this pack is part of that documentation.',
      ),
      text(generalLimitation('pack records')),
    ],
  }
}
