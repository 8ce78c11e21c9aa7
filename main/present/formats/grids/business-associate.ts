import { claimAnswerWords } from '../../../../schemas/words.ts'
import type { AgreementRow } from '../../../core/evidence-view.ts'
import { plural } from '../../../core/phrases.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { tally } from '../../../core/tally.ts'
import type { FormatInput } from '../input.ts'
import { columns, type Grid, type GridCell } from './grid.ts'
import { checkText, limitsOf, requestedById, requestLines } from './requested.ts'

const AGREEMENT_COLUMNS = columns({
  part: 16,
  section: 24,
  subject: 40,
  'what the section asks for': 70,
  'what the evidence shows': 70,
  'requested documents': 70,
  'clause present (entered by people)': 16,
  'place in the agreement (entered by people)': 24,
  'read by, on (entered by people)': 24,
  sources: 50,
  limitations: 70,
})

/** The relation to the provider as the evidence shows it, then the clauses of 45 CFR 164.314(a) and 164.504(e) for a person to look up. */
export function agreementGrid(input: FormatInput): Grid {
  const view = input.views.hipaa.agreement
  const requested = requestedById(input)
  const counted = tally(input.assessment, input.catalog.checks)
  const row =
    (part: string) =>
    (one: AgreementRow): readonly GridCell[] => [
      part,
      one.clause,
      one.title,
      one.summary,
      one.checks.map((check) => checkText(input.catalog, counted, check)),
      requestLines(input.catalog, requested, one.requests),
      '',
      '',
      '',
      ...limitsOf(view),
    ]
  return {
    columns: AGREEMENT_COLUMNS,
    rows: [
      ...relationRows(input).map(([subject, text]) => [
        'Relation',
        '',
        subject,
        '',
        text,
        '',
        '',
        '',
        '',
        ...limitsOf(view),
      ]),
      ...view.relation.map(row('Relation')),
      ...view.clauses.map(row('Clause')),
    ],
  }
}

/** The provider as declared, with the results of its claims; and the organizations whose controls are needed besides. */
function relationRows({ assessment }: FormatInput): readonly (readonly [string, string])[] {
  const { provider, engagement } = assessment.scope
  const answers = assessment.nodes.flatMap(({ claims = [] }) => claims)
  const count = (result: (typeof answers)[number]['result']): string =>
    `${claimAnswerWords[result].label.toLowerCase()} ${answers.filter((one) => one.result === result).length}`
  const organizations = engagement?.subserviceOrganizations ?? []
  return [
    ['Provider', provider === undefined ? 'No provider profile declared.' : provider.name],
    [
      'Claims of the provider, per claim and node',
      answers.length === 0
        ? 'None compared with node evidence.'
        : `${plural(answers.length, 'result')}: ${count('corroborated')}, ${count('contradicted')}, ${count('document-required')}.`,
    ],
    [
      'Subservice organizations',
      organizations.length === 0
        ? 'None declared.'
        : organizations
            .map(
              ({ name, report }) =>
                `${oneLine(name, 200)}: ${report === null ? 'no report on file' : `report ${oneLine(report.title, 200)}`}`,
            )
            .join(' | '),
    ],
  ]
}
