import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writePack } from '../../main/adapters/pack/index.ts'
import { createPorts } from '../../main/adapters/ports.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { pem } from '../../main/core/base/pem.ts'
import { PATHS } from '../../main/core/pack/pack.ts'
import { nodeAssessmentPath } from '../../main/core/pack/pack-files.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import type { LoadedRecording } from '../../main/core/recording/recording.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import type { ReportDocument } from '../../main/present/report.ts'
import { SEED_PATH } from '../../main/verify/disclosure/cuts/parts.ts'
import { fixtureRecording } from './fixtures.ts'
import { type Forgery, forgedPack, type HonestPack, honestPack } from './forged-pack.ts'
import { collected, exported, FLEET, packOf } from './kept-runs.ts'
import { must } from './outcomes.ts'
import { archiveAttacks, rawEntries, rawZip, relist, reseal, retag } from './pack-attacks.ts'
import { sampleSigner } from './sample-pack.ts'

type Files = ReadonlyMap<string, Uint8Array>

/**
 * One test vector: an archive that a verifier is given, with the root and the fingerprint of the key that is to have sealed it. Archives are
 * made anew each time, since a seal holds a time and a signature's random number; what a verifier has to answer is always the same.
 */
export interface Vector {
  readonly id: string
  /** What was done to the pack, and with whose key. */
  readonly what: string
  readonly bytes: () => Promise<Uint8Array>
}

/** What all vectors of one making share. */
export interface VectorSet {
  /** The root certificate that the reader was given. */
  readonly root: Uint8Array
  /** SHA-256 of the signing certificate that the reader was given. */
  readonly pin: string
  readonly vectors: readonly Vector[]
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const textIn = (files: Files, path: string): string => new TextDecoder().decode(files.get(path))
const there = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the pack has another shape')
  return value
}

const AS_OF = new Date().toISOString()
const RUN = 'run-1'

/** Two nodes with the answers that three checks rest on: small packs, under the rules that ship. */
function recordings(): readonly LoadedRecording[] {
  const checks = ['encryption.at-rest.swap', 'access.sshd.root-login', 'integrity.secure-boot']
  const wanted = new Set(
    catalog.checks
      .filter(({ id }) => checks.includes(id))
      .flatMap(({ requires, optional }) =>
        [...Object.values(requires), ...Object.values(optional ?? {})].map(({ id }) => id),
      ),
  )
  const probes = catalog.probes.filter(({ id }) => wanted.has(id))
  return (
    [
      ['node-a', 'demo-gpu-01', 'a'],
      ['node-b', 'demo-metal-04', 'b'],
    ] as const
  ).map(([name, fixture, letter]) => {
    const { recording, captures } = fixtureRecording(fixture, probes)
    return {
      recording: {
        ...recording,
        id: name,
        run: RUN,
        node: { ...recording.node, name },
        hostKey: {
          type: 'ssh-ed25519',
          fingerprint: `SHA256:${letter.repeat(43)}`,
          trust: { how: 'fingerprint', detail: 'test vector' },
        },
        startedAt: AS_OF,
        endedAt: AS_OF,
      },
      captures,
    }
  })
}

