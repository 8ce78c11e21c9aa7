import { createHash } from 'node:crypto'
import { renderReport } from '../../../main/adapters/pdf/index.ts'
import { buildReport } from '../../../main/core/report.ts'
import { SAMPLE_AS_OF, sampleInput } from './sample.ts'

/** Prints the digest of the sample report: run in child processes under other time zones and locales. */
const attachment = { name: 'assessment.json', bytes: new TextEncoder().encode('{}\n'), description: 'Results' }
const render = renderReport(buildReport(sampleInput()), { attachments: [attachment], created: SAMPLE_AS_OF })
render.then((pdf) => process.stdout.write(`${createHash('sha256').update(pdf).digest('hex')}\n`))
