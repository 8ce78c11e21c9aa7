import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonBytes } from '../main/core/base/canonical-json.ts'
import { PATHS } from '../main/core/pack/pack-files.ts'
import { EXCERPT_PATH, partialPaths } from '../main/core/period/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { CHAIN_PATHS } from '../main/core/run-chain/notes.ts'
import { verifyDisclosure, verifyExcerpt } from '../main/verify/excerpt.ts'
import type { VerificationReport } from '../schemas/verification.ts'
import { validator } from './support/deps.ts'
import { copyOf, disclosablePack } from './support/disclosure.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { relist, reseal } from './support/pack-attacks.ts'
import { asked, filesIn, type PeriodKit, periodKit } from './support/period-kit.ts'
import {
  AS_OF,
  SAMPLE_RULES,
  sampleCatalog,
  samplePack,
  sampleRecording,
  sampleSigner,
  sealing,
  sourceOf,
} from './support/sample-pack.ts'

type Files = ReadonlyMap<string, Uint8Array>
type Forge = (files: Files) => Files

const put =
  (path: string, text: (was: string) => string): Forge =>
  (files) => {
    const was = new TextDecoder().decode(files.get(path))
    const is = text(was)
    if (is === was) throw new Error(`${path} was not changed`)
    return new Map([...files, [path, new TextEncoder().encode(is)]])
  }
const line =
  (name: string, value: string) =>
  (text: string): string =>
    text.replace(new RegExp(`^${name}: .*$`, 'm'), `${name}: ${value}`)
const integrity = ({ checks }: VerificationReport) => checks.find(({ check }) => check === 'integrity')
const rejects = (report: VerificationReport, path: string): void => {
  expect(integrity(report)).toMatchObject({ outcome: 'failed' })
  expect(integrity(report)?.details.join('\n')).toContain(path)
}

type Row = readonly [what: string, path: string, forge: Forge]
const LIST = 'signature/crls/crl-1.pem'
/** In every kind of file. */
const CERTIFICATES: readonly Row[] = [
  ['text in chain.pem', PATHS.chain, put(PATHS.chain, (text) => `An auditor\n${text}`)],
  ['the certificates in another order', PATHS.chain, put(PATHS.chain, (text) => turned(text))],
  ['text in a revocation list', LIST, put(LIST, (text) => `${text}Audited\n`)],
  ['a revocation list twice', LIST, put(LIST, (text) => text.repeat(2))],
  ['a file beside the seal', 'signature/audit.txt', put('signature/audit.txt', () => 'audited')],
  ['a file beside the payload', 'audit.txt', put('audit.txt', () => 'audited')],
]
const INFO: readonly Row[] = [
  ['a line more in bag-info.txt', PATHS.info, put(PATHS.info, (text) => `${text}Certified-By: X\n`)],
  ['another day', PATHS.info, put(PATHS.info, line('Bagging-Date', '2020-01-01'))],
  ['another name', PATHS.info, put(PATHS.info, line('External-Identifier', 'audit'))],
  ['another program', PATHS.info, put(PATHS.info, line('Bag-Software-Agent', 'Certified tool'))],
  ['another count', PATHS.info, put(PATHS.info, line('Payload-Oxum', '1000.7000'))],
  ['another key', PATHS.info, put(PATHS.info, line('Signer-Fingerprint', 'b'.repeat(64)))],
]
const ADVICE: readonly Row[] = [
  ['another verify.sh', PATHS.verifyScript, put(PATHS.verifyScript, () => 'echo ALL CHECKS PASSED\n')],
  ['a line more in VERIFY.txt', PATHS.help, put(PATHS.help, (text) => `${text}Certified.\n`)],
]

