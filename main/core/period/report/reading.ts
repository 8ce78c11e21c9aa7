import { standingLimitation } from '../../../../schemas/words.ts'
import { heading, type Section, text } from '../../report/model.ts'
import { DAY_STATES, dayStateWords } from './day-states.ts'
import { PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

/** What a reader needs to know before the numbers: which words mean what, and what kind of report this can serve. */
export function readingSection(_: PeriodReportInput): Section {
  return {
    id: 'reading',
    title: PERIOD_TITLES.reading,
    blocks: [
      text(
        'Each run is a reading of one moment. A period is covered as densely as runs were planned and took place, and no more: between two runs, nothing was seen. So every count here has its denominator beside it, and the days on which nothing was seen stand first.',
      ),
      {
        kind: 'list',
        items: [
          {
            text: 'A plan says when runs are due. It is an entry of the chain, made before the runs; a plan that was made later covers nothing before it.',
          },
          {
            text: 'A run counts as the planned one where its own sealed entry names the schedule and the time at which it was due.',
          },
          {
            text: 'A gap is recorded where a signed entry says that a planned run did not take place. A planned run of which the chain says nothing is a gap that nobody recorded, and is told first.',
          },
          {
            text: 'A deviation is a claim that was contradicted on one node, from the run that found it to the first run that shows it supported or not applicable. A run that could not decide it ends nothing.',
          },
          {
            text: 'Changes stand in three lists that never mix: what nodes answered, the rules that judged it, and what was declared.',
          },
        ],
      },
      heading(3, 'Days of the calendar'),
      text('A day that shows more than one of these counts as the first of them.'),
      {
        kind: 'table',
        rowHeaders: true,
        columns: [
          { title: 'Letter', width: 9 },
          { title: 'Shows', width: 26 },
          { title: 'Meaning', width: 65 },
        ],
        rows: DAY_STATES.map((state) => {
          const { letter, label, meaning } = dayStateWords[state]
          return [[{ text: letter, style: 'strong' }], [{ text: label }], [{ text: meaning }]]
        }),
      },
      heading(3, 'A point in time, and a period of time'),
      text(
        `In a SOC 2® examination, a type 1 report is as of a point in time, and a type 2 report covers a period of time. The report of one run serves the first. This one puts the runs of a period in order for the second: coverage, deviations, whole populations and samples that can be drawn again. It is information that the entity produced. The practitioner decides how far to rely on it, and ${seePart('lists')} gives what is usually asked of such information: its source, its parameters, its row count and its digest.`,
      ),
      heading(3, 'How long it is kept'),
      text(
        'HIPAA asks a covered entity or business associate to keep the documentation required by 45 CFR 164.316(b)(1) for six years from its creation or from when it last was in effect, whichever is later (45 CFR 164.316(b)(2)(i)). That duty is the owner’s. Whether this pack is part of that documentation is the owner’s decision, too.',
      ),
      text(standingLimitation('pack records')),
    ],
  }
}
