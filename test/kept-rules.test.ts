import { generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  beginAhead,
  begunRules,
  endAhead,
  type KeptEntry,
  type KeptList,
  openKeptRules,
  rulesState,
  signedText,
} from '../main/adapters/kept-rules/index.ts'
import list from '../main/adapters/kept-rules/list.json' with { type: 'json' }
import { createPorts } from '../main/adapters/ports.ts'
import { reviewFile } from '../main/app/export/review.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { codeOf, EXIT } from '../main/cli/parts/options.ts'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { ok } from '../main/core/base/failure.ts'
import { type Assessor, assessorHere, assessorOf, type KeptRules } from '../main/core/conclusion/assessor.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { NOTHING_SHARED } from '../main/core/recording/same-machine.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { type Catalog, catalogDigest } from '../main/core/rules/catalog.ts'
import { lackingIn } from '../main/verify/steps/complete.ts'
import type { TracedNode } from '../schemas/types.ts'
import type { VerificationReport } from '../schemas/verification.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'
import { folderOfTests } from './support/folders.ts'
import { keepRules } from './support/keep-rules.ts'
import { buildRules } from './support/rules-module.ts'
import { samplePack, sampleSigner, sourceOf, verifySource } from './support/sample-pack.ts'

const folder = folderOfTests('kept-rules')

/** The rules of this program, as a later program keeps them. */
let kept: KeptEntry
const opened: { close: () => void }[] = []
beforeAll(async () => {
  const { code, sha256: module } = await buildRules()
  mkdirSync(join(folder, 'rules'))
  writeFileSync(join(folder, 'rules', `${catalog.version}.mjs`), code)
  kept = { version: catalog.version, module, catalog: catalogDigest(catalog), signature: null }
})
afterAll(() => {
  for (const one of opened) one.close()
})

function open(rules: readonly KeptEntry[], releaseKey: string | null = null, where = 'rules'): KeptRules {
  const one = openKeptRules(null, { releaseKey, rules }, `${join(folder, where)}/`)
  opened.push(one)
  return one
}

const NODES = ['demo-gpu-01', 'demo-guest-03', 'demo-nosudo-06']

/** Everything that a verification asks of rules, of three recorded nodes and one that was not collected. */
async function allOf(judge: Assessor): Promise<string> {
  const scope = { fleet: 'f', population: [...NODES, 'gone'], frameworks: ['soc2', 'hipaa'], asOf: FIXTURE_TIME }
  const alone = await judge.pack({ scope, shared: NOTHING_SHARED })
  const judged = []
  for (const node of scope.population)
    judged.push(await alone.node(node, node === 'gone' ? null : fixtureRecording(node, catalog.probes)))
  const assessed = judged.flatMap((one) => ('threw' in one ? [] : [one.assessment]))
  const traced: TracedNode[] = judged.flatMap((one) => ('threw' in one ? [] : [one.traced]))
  expect(assessed).toHaveLength(4)
  const whole = await alone.whole(assessed, { demo: true, register: EMPTY_REGISTER })
  const trace = await alone.trace(traced, {
    run: 'run-1',
    planned: null,
    demo: true,
    shared: whole.shared,
    reconciliation: whole.reconciliation,
  })
  return canonicalJson([await judge.about({}), judged, whole, trace])
}

describe('the module of rules, in a thread of its own', () => {
  test('gives the bytes that the same rules give here', async () => {
    const judge = await open([kept]).of(catalog.version)
    if (judge === null) throw new Error('not kept')
    expect(await allOf(judge)).toBe(await allOf(assessorHere(catalog)))
  })

  test('reports what threw, and answers what is asked next', async () => {
    const judge = await open([kept]).of(catalog.version)
    await expect(judge?.pack(null as never)).rejects.toThrow()
    expect((await judge?.about({}))?.reference).toEqual({
      version: kept.version,
      digest: kept.catalog,
      module: kept.module,
    })
  })
})

