import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readSites } from '../main/adapters/declarations/sites-file.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { ReportDocument } from '../main/present/report.ts'
import type { VerificationReport } from '../schemas/verification.ts'
import { realClock } from './support/deps.ts'
import { engagementOf, inventoryOf } from './support/engagement.ts'
import { folderOfTests } from './support/folders.ts'
import { type Files, type Forgery, forgedPack, type HonestPack, honestPack, judged } from './support/forged-pack.ts'
import { collected, portsAt } from './support/kept-runs.ts'
import { must } from './support/outcomes.ts'
import { sampleCatalog, sampleSigner } from './support/sample-pack.ts'

const LIST = new TextEncoder().encode('id,name\nS-1,node-a\nS-2,node-b\n')
const ROWS = ['a', 'b'].map((one, at) => ({ id: `S-${at + 1}`, name: `node-${one}`, address: null, serial: null }))
const SITES = 'serial,site,country\nSN-1001,FRA-2,DE\n'

const folder = folderOfTests('signer-forgeries')
const ports = portsAt({ now: realClock.now() })
let signer: Signer
let honest: HonestPack
beforeAll(async () => {
  signer = await sampleSigner(mkdtempSync(join(folder, 'keys-')), 'keeper')
  writeFileSync(join(folder, 'sites.csv'), SITES)
  const declared = { source: 'The provider', on: '2026-11-01', declaredBy: 'M. Ortiz' }
  const { sites, bytes } = must(await readSites({ ...declared, file: 'sites.csv' }, join(folder, 'fleet.yaml')))
  const root = mkdtempSync(join(folder, 'root-'))
  await collected(ports, root, 'run-1')
  const nodes = ['node-a', 'node-b']
  const file = { name: 'invoice.csv', size: LIST.length, sha256: sha256(LIST) }
  const engagement = engagementOf({ nodes, inventory: inventoryOf(ROWS, [], file) })
  honest = await honestPack(ports, sampleCatalog, root, {
    run: 'run-1',
    scope: {
      fleet: 'sample fleet',
      population: nodes,
      frameworks: ['soc2'],
      inFleet: nodes,
      engagement,
      location: { sites },
    },
    inventory: LIST,
    sites: bytes,
    signer,
    chainFolder: join(root, 'chain'),
  })
})

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const put =
  (path: string, bytes: Uint8Array) =>
  (files: Files): Files =>
    new Map([...files, [path, bytes]])
const edited =
  (path: string, was: string | RegExp, is: string) =>
  (files: Files): Files => {
    const before = new TextDecoder().decode(files.get(path))
    const after = before.replace(was, is)
    if (after === before) throw new Error(`${path} does not hold ${String(was)}`)
    return put(path, utf8(after))(files)
  }
const words =
  (was: string, is: string) =>
  (document: ReportDocument): ReportDocument =>
    JSON.parse(JSON.stringify(document).replaceAll(was, is)) as ReportDocument
const failures = ({ checks }: VerificationReport): string =>
  checks
    .flatMap(({ check, outcome, summary, details }) =>
      outcome === 'failed' ? [`${check}: ${summary}`, ...details] : [],
    )
    .join('\n')
const judge = async (forgery: Forgery) =>
  await judged(ports, sampleCatalog, folder, await forgedPack(ports, honest, signer, forgery), signer)

test('the same contents, sealed again in the same way, verify with exit code 0', async () => {
  const { report, exit } = await judge({})
  expect(failures(report)).toBe('')
  expect(exit).toBe(0)
})

const strange = (path: string): readonly [string, Forgery, RegExp] => [
  `a payload file ${path}`,
  { payload: put(path.endsWith('-z') ? `${path}/recording.json` : path, utf8('Certified.\n')) },
  new RegExp(path.replaceAll('.', '\\.')),
]

const FORGED: readonly (readonly [what: string, forgery: Forgery, names: RegExp])[] = [
  [
    'a verdict in the run trace',
    { payload: edited(PATHS.trace, '"verdicts":"c"', '"verdicts":"m"') },
    /data\/trace\.json differs/,
  ],
  [
    'a row of the provider inventory',
    { payload: edited(PATHS.inventory, 'node-b', 'node-c') },
    /data\/inventory\.csv has a different digest/,
  ],
  [
    'a row more in the provider inventory',
    { payload: put(PATHS.inventory, utf8('id,name\nS-1,node-a\nS-2,node-b\nS-3,node-c\n')) },
    /data\/inventory\.csv has a different digest/,
  ],
  ['a country in the record of sites', { payload: edited(PATHS.sites, 'DE', 'US') }, /data\/sites/],
  [
    'a claim in the copy of the catalog',
    { payload: edited(PATHS.catalog, '"expected":"', '"expected":"Always: ') },
    /catalog in the pack differs/,
  ],
  [
    'the scope',
    { payload: edited(PATHS.scope, 'Acme Health', 'Other Health') },
    /data\/scope\.json and data\/assessment\.json/,
  ],
  [
    'a word of the HTML report',
    { html: (html) => html.replace('Not satisfied', 'Satisfied') },
    /data\/report\.html: It reads/,
  ],
  [
    'a line more in the HTML report',
    { html: (html) => html.replace('</body>', '<p>Certified.</p></body>') },
    /data\/report\.html: /,
  ],
  ['a word of the report', { document: words('Not satisfied', 'Satisfied') }, /data\/report\.pdf: Page \d+ reads/],
  [
    'an entry in the run chain',
    { payload: edited('data/log/entries.jsonl', /^/, '{"entry":{"kind":"gap"}}\n') },
    /data\/log\/entries\.jsonl/,
  ],
  ['a head of the run chain', { payload: edited('data/log/chain.json', /"size":0/, '"size":1') }, /data\/log\//],
  [
    'another seed of redacted copies',
    { index: (text) => text.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
    /disclosure-sha256\.txt/,
  ],
  [
    'a node in the statement',
    { statement: (one) => ({ ...one, predicate: { ...one.predicate, nodes: one.predicate.nodes.slice(1) } }) },
    /“node-a” is declared but missing from statement\.json/,
  ],
  [
    'another subject in the statement',
    { statement: (one) => ({ ...one, subject: one.subject.slice(1) }) },
    /statement\.json/,
  ],
  [
    'no run trace, which a period report would be compared with',
    { payload: (files) => new Map([...files].filter(([path]) => path !== PATHS.trace)) },
    /data\/trace\.json is missing/,
  ],
  strange('data/audit.txt'),
  strange('data/audit/opinion.pdf'),
  strange('data/documents/opinion.pdf'),
  strange('data/nodes/node-a/opinion.txt'),
  strange('data/nodes/node-z'),
  strange('data/log/opinion.txt'),
  strange('data/disclosure/opinion.txt'),
  strange('data/report-opinion.pdf'),
  strange('data/runs/run-0/trace.json'),
]

describe('a signer who forges, with everything else made to fit', () => {
  test.each(FORGED)('%s', async (_, forgery, names) => {
    const { report, exit } = await judge(forgery)
    expect(failures(report)).toMatch(names)
    expect(exit).toBe(5)
  })
})
