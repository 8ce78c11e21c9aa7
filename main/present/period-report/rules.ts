import type { RulesSpan } from '../../../schemas/types.ts'
import { plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { type Block, heading, monoCell, plainCell, quiet, type Section, text } from '../../core/report-document.ts'
import { brief } from '../report/wording.ts'
import { MOST_ROWS, moment, PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

/** Catalog and rules engine in effect, with dates. */
export function rulesSection({ period }: PeriodReportInput): Section {
  const { rules, runs } = period
  const changed = rules.length - 1
  return {
    id: 'rules',
    title: PERIOD_TITLES.rules,
    blocks: [
      text(
        rules.length === 0
          ? 'No run trace is available, so the rules are unknown.'
          : changed === 0
            ? `One set of rules evaluated ${plural(runs.length, 'run')}: all verdicts of the period were derived in the same way.`
            : `The rules changed ${changed === 1 ? 'once' : `${changed} times`}. After a change, verdicts can differ with unchanged evidence, and checks can be added. A deviation that begins or ends with such a change does not by itself indicate a change on the node; ${seePart('changes')} separates the lists.`,
      ),
      ...(rules.length === 0 ? [] : [spanTable(rules)]),
      ...(rules.length > MOST_ROWS
        ? [quiet(`And ${rules.length - MOST_ROWS} more, in data/period.json in the pack.`)]
        : []),
      heading(3, 'Meaning of the digests'),
      text(
        'The catalog digest covers all probes, checks and mappings. The rules digest covers the engine version, the catalog and the thresholds. Runs with the same rules digest evaluate the same evidence identically.',
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
