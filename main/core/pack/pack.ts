import type { Assessment, PackPredicate, Planned, Statement } from '../../../schemas/types.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { type Sha256, sha256 } from '../base/digest.ts'
import { pem } from '../base/pem.ts'
import type { Signer } from '../ports/ports.ts'
import { compare, type RecordingOutline } from '../recording/recording.ts'
import { CHAIN_PATHS, inclusionRecipe } from '../run-chain/notes.ts'
import {
  digestOf,
  type ManifestDigests,
  manifestLines,
  manifestOf,
  type NodeFiles,
  PATHS,
  type PackContent,
  type PackFiles,
  pathsInOrder,
  sizeOf,
} from './pack-files.ts'
import { type Recipe, VERIFY_SH, verifyText } from './verify-text.ts'

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
const PREDICATE_TYPE = 'https://barewitness.dev/evidence-pack/v1'

interface StatementInput {
  readonly run: string
  readonly producer: string
  readonly assessment: Assessment
  readonly recordings: readonly RecordingOutline[]
  /** The scheduled run; null for one that a person started. */
  readonly planned?: Planned | null
}

/**
 * The documents that people ask for individually: subjects of the statement besides the list that names every file.
 */
export const NAMED_SUBJECTS: readonly string[] = [
  PATHS.assessment,
  PATHS.catalog,
  PATHS.executive,
  PATHS.html,
  PATHS.report,
  PATHS.scope,
]

/**
 * The in-toto Statement (in-toto attestation framework, v1) over a payload and its manifest; it names every declared
 * node.
 */
const statementFor = (payload: PackFiles, manifest: ManifestDigests, input: StatementInput): Statement => ({
  _type: STATEMENT_TYPE,
  subject: [
    { name: PATHS.manifest, digest: { sha256: manifest.sha256 } },
    ...NAMED_SUBJECTS.flatMap((name) => {
      const content = payload.get(name)
      return content === undefined ? [] : [{ name, digest: { sha256: digestOf(content) } }]
    }),
  ].sort((a, b) => compare(a.name, b.name)),
  predicateType: PREDICATE_TYPE,
  predicate: predicateFor(manifest.evidenceDigest, input),
})

/** What a pack states about its run; the digest is that of evidenceDigestOf(). */
export function predicateFor(
  evidenceDigest: Sha256,
  { run, producer, assessment, recordings, planned = null }: StatementInput,
): PackPredicate {
  const hostKeys = new Map(
    recordings.map(({ recording }) => [recording.node.name, recording.hostKey?.fingerprint ?? null]),
  )
  return {
    run,
    fleet: assessment.scope.fleet,
    demo: assessment.demo,
    asOf: assessment.asOf,
    producer,
    catalog: assessment.catalog,
    nodes: assessment.nodes.map(({ node, recording }) => ({
      name: node,
      recording: recording?.digest ?? null,
      hostKey: recording === null ? null : (hostKeys.get(node) ?? null),
    })),
    report: { evidenceDigest },
    ...(planned === null ? {} : { planned }),
  }
}

/**
 * The files of many nodes as one map that has those of one node in memory at a time. For a thousand nodes, names and
 * positions alone take more memory than everything else.
 */
export function filesOfNodes(nodes: readonly NodeFiles[]): PackFiles {
  const byFolder = new Map(nodes.map((node) => [node.folder, node]))
  const ordered = [...nodes].sort((a, b) => compare(`${a.folder}/`, `${b.folder}/`))
  let [last, files]: [NodeFiles | undefined, PackFiles] = [undefined, new Map()]
  const of = (node: NodeFiles | undefined): PackFiles => {
    if (node !== last) [last, files] = [node, node?.files() ?? new Map()]
    return files
  }
  return viewOf({
    size: () => nodes.reduce((sum, { size }) => sum + size, 0),
    get: (path) => of(byFolder.get(path.split('/', 3).join('/'))).get(path),
    entries: function* () {
      for (const node of nodes) yield* of(node)
    },
    inOrder: function* () {
      for (const node of ordered) yield* pathsInOrder(of(node))
    },
  })
}

