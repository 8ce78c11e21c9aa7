import { createHash } from 'node:crypto'
import { renderReport } from '../../../main/adapters/pdf/index.ts'
import { text } from '../../../main/core/base/report-document.ts'
import { SAMPLE_AS_OF, sampleInput } from './sample.ts'
import { wholeReport } from './whole.ts'

/**
 * Prints the digest of the sample report: run in child processes under other time zones and locales. With an argument, the same process
 * writes a report of that text first.
 */
const attachment = { name: 'assessment.json', bytes: new TextEncoder().encode('{}\n'), description: 'Results' }
const options = { attachments: [attachment], created: SAMPLE_AS_OF }
const sample = wholeReport(sampleInput())
const [first] = process.argv.slice(2)
if (first !== undefined)
  await renderReport({ ...sample, sections: [{ id: 'first', title: first, blocks: [text(first)] }] }, options)
process.stdout.write(
  `${createHash('sha256')
    .update(await renderReport(sample, options))
    .digest('hex')}\n`,
)
