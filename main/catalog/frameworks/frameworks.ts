import type { Framework } from '../../core/framework.ts'
import hipaaData from './hipaa.json' with { type: 'json' }
import { loadFramework } from './load.ts'
import nprmData from './nprm.json' with { type: 'json' }
import soc2Data from './soc2.json' with { type: 'json' }

/** HIPAA Security Rule, 45 CFR 164.308–164.316, in force. */
export const hipaa: Framework = loadFramework(hipaaData)
/** SOC 2 trust services criteria: ids and our own words. */
export const soc2: Framework = loadFramework(soc2Data)
/** The 2025 proposal to change the Security Rule: an overlay, off by default, never an obligation. */
export const nprm: Framework = loadFramework(nprmData)