const SUBJECT = (name: string): RegExp => new RegExp(`(?<="sha256":")[0-9a-f]{64}(?="},"name":"${name}")`)
const OTHER = '0'.repeat(64)
/** Of files that are not enclosed, too. */
const STATED: readonly Row[] = [
  [
    'another manifest in the statement',
    PATHS.manifest,
    put(PATHS.statement, (text) => text.replace(SUBJECT(PATHS.manifest), OTHER)),
  ],
  [
    'another scope in the statement',
    PATHS.scope,
    put(PATHS.statement, (text) => text.replace(SUBJECT(PATHS.scope), OTHER)),
  ],
  [
    'a report in the statement that the manifest does not list so',
    PATHS.report,
    put(PATHS.statement, (text) => text.replace(SUBJECT(PATHS.report), OTHER)),
  ],
  [
    'one more file in the statement',
    PATHS.trace,
    put(PATHS.statement, (text) =>
      text.replace('"subject":[', `"subject":[{"digest":{"sha256":"${OTHER}"},"name":"${PATHS.trace}"},`),
    ),
  ],
  [
    'a checkpoint of another form',
    CHAIN_PATHS.chain,
    (files) => relist(new Map([...files, [CHAIN_PATHS.chain, jsonBytes({ size: 0 })]])),
  ],
  [
    'another evidence digest in the statement',
    PATHS.statement,
    put(PATHS.statement, (text) => text.replace(/(?<="evidenceDigest":")[0-9a-f]{64}/, OTHER)),
  ],
]

const PAYLOAD: Row = [
  'a payload file',
  'data/audit.txt',
  (files) => relist(put('data/audit.txt', () => 'audited')(files)),
]

function turned(text: string): string {
  const [first = '', second = ''] = text.split(/(?<=-----END CERTIFICATE-----\n)/)
  return second + first
}

const folder = folderOfTests('tag-files-parts')
let signer: Signer
beforeAll(async () => {
  signer = await sampleSigner(folder, 'signer')
})

describe('a period report', () => {
  let kit: PeriodKit
  let good: Files
  beforeAll(async () => {
    kit = await periodKit()
    await kit.run(23)
    await kit.run(24)
    kit.at('2026-11-26T09:00:00.000Z')
    must(await kit.account('2026-11-23', '2026-11-24'))
    good = await filesIn(kit.ports, join(kit.folder, 'out', 'period-2026-11-23-2026-11-24.barewitness.zip'))
  })
  afterAll(() => rmSync(kit.folder, { recursive: true, force: true }))

  test('is intact as it was sealed', async () => {
    expect(integrity(await asked(kit, good))).toMatchObject({ outcome: 'passed' })
  })
  test.each([...CERTIFICATES, ...INFO, ...ADVICE, PAYLOAD])('cannot be sealed with %s', async (_, path, forge) => {
    rejects(await asked(kit, await reseal(forge(good), kit.signer)), path)
  })
})

describe('an excerpt', () => {
  let good: Files
  beforeAll(async () => {
    good = await samplePack({ signer })
  })
  const verified = (files: Files): Promise<VerificationReport> => {
    const enclosed = new Set(partialPaths([...files.keys()], ['node-a']))
    const said = { schema: 'barewitness.excerpt/1', run: 'run-1', nodes: ['node-a'], why: 'sample' }
    return verifyExcerpt({
      ...SAMPLE_RULES,
      source: sourceOf(
        new Map([...[...files].filter(([path]) => enclosed.has(path)), [EXCERPT_PATH, jsonBytes(said)]]),
      ),
      departures: [],
      seal: sealing.reader,
      validator,
      trust: { signers: [], authorities: [], lists: [] },
      verifiedAt: '2026-11-22T00:00:00.000Z',
      file: 'excerpt',
    })
  }

  test('is intact as it was sealed', async () => {
    expect(integrity(await verified(good))).toMatchObject({ outcome: 'passed' })
  })
  test.each([...CERTIFICATES, ...INFO, ...STATED, PAYLOAD])(
    'cannot be of a pack that was sealed with %s',
    async (_, path, forge) => {
      rejects(await verified(await reseal(forge(good), signer)), path)
    },
  )
})

describe('a redacted copy', () => {
  const made = (extra: Files = new Map()): Promise<Files> =>
    disclosablePack({
      signer,
      catalog: sampleCatalog,
      recordings: [sampleRecording('node-a', '')],
      asOf: AS_OF,
      extra,
    })
  let good: Files
  beforeAll(async () => {
    good = await made()
  })
  const verified = async (files: Files): Promise<VerificationReport> =>
    verifyDisclosure({
      ...SAMPLE_RULES,
      validator,
      source: sourceOf((await copyOf(files, sampleCatalog, { paths: [PATHS.report] })).files),
      departures: [],
      seal: sealing.reader,
      trust: { signers: [], authorities: [], lists: [] },
      verifiedAt: '2026-11-22T00:00:00.000Z',
      file: 'copy',
    })

  test('is intact as it was sealed', async () => {
    expect(integrity(await verified(good))).toMatchObject({ outcome: 'passed' })
  })
  test('cannot be of a pack that was sealed with a payload file', async () => {
    rejects(
      await verified(await made(new Map([['data/audit.txt', new TextEncoder().encode('audited')]]))),
      'data/audit.txt',
    )
  })
  test.each([...CERTIFICATES, ...ADVICE.slice(0, 1)])(
    'cannot be of a pack that was sealed with %s',
    async (_, path, forge) => {
      rejects(await verified(await reseal(forge(good), signer)), path)
    },
  )
})
