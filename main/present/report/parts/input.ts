import type { Tally } from '../../../core/conclusion/tally.ts'
import type { Acceptances } from '../../../core/register/register.ts'
import type { ReportInput } from '../../input.ts'
import type { Presentation } from '../../presentation.ts'

/** Input of every section of the report. */
export interface Matter extends ReportInput {
  readonly tally: Tally
  readonly shown: Presentation
  /** Risk acceptances at the evaluation date. */
  readonly accepted: Acceptances
}
