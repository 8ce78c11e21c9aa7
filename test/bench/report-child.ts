import { readdirSync } from 'node:fs'
import { demoDeclared } from '../../main/adapters/demo/demo-declared.ts'
import { createPorts } from '../../main/adapters/ports.ts'
import { documentsOf } from '../../main/app/common/attachments.ts'
import { ALSO, type Also, exportRun } from '../../main/app/export/export.ts'
import { reviewFile } from '../../main/app/export/review.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { NO_TRUST } from '../../main/verify/steps/trust.ts'
import { FIXTURE_TIME } from '../support/fixtures.ts'
import { must } from '../support/outcomes.ts'
import { peakOf } from './peak.ts'
import { plainPages } from './plain-pages.ts'

// One step in a process of its own: `export RECORDINGS OUT`, `default RECORDINGS OUT` (no further formats), `verify FILE` or `plain PAGES`. Prints what it took, part by part.

const parts: [string, number, number, number][] = []
let began = process.hrtime.bigint()
let spent = process.cpuUsage()
/** Everything since the last mark belongs to this part. */
const mark = (part: string): void => {
  const now = process.hrtime.bigint()
  const { user, system } = process.cpuUsage(spent)
  parts.push([part, Number(now - began) / 1e6, (user + system) / 1000, peakOf('self')])
  began = now
  spent = process.cpuUsage()
}

/** The real ports, reporting when its parts are done: what passes between two of them was done for the second. */
function watched(ports: Ports): Ports {
  const { reports, sealing, packs, files } = ports
  const documents = ['', 'executive ', 'annex ', 'binder ']
  let document = ''
  return {
    ...ports,
    reports: {
      render: async (...input) => {
        document = documents.shift() ?? ''
        mark(`${document}build`)
        const rendered = await reports.render(...input)
        mark(`${document}render`)
        return rendered
      },
    },
    sealing: {
      ...sealing,
      signPdf: async (...input) => {
        const signed = await sealing.signPdf(...input)
        mark(`${document}sign`)
        return signed
      },
    },
    packs: {
      ...packs,
      write: async (...input) => {
        mark('lists and seal')
        const written = await packs.write(...input)
        mark('pack')
        return written
      },
    },
    files: {
      ...files,
      writePieces: async (path, pieces) => {
        const written = await files.writePieces(path, pieces)
        mark(path.split('/').at(-1) ?? '')
        return written
      },
    },
  }
}

async function exported(recordings: string, folder: string, also: readonly Also[]): Promise<void> {
  const ports = watched(createPorts(catalog))
  const population = readdirSync(recordings).sort()
  const { engagement, inventory, provider, register, documents } = demoDeclared(FIXTURE_TIME, population)
  const sources = must(await ports.readRecordings([recordings]))
  const own = await ports.sealing.demoSigner()
  mark('start')
  let asked = false
  // The report asks whose seal it will have once everything else is there, just before it is written.
  const signer: typeof own = {
    ...own,
    get subject() {
      if (!asked) mark('evaluate and list')
      asked = true
      return own.subject
    },
  }
  const done = await exportRun(ports, catalog, {
    run: 'bench',
    scope: {
      fleet: 'bench fleet',
      population: [...population],
      frameworks: catalog.frameworks.map(({ id }) => id),
      inFleet: [...population],
      engagement,
      provider,
    },
    recordings: sources,
    asOf: FIXTURE_TIME,
    signer,
    stamping: null,
    folder,
    register,
    attachmentBytes: documentsOf(documents),
    inventory,
    also,
    chainFolder: null,
  })
  if (!done.ok) throw new Error(`${done.error.code}: ${done.error.detail}`)
}

async function verified(file: string): Promise<void> {
  const ports = createPorts(catalog)
  mark('start')
  const done = await reviewFile(ports, catalog, { path: file, trust: NO_TRUST, checkpoint: null, keep: false })
  mark('verify')
  if (!done.ok) throw new Error(done.error.detail)
  const wrong = done.value.report.checks.filter(({ outcome }) => outcome === 'failed')
  if (wrong.length > 0) throw new Error(JSON.stringify(wrong).slice(0, 2000))
}

const [step = '', first = '', second = ''] = process.argv.slice(2)
if (step === 'export') await exported(first, second, ALSO)
if (step === 'default') {
  await exported(first, second, [])
  mark('rest')
}
if (step === 'verify') await verified(first)
if (step === 'plain') {
  await plainPages(Number(first))
  mark('plain')
}
process.stdout.write(`${JSON.stringify({ parts, peakMiB: peakOf('self') })}\n`)
process.exit(0)