describe('the rules of this program', () => {
  const own = (of: Pick<Catalog, 'module' | 'version'>, path: string | null): KeptRules => {
    const one = openKeptRules(of, { releaseKey: null, rules: [] }, null, path)
    opened.push(one)
    return one
  }
  const path = () => join(folder, 'rules', `${catalog.version}.mjs`)

  test('are asked in a thread of their own, and give the same bytes there', async () => {
    const judge = await own({ ...catalog, module: kept.module }, path()).of(catalog.version)
    if (judge === null) throw new Error('not run')
    expect(await allOf(judge)).toBe(await allOf(assessorHere(catalog)))
  })

  test('are asked there about versions that are unknown, too', async () => {
    const confined: Assessor = {
      about: async () => Promise.reject(new Error('confined')),
      pack: () => Promise.reject(),
    }
    const at = (version: string): KeptRules => ({
      of: async (asked) => (asked === version ? confined : null),
      refused: () => [],
    })
    for (const version of [catalog.version, '0.0.1', undefined])
      expect(await assessorOf({ catalog, kept: at(catalog.version) }, version)).toBe(confined)
    expect(await assessorOf({ catalog, kept: at('0.0.1') }, '0.0.1')).toBe(confined)
    expect(await assessorOf({ catalog, kept: at('0.0.1') }, '0.0.2')).not.toBe(confined)
  })

  test('begin ahead of their first question, and answer it the same', async () => {
    const one = openKeptRules({ ...catalog, module: kept.module }, { releaseKey: null, rules: [] }, null, path())
    opened.push(one)
    one.begin()
    const judge = await one.of(catalog.version)
    if (judge === null) throw new Error('not run')
    expect(await allOf(judge)).toBe(await allOf(assessorHere(catalog)))
  })

  test('that began ahead are taken once, as those of the same module alone, and not after they ended', async () => {
    const rules = { version: catalog.version, module: '0'.repeat(64) }
    const begun = [beginAhead(rules), beginAhead(rules)]
    const taken = [begunRules({ ...rules }), begunRules(rules)]
    beginAhead(rules)
    const other = begunRules({ ...rules, module: '1'.repeat(64) })
    const ended = beginAhead(rules)
    endAhead()
    const after = begunRules(rules)
    opened.push(...begun, ...taken, other, after)
    expect(after).not.toBe(ended)
    expect(taken[0]).toBe(begun[1])
    expect(begun).not.toContain(taken[1])
    expect(other.refused()).toEqual([])
  })

  test('that are refused do not begin, and are refused only once they are asked', async () => {
    const entry = { ...kept, signature: null }
    const releaseKey = String(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }))
    const one = openKeptRules({ ...catalog, module: kept.module }, { releaseKey, rules: [entry] }, null, path())
    opened.push(one)
    one.begin()
    expect(one.refused()).toEqual([])
    expect(await one.of(catalog.version)).toBeNull()
    expect(one.refused()).toEqual([catalog.version])
  })

  test('are not run from a module that is absent or another', async () => {
    expect(await own(catalog, null).of(catalog.version)).toBeNull()
    expect(await own(catalog, join(folder, 'absent.mjs')).of(catalog.version)).toBeNull()
    expect(await own({ ...catalog, module: sha256('other') }, path()).of(catalog.version)).toBeNull()
  })
})

