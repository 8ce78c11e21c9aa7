import type { RulesSpan } from '../../../../schemas/types.ts'
import { plain } from '../../plain-text.ts'
import { type Block, heading, monoCell, plainCell, quiet, type Section, text } from '../../report/model.ts'
import { brief, plural } from '../../report/wording.ts'
import { MOST_ROWS, moment, PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

/** Which catalog and engine judged from when to when. */
export function rulesSection({ period }: PeriodReportInput): Section {
  const { rules, runs } = period
  const changed = rules.length - 1
  return {
    id: 'rules',
    title: PERIOD_TITLES.rules,
    blocks: [
      text(
        rules.length === 0
          ? 'No trace of a run is at hand, so no rules are known.'
          : changed === 0
            ? `One set of rules judged ${plural(runs.length, 'run')}: every verdict of the period was reached the same way.`
            : `The rules changed ${changed === 1 ? 'once' : `${changed} times`}. Where they do, a verdict can come out otherwise although the node answers the same, and a claim can be asked that was not asked before. So a deviation that begins or ends with such a change says nothing of the node by itself; ${seePart('changes')} keeps the lists apart.`,
      ),
      ...(rules.length === 0 ? [] : [spanTable(rules)]),
      ...(rules.length > MOST_ROWS
        ? [quiet(`And ${rules.length - MOST_ROWS} more, in data/period.json in the pack.`)]
        : []),
      heading(3, 'What stands under a digest'),
      text(
        'The catalog’s digest covers every question, check and mapping. The digest of the rules covers the engine’s version, the catalog and the numbers that checks compare with. Runs with the same digest judge the same answers alike.',
      ),
    ],
  }
}

const spanTable = (rules: readonly RulesSpan[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'First run (UTC)', width: 25 },
    { title: 'Last run (UTC)', width: 25 },
    { title: 'Runs', width: 8 },
    { title: 'Engine', width: 12 },
    { title: 'Catalog', width: 15 },
    { title: 'Rules', width: 15 },
  ],
  rows: rules
    .slice(0, MOST_ROWS)
    .map(({ from, to, runs, engine, catalog, rules: digest }) => [
      [{ text: moment(from.at) }, { text: plain(from.run, 100), style: 'quiet' }],
      [{ text: moment(to.at) }, { text: plain(to.run, 100), style: 'quiet' }],
      plainCell(String(runs)),
      plainCell(plain(engine, 40)),
      monoCell(brief(catalog)),
      monoCell(brief(digest)),
    ]),
})
