import type { Acceptances } from '../../core/register.ts'
import type { Tally } from '../../core/tally.ts'
import type { ReportInput } from '../input.ts'
import type { Presentation } from '../presentation.ts'

/** Input of every section of the report. */
export interface Matter extends ReportInput {
  readonly tally: Tally
  readonly shown: Presentation
  /** Risk acceptances at the evaluation date. */
  readonly accepted: Acceptances
}