describe('which module is run', () => {
  const keys = generateKeyPairSync('ed25519')
  const releaseKey = String(keys.publicKey.export({ type: 'spki', format: 'pem' }))
  const signed = (entry: KeptEntry, text = signedText(entry)): KeptEntry => ({
    ...entry,
    signature: sign(null, Buffer.from(text), keys.privateKey).toString('base64'),
  })

  test('one that the list names, with the digest that the list names', async () => {
    expect(await open([kept]).of(catalog.version)).not.toBeNull()
    expect(await open([]).of(catalog.version)).toBeNull()
    expect(await open([kept]).of('0.0.1')).toBeNull()
    expect(await open([kept], null, 'elsewhere').of(catalog.version)).toBeNull()
    expect(await open([{ ...kept, module: sha256('other') }]).of(catalog.version)).toBeNull()
  })

  test('once releases are signed, only one whose entry that key signed', async () => {
    expect(await open([signed(kept)], releaseKey).of(catalog.version)).not.toBeNull()
    expect(await open([kept], releaseKey).of(catalog.version)).toBeNull()
    const others = signed(kept, signedText({ ...kept, version: '0.0.1' }))
    expect(await open([others], releaseKey).of(catalog.version)).toBeNull()
    const stranger = String(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }))
    expect(await open([signed(kept)], stranger).of(catalog.version)).toBeNull()
  })

  test('what is listed and is not what was released is refused, and what is absent is not', async () => {
    const key = releaseKey
    const others = { ...signed(kept, 'another text') }
    const cases: readonly (readonly [KeptEntry, string | null, boolean])[] = [
      [signed(kept), key, false],
      [kept, null, false],
      [kept, key, true],
      [others, key, true],
      [{ ...kept, signature: 'no base64 of a signature' }, key, true],
      [signed({ ...kept, module: sha256('other') }), key, true],
      [signed(kept), 'no key', true],
    ]
    for (const [entry, by, isRefused] of cases) {
      const rules = open([entry], by)
      expect((await rules.of(catalog.version)) === null).toBe(isRefused)
      expect(rules.refused()).toEqual(isRefused ? [catalog.version] : [])
    }
    const absent = open([signed(kept)], key, 'elsewhere')
    expect(await absent.of(catalog.version)).toBeNull()
    expect(absent.refused()).toEqual([])
  })

  test('the rules of the program itself, by their entry where they are listed', async () => {
    const by = (entry: KeptEntry) => {
      const path = join(folder, 'rules', `${catalog.version}.mjs`)
      const one = openKeptRules({ ...catalog, module: kept.module }, { releaseKey, rules: [entry] }, null, path)
      opened.push(one)
      return one
    }
    expect(await by(signed(kept)).of(catalog.version)).not.toBeNull()
    const unsigned = by(kept)
    expect(await unsigned.of(catalog.version)).toBeNull()
    expect(unsigned.refused()).toEqual([catalog.version])
  })

  test('the state of the rules is named: signed for release only with a signature of the release key', () => {
    const [released, unsigned] = ['rules signed for release', 'unsigned development rules']
    expect(rulesState(kept, { releaseKey, rules: [signed(kept)] })).toBe(released)
    expect(rulesState(kept, { releaseKey: null, rules: [signed(kept)] })).toBe(unsigned)
    expect(rulesState(kept, { releaseKey, rules: [kept] })).toBe(unsigned)
    expect(rulesState(kept, { releaseKey, rules: [] })).toBe(unsigned)
    expect(rulesState({ ...kept, module: sha256('other') }, { releaseKey, rules: [signed(kept)] })).toBe(unsigned)
    expect(rulesState(kept, { releaseKey, rules: [signed(kept, 'another text')] })).toBe(unsigned)
  })

  test.each(list.rules)('the kept module of version $version is the one of the list', ({ version, module }) => {
    const path = new URL(`../main/adapters/kept-rules/modules/${version}.mjs`, import.meta.url)
    expect(existsSync(path) && sha256(readFileSync(path))).toBe(module)
  })
})