/** Several maps without common paths as one, which reflects later additions to any of them. */
export const layered = (...layers: readonly PackFiles[]): PackFiles =>
  viewOf({
    size: () => layers.reduce((sum, { size }) => sum + size, 0),
    get: (path) => {
      for (const layer of layers) {
        const content = layer.get(path)
        if (content !== undefined) return content
      }
      return undefined
    },
    entries: function* () {
      for (const layer of layers) yield* layer
    },
    inOrder: () => merged(layers.map((layer) => pathsInOrder(layer)[Symbol.iterator]())),
  })

/** Merges sorted lists. */
function* merged(lists: readonly Iterator<string>[]): Generator<string> {
  const heads = lists.map((list) => list.next())
  for (;;) {
    let least = -1
    for (const [at, head] of heads.entries())
      if (head.done !== true && (least < 0 || head.value < (heads[least]?.value ?? ''))) least = at
    const [list, head] = [lists[least], heads[least]]
    if (list === undefined || head === undefined) return
    yield head.value as string
    heads[least] = list.next()
  }
}

const viewOf = ({
  size,
  get,
  entries,
  inOrder,
}: {
  readonly size: () => number
  readonly get: (path: string) => PackContent | undefined
  readonly entries: () => Iterator<readonly [string, PackContent]>
  readonly inOrder: () => Iterable<string>
}): PackFiles => ({
  get size() {
    return size()
  },
  get,
  has: (path) => get(path) !== undefined,
  keys: function* () {
    for (const [path] of { [Symbol.iterator]: entries }) yield path
  },
  values: function* () {
    for (const [, content] of { [Symbol.iterator]: entries }) yield content
  },
  [Symbol.iterator]: entries,
  inOrder,
})

export { assessmentBytes, evidenceDigestOf, manifestLines, PATHS, type PackFiles, payloadFiles } from './pack-files.ts'

interface PackInput extends StatementInput {
  /** The result of payloadFiles(), with the report added under PATHS.report. */
  readonly payload: PackFiles
  readonly signer: Pick<Signer, 'certificate' | 'chain' | 'crls' | 'fingerprint' | 'subject'>
  /** The authority that will time-stamp the seal, where it was already asked: recorded for checks in later years. */
  readonly authority?: StampAuthority | null
  /** Listed and sealed files outside the payload. */
  readonly tags?: ReadonlyMap<string, Uint8Array>
  /** The file name of the archive, for VERIFY.txt. */
  readonly packName: string
}

export interface StampAuthority {
  readonly name: string
  /** DER certificates, leaf first. */
  readonly chain: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
}

export interface AssembledPack {
  /** Every file outside the payload except the seal. */
  readonly tags: ReadonlyMap<string, PackContent>
  /** VERIFY.txt, which is one of them. */
  readonly help: Uint8Array
  /** The bytes to be sealed; their signature is stored at PATHS.seal. */
  readonly toSeal: Uint8Array
  readonly evidenceDigest: Sha256
}

export const BAG_DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'

/** The pack of a run; see assembleBag(). */
export const assemblePack = (input: PackInput): AssembledPack => assembleBag(bagOfRun(input))

/** The components of the pack of a run. */
export const bagOfRun = <T extends PackInput>(input: T): T & BagInput => ({
  ...input,
  identifier: input.run,
  asOf: input.assessment.asOf,
  demo: input.assessment.demo,
  statement: (manifest: ManifestDigests) => statementFor(input.payload, manifest, input),
})

/** The components of a sealed pack of any kind. */
export interface BagInput
  extends Pick<PackInput, 'payload' | 'signer' | 'authority' | 'tags' | 'packName' | 'producer'> {
  /** The subject of the pack, in one word. */
  readonly identifier: string
  readonly asOf: string
  readonly demo: boolean
  /** The content of statement.json, which covers the payload manifest. */
  readonly statement: (manifest: ManifestDigests) => unknown
  /** For VERIFY.txt: the folder of captured outputs. By default that of the run’s own pack. */
  readonly nodes?: string
}

