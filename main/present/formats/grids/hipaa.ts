import { documentLine, rowStateWords, serverLine } from '../../../../schemas/conclusion-words.ts'
import { decisionWords } from '../../../../schemas/words.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { PATHS } from '../../../core/pack-files.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { decidedFor } from '../../../core/register/decisions.ts'
import { chosenFrameworks } from '../../report/items.ts'
import { controlsInScope } from '../../report/tests-of-controls.ts'
import type { FormatInput } from '../input.ts'
import { agreementGrid } from './business-associate.ts'
import { columns, type Grid } from './grid.ts'
import { limitsOf, requestedById, requestLines } from './requested.ts'
import { elementsGrid, riskGrid } from './risk-analysis.ts'

/**
 * Views for readers of the HIPAA Security Rule: input to a risk analysis, checklist for the agreement with a business associate, and index by the
 * sections of the OCR audit protocol. All have the same results and documents as the report, and columns that people fill in are empty.
 */
export interface HipaaSheet {
  readonly name: string
  readonly grid: Grid
}

/** The sheets for the HIPAA Security Rule; none where it is not one of the frameworks chosen. */
export function hipaaSheets(input: FormatInput): readonly HipaaSheet[] {
  const { current } = chosenFrameworks(input)
  if (!current.some(({ id }) => id === input.views.hipaa.protocol.framework)) return []
  return [
    { name: 'Risk analysis input', grid: riskGrid(input) },
    { name: 'Risk analysis elements', grid: elementsGrid(input) },
    { name: 'Business associate', grid: agreementGrid(input) },
    { name: 'OCR audit protocol', grid: protocolGrid(input) },
  ]
}

const PROTOCOL_COLUMNS = columns({
  section: 24,
  title: 44,
  'required or addressable': 16,
  conclusion: 28,
  'server part': 50,
  findings: 30,
  'document part': 40,
  'documents, with status': 80,
  decision: 40,
  'evidence in the pack': 40,
  'not covered': 70,
  sources: 50,
  limitations: 70,
})

/** One row per section, in the order of the protocol: conclusion, findings, documents with status, and where the pack has the evidence. */
export function protocolGrid(input: FormatInput): Grid {
  const { assessment, catalog, register, shown, views } = input
  const view = views.hipaa.protocol
  const requested = requestedById(input)
  const framework = catalog.frameworks.find(({ id }) => id === view.framework)
  const rows = framework === undefined ? [] : controlsInScope({ assessment }, framework)
  const references = referencesBy(shown.findings)
  return {
    columns: PROTOCOL_COLUMNS,
    rows: rows.map(({ control, result }) => {
      const ids = [...new Set(Object.values(control.requests ?? {}).flat())]
      const [decision] = decidedFor(register, result, assessment.asOf)
      return [
        control.id,
        control.title,
        control.level,
        rowStateWords[result.state].label,
        serverLine(result.server),
        references(result.control).join(', '),
        documentLine(result.documents),
        requestLines(catalog, requested, ids),
        decision === undefined
          ? ''
          : `${decisionWords[decision.decision]}, approved by ${oneLine(decision.approvedBy)}`,
        result.checks.some(({ decides }) => decides) ? `${PATHS.assessment}, ${PATHS.register}` : PATHS.register,
        control.notCovered,
        ...limitsOf(view),
      ]
    }),
  }
}

/** References of the findings that concern a control. */
function referencesBy(findings: readonly Finding[]): (control: string) => readonly string[] {
  const found = new Map<string, string[]>()
  for (const { reference, controls } of findings)
    for (const { control } of controls) {
      const known = found.get(control)
      if (known === undefined) found.set(control, [reference])
      else known.push(reference)
    }
  return (control) => found.get(control) ?? []
}