describe('npm run rules:keep', () => {
  const keyFile = (name: string, type: 'ed25519' | 'ec' = 'ed25519'): string => {
    const { privateKey } =
      type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const path = join(folder, name)
    writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    return path
  }
  const listAt = (at: string, rules: KeptList): string => {
    const where = join(folder, at)
    mkdirSync(where)
    writeFileSync(join(where, 'list.json'), JSON.stringify(rules))
    return where
  }
  const read = (where: string): KeptList => JSON.parse(readFileSync(join(where, 'list.json'), 'utf8')) as KeptList
  const openAt = (where: string): KeptRules => {
    const one = openKeptRules(null, read(where), `${where}/modules/`)
    opened.push(one)
    return one
  }

  test('needs only the key: what it signs is run, and named as released', async () => {
    const where = listAt('keep', { releaseKey: null, rules: [] })
    expect(await keepRules(null, where)).toContain('without a signature')
    expect(rulesState(catalog, read(where))).toBe('unsigned development rules')
    const key = keyFile('release.pem')
    expect(await keepRules(key, where)).toContain('signed')
    expect(read(where).releaseKey).toContain('BEGIN PUBLIC KEY')
    expect(rulesState(catalog, read(where))).toBe('rules signed for release')
    expect(await openAt(where).of(catalog.version)).not.toBeNull()
    const before = read(where)
    for (const other of [null, keyFile('stranger.pem')])
      await expect(keepRules(other, where)).rejects.toThrow('the private key of releases')
    await expect(keepRules(keyFile('other-kind.pem', 'ec'), where)).rejects.toThrow('Ed25519')
    expect(read(where)).toEqual(before)
  })

  test('signs earlier entries only where their module is still the one that was kept', async () => {
    const earlier: KeptEntry = { version: '0.0.1', module: sha256('earlier'), catalog: sha256('c'), signature: null }
    const where = listAt('keep-earlier', { releaseKey: null, rules: [earlier] })
    mkdirSync(join(where, 'modules'))
    writeFileSync(join(where, 'modules', '0.0.1.mjs'), 'another')
    const key = keyFile('earlier.pem')
    await expect(keepRules(key, where)).rejects.toThrow('version 0.0.1')
    writeFileSync(join(where, 'modules', '0.0.1.mjs'), 'earlier')
    await keepRules(key, where)
    expect(read(where).rules.map(({ version, signature }) => [version, signature !== null])).toEqual([
      ['0.0.1', true],
      [catalog.version, true],
    ])
  })

  test('a file that refused rules would judge is not verified', async () => {
    const where = listAt('keep-refused', { releaseKey: null, rules: [] })
    await keepRules(keyFile('refused.pem'), where)
    const { releaseKey, rules } = read(where)
    const forged = {
      releaseKey,
      rules: rules.map((one) => ({ ...one, signature: Buffer.alloc(64).toString('base64') })),
    }
    const signer = await sampleSigner(folder, 'refused')
    const files = await samplePack({ signer, catalog, population: NODES, recordings: recordingsOf() })
    const ports = {
      ...createPorts(catalog),
      packs: {
        ...createPorts(catalog).packs,
        open: async () =>
          ok({
            ...sourceOf(files),
            departures: [],
            folder: null,
            stored: never,
            indexApart: () => null,
            close: async () => {},
          }),
      },
      keptRules: () => openKeptRules(null, forged, `${where}/modules/`),
    }
    const trust = { signers: [signer.certificate], authorities: [], lists: [] }
    const ask = { path: 'p.zip', trust, checkpoint: null, keep: false }
    const refused = await reviewFile(ports, catalog, ask)
    expect(refused).toMatchObject({ ok: false, error: { code: 'rules.refused' } })
    expect(codeOf(refused.ok ? { code: 'bug', detail: '' } : refused.error)).toBe(EXIT.notVerified)
    const good = { ...ports, keptRules: () => openKeptRules(null, { releaseKey, rules }, `${where}/modules/`) }
    expect(await reviewFile(good, catalog, ask)).toMatchObject({ ok: true, value: { report: { ok: true } } })
  })
})

const never = (): never => {
  throw new Error('not copied')
}
const recordingsOf = () => NODES.map((node) => fixtureRecording(node, catalog.probes))