/**
 * A BagIt 1.0 bag (RFC 8493) around a payload. The tag manifest lists every other file outside the payload, including
 * certificates and revocation lists, so that the one signature over it covers every byte of the pack except its own
 * and the time-stamps over it.
 */
export function assembleBag(input: BagInput): AssembledPack {
  const { payload, signer, authority, demo } = input
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
  const manifest = manifestOf(payload)
  const digest = manifest.evidenceDigest
  let bytes = 0
  for (const content of payload.values()) bytes += sizeOf(content)
  const help = utf8(
    verifyText({
      packName: input.packName,
      fingerprint: signer.fingerprint,
      rootFingerprint: sha256(signer.chain.at(-1) ?? signer.certificate),
      subject: signer.subject,
      evidenceDigest: digest,
      demo,
      revocationLists: signer.crls.map((_, index) => listPath('signature/crls/', index)),
      timestamp: authority == null ? null : { authority: authority.name },
      recipes: payload.has(CHAIN_PATHS.inclusion) ? [CHAIN_RECIPE] : [],
      ...(input.nodes === undefined ? {} : { nodes: input.nodes }),
    }),
  )
  const tags = new Map<string, PackContent>([
    ...(input.tags ?? []),
    [PATHS.bag, utf8(BAG_DECLARATION)],
    [
      PATHS.info,
      utf8(
        bagInfo({
          ...input,
          oxum: `${bytes}.${payload.size}`,
          evidenceDigest: digest,
          fingerprint: signer.fingerprint,
        }),
      ),
    ],
    [PATHS.manifest, manifest.content],
    [PATHS.statement, utf8(`${canonicalJson(input.statement(manifest))}\n`)],
    [PATHS.help, help],
    [PATHS.verifyScript, utf8(VERIFY_SH)],
    [PATHS.chain, certificates([signer.certificate, ...signer.chain])],
    ...revocationLists('signature/crls/', signer.crls),
    ...(authority == null
      ? []
      : [[PATHS.tsaChain, certificates(authority.chain)] as const, ...revocationLists(PATHS.tsaLists, authority.crls)]),
  ])
  const toSeal = utf8(manifestLines(tags))
  return { tags: new Map([...tags, [PATHS.tagManifest, toSeal]]), help, toSeal, evidenceDigest: digest }
}

/** bag-info.txt (RFC 8493 §2.2.2); all its lines follow from the rest of the pack. */
export const bagInfo = (of: {
  readonly producer: string
  readonly asOf: string
  readonly identifier: string
  readonly oxum: string
  readonly evidenceDigest: string
  readonly fingerprint: string
  readonly demo: boolean
}): string =>
  [
    ['Bag-Software-Agent', of.producer],
    ['Bagging-Date', of.asOf.slice(0, 10)],
    ['External-Identifier', of.identifier],
    ['Payload-Oxum', of.oxum],
    ['Pack-Version', '2'],
    ['Evidence-Digest', of.evidenceDigest],
    ['Signer-Fingerprint', of.fingerprint],
    ...(of.demo ? [['Demo-Data', 'yes']] : []),
  ]
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')

/** How to recompute the run chain by hand, where the pack contains the inclusion proof of the preceding entry. */
export const CHAIN_RECIPE: Recipe = {
  title: 'The previous pack is in the run chain of this pack (run in the folder unpacked/pack)',
  lines: ['( set -eu', ...inclusionRecipe(), ')'],
}

const certificates = (chain: readonly Uint8Array[]): Uint8Array =>
  new TextEncoder().encode(chain.map((der) => pem('CERTIFICATE', der)).join(''))

const revocationLists = (folder: string, lists: readonly Uint8Array[]): readonly (readonly [string, Uint8Array])[] =>
  lists.map((der, index) => [listPath(folder, index), new TextEncoder().encode(pem('X509 CRL', der))])

const listPath = (folder: string, index: number): string => `${folder}crl-${index + 1}.pem`
