import { THRESHOLDS } from '../../main/catalog/base/thresholds.ts'
import { thresholdValues } from '../../main/core/rules/profile.ts'

/** What checks compare against where a fleet chose no profile. */
export const BASELINE = thresholdValues(THRESHOLDS, undefined)