describe('what a module reaches', () => {
  const judging = async (code: string): Promise<Assessor> => {
    const module = sha256(code)
    mkdirSync(join(folder, module))
    writeFileSync(join(folder, module, '1.mjs'), code)
    const judge = await open([{ version: '1', module, catalog: '', signature: null }], null, module).of('1')
    if (judge === null) throw new Error('not run')
    return judge
  }
  const rules = (about: string): string =>
    `export const RULES = {}; export const rulesOf = () => ({ about: () => (${about}) })`

  test('no process, timer, console or connection, by any name', async () => {
    const names = ['process', 'require', 'fetch', 'WebSocket', 'setTimeout', 'console', 'performance', 'crypto']
    const judge = await judging(rules(`${JSON.stringify(names)}.map((name) => typeof globalThis[name])`))
    expect(await judge.about({})).toEqual(names.map(() => 'undefined'))
  })

  test.each(['node:fs', 'node:net', 'node:child_process', 'node:worker_threads', './other.mjs'])(
    'not %s: it is not started',
    async (name) => {
      const judge = await judging(`import ${JSON.stringify(name)}; ${rules('1')}`)
      await expect(judge.about({})).rejects.toThrow(`rules import ${name}`)
    },
  )

  test('nothing that it imports later', async () => {
    const judge = await judging(
      rules(`{ then: (done) => import('node:fs').then(() => done('read'), () => done('no')) }`),
    )
    // The answer is no plain data, which is refused; a module that was loaded would have come before.
    await expect(judge.about({})).rejects.toThrow()
  })

  test('no more memory than it is given: what was asked is answered with a failure', async () => {
    const judge = await judging(
      rules(`(() => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)) })()`),
    )
    await expect(judge.about({})).rejects.toThrow()
    await expect(judge.about({})).rejects.toThrow()
  }, 300_000)
})

describe('a pack that earlier rules judged', () => {
  let signer: Signer
  let files: ReadonlyMap<string, Uint8Array>
  /** The next version of the program: other rules, and those of before in a module. */
  const next: Catalog = {
    ...catalog,
    version: '99.0.0',
    module: sha256('next'),
    checks: catalog.checks.map((check) => ({
      ...check,
      evaluate: () => ({ verdict: 'informational', observations: [] }),
    })),
  }
  beforeAll(async () => {
    signer = await sampleSigner(folder, 'owner')
    files = await samplePack({ signer, catalog, population: NODES, recordings: recordingsOf() })
  })
  const verified = async (
    of: ReadonlyMap<string, Uint8Array>,
    changes: { readonly catalog: Catalog; readonly kept?: KeptRules },
  ): Promise<VerificationReport> => (await verifySource(sourceOf(of), [signer.certificate], changes)).report
  const lacking = (report: VerificationReport) =>
    lackingIn(report, { signers: true, authorities: false, checkpoint: false })

  test('comes out the same by the module that it names', async () => {
    const report = await verified(files, { catalog: next, kept: open([kept]) })
    expect(report).toMatchObject({ ok: true, rules: { status: 'same', version: kept.version, unconfirmed: 0 } })
    expect(lacking(report)).not.toContain('reproducibility')
    expect(report.rules?.results).toBeGreaterThan(200)
  })

  test('is left open where that module is not there', async () => {
    const report = await verified(files, { catalog: next })
    expect(report).toMatchObject({ ok: true, rules: { status: 'unknown' } })
    expect(report.rules?.unconfirmed).toBeGreaterThan(0)
    expect(lacking(report)).toContain('reproducibility')
  })

  test('is rejected where the rules under that version were others', async () => {
    const forged = await samplePack({
      signer,
      catalog: { ...next, version: catalog.version },
      population: NODES,
      recordings: recordingsOf(),
    })
    const report = await verified(forged, { catalog: next, kept: open([kept]) })
    expect(report).toMatchObject({ ok: false, rules: { status: 'falsified', version: kept.version } })
    const stated = { ...next, version: catalog.version, module: catalog.module }
    const hidden = await samplePack({ signer, catalog: stated, population: NODES, recordings: recordingsOf() })
    expect((await verified(hidden, { catalog: next, kept: open([kept]) })).ok).toBe(false)
  })
})