/** Makes the identities and the packs that the vectors are derived from. `folder` takes what is written meanwhile. */
export async function makeVectors(folder: string): Promise<VectorSet> {
  const signer = await sampleSigner(join(folder, 'keys'), 'signer')
  const stranger = await sampleSigner(join(folder, 'keys'), 'stranger')
  const real = createPorts(catalog)
  const ports: Ports = { ...real, clock: { ...real.clock, now: () => AS_OF } }
  const made = async (
    by: Signer,
    at: Ports = ports,
    rules: Catalog = catalog,
    given = recordings(),
  ): Promise<Files> => {
    const root = mkdtempSync(join(folder, 'root-'))
    await collected(ports, root, RUN, given)
    await exported(at, root, RUN, by, {
      catalog: rules,
      isKept: false,
      nodes: given.map(({ recording }) => recording.node.name),
    })
    const opened = must(await ports.packs.open(packOf(root, RUN)))
    const files = new Map<string, Uint8Array>()
    for (const path of opened.paths) files.set(path, await opened.read(path))
    await opened.close()
    return files
  }
  const good = await made(signer)
  const zipped = async (files: Files): Promise<Uint8Array> => {
    const path = join(mkdtempSync(join(folder, 'zip-')), 'pack.zip')
    await writePack(path, files)
    return new Uint8Array(readFileSync(path))
  }
  const vector = (id: string, what: string, files: () => Files | Promise<Files>): Vector => ({
    id,
    what,
    bytes: async () => await zipped(await files()),
  })
  return {
    root: there(signer.chain.at(-1)),
    pin: signer.fingerprint,
    vectors: [
      vector('good', 'a pack as it was sealed', () => good),
      ...withoutKey(good, vector),
      ...byStranger(good, { stranger, made, vector }),
      ...bySigner(good, { signer, ports, made, vector }),
      ...tagFilesBySigner(good, { signer, made, vector }),
      ...consistentBySigner({ signer, ports, folder, vector }),
      ...archiveAttacks.map(({ name, build }, index) => ({
        id: `archive-${String(index + 1).padStart(2, '0')}`,
        what: `the archive has ${name}`,
        bytes: async () => build(good),
      })),
      {
        id: 'archive-folders',
        what: 'the pack was zipped again by a program that writes entries of folders',
        bytes: async () =>
          rawZip([
            { name: 'pack/', data: new Uint8Array(), mode: 0o040755 },
            { name: 'pack/data/', data: new Uint8Array(), mode: 0o040755 },
            ...rawEntries(good),
          ]),
      },
      {
        id: 'archive-desktop',
        what: 'the pack was zipped again by a desktop system that adds files of its own',
        bytes: async () => rawZip([...rawEntries(good), { name: '__MACOSX/pack/._bagit.txt', data: utf8('x') }]),
      },
      { id: 'archive-cut', what: 'the archive ends in its middle', bytes: async () => half(await zipped(good)) },
      { id: 'archive-empty', what: 'the file is empty', bytes: async () => new Uint8Array() },
      { id: 'archive-text', what: 'the file is no archive', bytes: async () => utf8('This is no archive.\n') },
    ],
  }
}

const half = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length >> 1)

type Make = (id: string, what: string, files: () => Files | Promise<Files>) => Vector

const rawAnswer = (files: Files): string =>
  there(
    [...files.keys()].find(
      (path) => path.startsWith('data/nodes/node-b/sha256/') && (files.get(path)?.length ?? 0) > 1,
    ),
  )
const put = (files: Files, path: string, bytes: Uint8Array): Files => new Map([...files, [path, bytes]])
const without = (files: Files, path: string): Files => new Map([...files].filter(([one]) => one !== path))
const flipped = (files: Files, path: string, at = 0): Files => {
  const bytes = Uint8Array.from(there(files.get(path)))
  const place = at < 0 ? bytes.length + at : at
  bytes[place] = (bytes[place] ?? 0) ^ 1
  return put(files, path, bytes)
}

/** A verdict that is against the node made into one for it, and the assessment made to name the file. */
function upgraded(files: Files): Files {
  const path = nodeAssessmentPath('node-b')
  const before = there(files.get(path))
  const after = utf8(textIn(files, path).replaceAll('"verdict":"not-satisfied"', '"verdict":"satisfied"'))
  if (sha256(before) === sha256(after)) throw new Error('nothing of the node is against it')
  const index = utf8(textIn(files, PATHS.assessment).replaceAll(sha256(before), sha256(after)))
  return new Map([...files, [path, after], [PATHS.assessment, index]])
}

