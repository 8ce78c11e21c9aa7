import { optimizeLater } from '../../../main/adapters/compiler.ts'
import { createPorts } from '../../../main/adapters/ports.ts'
import { createTransport } from '../../../main/adapters/ssh/transport.ts'
import { collectRun } from '../../../main/app/collect/collect-run.ts'
import { documentsOf } from '../../../main/app/common/attachments.ts'
import { exportRun } from '../../../main/app/export/export.ts'
import { catalog } from '../../../main/catalog/definition/index.ts'
import { EMPTY_REGISTER } from '../../../main/core/register/register.ts'
import { must } from '../../support/outcomes.ts'
import { peakOf } from '../peak.ts'

// Our collection (and, with `export`, everything up to the sealed pack) of a fleet file, without the pace that keeps it gentle: what the
// program itself can do. Arguments: fleet file, folder, nodes at a time, `collect` or `export`. Prints its figures.

const [fleetFile = '', folder = '', concurrency = '64', step = 'collect'] = process.argv.slice(2)
// As the command does.
if (step === 'collect') optimizeLater()
const ports = { ...createPorts(catalog), transport: createTransport({ perSecond: 10_000, perNetwork: 1000 }) }
const read = must(await ports.fleets.read(fleetFile))
const targets = read.targets({})
let [latest, longestQuiet] = [performance.now(), 0]
const began = performance.now()
const collected = must(
  await collectRun(ports, catalog, {
    run: 'bench',
    targets,
    storeFolder: `${folder}/evidence`,
    concurrency: Number(concurrency),
    marks: () => ({ demo: false, synthetic: 'answers of demo nodes, replayed by the benchmark' }),
    signal: new AbortController().signal,
    onEvent: () => {
      longestQuiet = Math.max(longestQuiet, performance.now() - latest)
      latest = performance.now()
    },
    spreadSeconds: 0,
  }),
)
const collectMs = performance.now() - began
const collectPeakMiB = peakOf('self')
const { recordings } = collected
const complete = recordings.filter(({ recording }) => recording.outcome.status === 'complete').length
if (step === 'export') {
  const exported = await exportRun(ports, catalog, {
    run: 'bench',
    scope: { fleet: 'Farm', population: targets.map(({ node }) => node.name), frameworks: ['hipaa', 'soc2'] },
    recordings,
    asOf: ports.clock.now(),
    signer: await ports.sealing.demoSigner(),
    stamping: null,
    folder: `${folder}/bench`,
    register: EMPTY_REGISTER,
    attachmentBytes: documentsOf(new Map()),
    inventory: null,
    also: ['executive', 'xlsx', 'oscal'],
    chainFolder: null,
  })
  if (!exported.ok) throw new Error(`${exported.error.code}: ${exported.error.detail}`)
}

const wholeMs = performance.now() - began
process.stdout.write(
  `${JSON.stringify({ complete, collectMs, wholeMs, longestQuiet, collectPeakMiB, peakMiB: peakOf('self') })}\n`,
)
process.exit(0)