/** By a holder of the file without a key. */
function withoutKey(good: Files, vector: Make): readonly Vector[] {
  const altered: readonly (readonly [id: string, path: string])[] = [
    ['raw-answer', rawAnswer(good)],
    ['captures', 'data/nodes/node-a/captures.jsonl'],
    ['recording', 'data/nodes/node-a/recording.json'],
    ['node-assessment', nodeAssessmentPath('node-a')],
    ['assessment', PATHS.assessment],
    ['scope', PATHS.scope],
    ['catalog', PATHS.catalog],
    ['register', PATHS.register],
    ['trace', PATHS.trace],
    ['report', PATHS.report],
    ['executive', PATHS.executive],
    ['html', PATHS.html],
    ['statement', PATHS.statement],
    ['manifest', PATHS.manifest],
    ['tag-manifest', PATHS.tagManifest],
    ['bag', PATHS.bag],
    ['script', PATHS.verifyScript],
    ['seed', SEED_PATH],
    ['seal', PATHS.seal],
    ['chain', 'signature/chain.pem'],
  ]
  const present = altered.filter(([, path]) => good.has(path))
  if (present.length < altered.length - 1) throw new Error('the pack lacks files that are altered')
  return [
    ...present.map(([id, path]) =>
      vector(`altered-${id}`, `one bit of ${path} was changed`, () => flipped(good, path)),
    ),
    ...present
      .filter(([, path]) => path !== PATHS.verifyScript)
      .map(([id, path]) => vector(`removed-${id}`, `${path} was taken away`, () => without(good, path))),
    vector('altered-seal-end', 'the last bit of the seal was changed', () => flipped(good, PATHS.seal, -1)),
    vector('added-payload', 'a file was added to the payload', () => put(good, 'data/documents/x.pdf', utf8('x'))),
    vector('added-signature', 'a file was added beside the seal', () => put(good, 'signature/other.p7s', utf8('x'))),
    vector('added-root', 'a file was added beside the lists', () => put(good, 'readme.txt', utf8('x'))),
    vector('renamed', 'the report was renamed', () =>
      put(without(good, PATHS.report), 'data/report-old.pdf', there(good.get(PATHS.report))),
    ),
    vector('swapped', 'the recordings of two nodes were exchanged', () => {
      const other = (path: string): string =>
        path.replace(/^data\/nodes\/node-([ab])\//, (_, node: string) => `data/nodes/node-${node === 'a' ? 'b' : 'a'}/`)
      return new Map([...good].map(([path, bytes]) => [other(path), bytes]))
    }),
    vector('relisted', 'a verdict was changed, and every list of digests made to fit', () => relist(upgraded(good))),
    vector('relisted-register', 'the register was replaced, and every list made to fit', () =>
      relist(put(good, PATHS.register, utf8('{}\n'))),
    ),
    vector('listed-twice', 'a line of the list stands there twice, and the lists made to fit', () => {
      const list = textIn(good, PATHS.manifest)
      return retag(put(good, PATHS.manifest, utf8(`${list}${list.split('\n')[0]}\n`)))
    }),
  ]
}

interface Hands {
  readonly made: (by: Signer, at?: Ports, rules?: Catalog, given?: readonly LoadedRecording[]) => Promise<Files>
  readonly vector: Make
}

/** By someone with a key of their own. */
function byStranger(good: Files, { stranger, made, vector }: Hands & { readonly stranger: Signer }): readonly Vector[] {
  let kept: Promise<Files> | undefined
  const theirs = (): Promise<Files> => {
    kept ??= made(stranger)
    return kept
  }
  return [
    vector('stranger-sealed', 'a pack that somebody else made and sealed', theirs),
    vector('stranger-resealed', 'the pack, sealed again with another key', () => reseal(good, stranger)),
    vector('stranger-upgraded', 'a verdict was changed, and the pack sealed with another key', () =>
      reseal(relist(upgraded(good)), stranger),
    ),
    vector('stranger-seal', 'the seal is of another pack, by another key', async () =>
      put(good, PATHS.seal, there((await theirs()).get(PATHS.seal))),
    ),
  ]
}

/** By the signer, with the right key: what only evaluating again can show. */
function bySigner(
  good: Files,
  { signer, ports, made, vector }: Hands & { readonly signer: Signer; readonly ports: Ports },
): readonly Vector[] {
  const resealed = (id: string, what: string, change: (files: Files) => Files): Vector =>
    vector(`signer-${id}`, `${what}, and the signer sealed it again`, () => reseal(relist(change(good)), signer))
  const edited = (path: string, was: string | RegExp, is: string) => (files: Files) => {
    const before = textIn(files, path)
    const after = before.replace(was, is)
    if (after === before) throw new Error(`${path} does not hold ${String(was)}`)
    return put(files, path, utf8(after))
  }
  const writing = (change: (document: ReportDocument) => ReportDocument): Ports => ({
    ...ports,
    reports: { render: (document, options) => ports.reports.render(change(document), options) },
  })
  /** Pages with better results than the evidence gives. Throws where no word was changed: then nothing would be forged. */
  const worded = (document: ReportDocument): ReportDocument => {
    const before = JSON.stringify(document)
    const after = JSON.stringify(document, (_, value) =>
      typeof value === 'string'
        ? value
            .replaceAll(/not satisfied/gi, 'satisfied')
            .replaceAll('Deviations noted', 'No deviations noted')
            .replaceAll('resulted in', 'did not result in')
        : value,
    )
    if (after === before) throw new Error(`${document.title}: no word to forge`)
    return JSON.parse(after) as ReportDocument
  }
  const isExecutive = ({ title }: ReportDocument): boolean => title.startsWith('Executive summary')
  /** Rules under which no swap area is ever against a node. */
  const forgiving = (changes: Partial<Catalog>): Catalog => ({
    ...catalog,
    checks: catalog.checks.map((check) => ({
      ...check,
      evaluate: (...input: Parameters<typeof check.evaluate>) => {
        const found = check.evaluate(...input)
        return found.verdict === 'not-satisfied' ? { ...found, verdict: 'satisfied' as const } : found
      },
    })),
    ...changes,
  })
  return [
    vector('signer-again', 'the same evidence, exported and sealed again', () => made(signer)),
    vector('signer-one-node', 'a pack of one node', () => made(signer, ports, catalog, recordings().slice(0, 1))),
    resealed('verdict', 'a verdict was changed', upgraded),
    resealed('trace', 'a verdict in the trace was changed', edited(PATHS.trace, /("verdicts":"m*)[^m"]/, '$1m')),
    resealed('answer', 'a raw answer was changed', (files) => flipped(files, rawAnswer(files))),
    resealed('report', 'the report was replaced', (files) => put(files, PATHS.report, utf8('%PDF-1.7 other\n'))),
    resealed('no-executive', 'the executive page was taken away', (files) => without(files, PATHS.executive)),
    resealed('no-html', 'the HTML report was taken away', (files) => without(files, PATHS.html)),
    resealed('no-report', 'the report was taken away', (files) => without(files, PATHS.report)),
    resealed(
      'host-key',
      'a host key was replaced',
      edited('data/nodes/node-b/recording.json', /SHA256:b+/, `SHA256:${'c'.repeat(43)}`),
    ),
    resealed('population', 'a node was taken out of the scope', edited(PATHS.scope, '"node-a","node-b"', '"node-a"')),
    resealed(
      'catalog',
      'a claim in the catalog was changed',
      edited(PATHS.catalog, '"expected":"', '"expected":"Always: '),
    ),
    resealed(
      'version',
      'another version of the rules was named',
      edited(PATHS.assessment, `"version":"${catalog.version}"`, '"version":"99.0.0"'),
    ),
    vector('signer-rules-same-version', 'rules of the signer’s own making judged it, under the name of ours', () =>
      made(signer, ports, forgiving({})),
    ),
    vector('signer-rules-other-module', 'rules of the signer’s own making judged it, under our version', () =>
      made(signer, ports, forgiving({ module: sha256('other rules') })),
    ),
    vector('signer-rules-new-version', 'rules of the signer’s own making judged it, under a version of their own', () =>
      made(signer, ports, forgiving({ version: '99.0.0', module: sha256('other rules') })),
    ),
    vector('signer-pages', 'the report’s pages state other results', () =>
      made(
        signer,
        writing((document) => (isExecutive(document) ? document : worded(document))),
      ),
    ),
    vector('signer-executive', 'the executive page states other results', () =>
      made(
        signer,
        writing((document) => (isExecutive(document) ? worded(document) : document)),
      ),
    ),
  ]
}

/** By the signer: files outside the payload, which no result depends on. */
function tagFilesBySigner(
  good: Files,
  { signer, made, vector }: Hands & { readonly signer: Signer },
): readonly Vector[] {
  const resealed = (id: string, what: string, path: string, change: (text: string) => string): Vector =>
    vector(`signer-${id}`, `${what}, and the signer sealed it again`, () =>
      reseal(put(good, path, utf8(change(textIn(good, path)))), signer),
    )
  return [
    resealed('script', 'verify.sh was replaced', PATHS.verifyScript, () => 'echo ALL CHECKS PASSED\n'),
    resealed('advice', 'a line was added to VERIFY.txt', PATHS.help, (text) => `${text}This pack was certified.\n`),
    resealed('info', 'a line was added to bag-info.txt', PATHS.info, (text) => `${text}Certified-By: Auditor\n`),
    resealed('oxum', 'bag-info.txt states other bytes of the payload', PATHS.info, (text) =>
      text.replace('Payload-Oxum: ', 'Payload-Oxum: 1'),
    ),
    resealed('chain-text', 'text was added to chain.pem', PATHS.chain, (text) => `An auditor\n${text}`),
    resealed('added', 'a file was added beside the seal', 'signature/audit.txt', () => 'Certified.\n'),
    vector('signer-no-lists', 'the signer left out the revocation lists', () => made({ ...signer, crls: [] })),
  ]
}

/** By the signer, with everything that follows from the forged contents made to fit: evidence digest, reports, statement, lists and seal. */
function consistentBySigner({
  signer,
  ports,
  folder,
  vector,
}: Pick<Hands, 'vector'> & {
  readonly signer: Signer
  readonly ports: Ports
  readonly folder: string
}): readonly Vector[] {
  let kept: Promise<HonestPack> | undefined
  const honest = async (): Promise<HonestPack> => {
    const root = mkdtempSync(join(folder, 'root-'))
    const given = recordings()
    await collected(ports, root, RUN, given)
    return await honestPack(ports, catalog, root, {
      run: RUN,
      scope: { fleet: FLEET, population: given.map(({ recording }) => recording.node.name), frameworks: ['soc2'] },
      inventory: null,
      signer,
      chainFolder: join(root, 'chain'),
    })
  }
  const forged = (id: string, what: string, forgery: Forgery): Vector =>
    vector(`signer-fits-${id}`, `${what}, and the signer made everything else fit`, async () => {
      kept ??= honest()
      return await forgedPack(ports, await kept, signer, forgery)
    })
  const edited = (path: string, was: string | RegExp, is: string): Forgery => ({
    payload: (files) => put(files, path, utf8(changed(textIn(files, path), was, is))),
  })
  const added = (path: string): Forgery => ({ payload: (files) => put(files, path, utf8('Certified.\n')) })
  return [
    forged('nothing', 'nothing was changed', {}),
    forged('trace', 'a verdict in the trace was changed', edited(PATHS.trace, /("verdicts":"m*)[^m"]/, '$1m')),
    forged('no-trace', 'the trace was taken away', { payload: (files) => without(files, PATHS.trace) }),
    forged(
      'catalog',
      'a claim in the catalog was changed',
      edited(PATHS.catalog, '"expected":"', '"expected":"Always: '),
    ),
    forged('scope', 'the fleet has another name in the scope', edited(PATHS.scope, FLEET, 'other fleet')),
    forged('chain', 'the stated run chain is longer', edited('data/log/chain.json', '"size":0', '"size":1')),
    forged('payload', 'a file was added to the payload', added('data/audit.txt')),
    forged('report', 'a file that no evidence digest covers was added', added('data/report-audit.pdf')),
    forged('index', 'the index of redacted copies has another line', {
      index: (text) => changed(text, /^./, text.startsWith('0') ? '1' : '0'),
    }),
    forged('html', 'the HTML report states another result', {
      html: (html) => changed(html, /not satisfied/i, 'Satisfied'),
    }),
    forged('figure', 'a text in a figure of the HTML report was changed', {
      html: (html) => changed(html, /(<svg[\s\S]*?<text[^>]*>)/, '$1None: '),
    }),
  ]
}

function changed(before: string, was: string | RegExp, is: string): string {
  const after = before.replace(was, is)
  if (after === before) throw new Error(`there is no ${String(was)} to change`)
  return after
}

/** Writes every vector into a folder, with what a reader is given: root.pem and the fingerprint. */
export async function writeVectors(out: string): Promise<void> {
  mkdirSync(out, { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'bw-vectors-'))
  const { root, pin, vectors } = await makeVectors(folder)
  writeFileSync(join(out, 'root.pem'), pem('CERTIFICATE', root))
  writeFileSync(join(out, 'fingerprint.txt'), `${pin}\n`)
  for (const { id, bytes } of vectors) writeFileSync(join(out, `${id}.zip`), await bytes())
  rmSync(folder, { recursive: true })
}
