import type { Assessment, CheckResult, NodeAssessment } from '../../../../schemas/types.ts'
import type { Verdict } from '../../../../schemas/words.ts'
import { nameUuid, sha256 } from '../../../core/base/digest.ts'
import { fileNamed } from '../../../core/base/layout.ts'
import { oneLine } from '../../../core/base/plain-text.ts'
import { PATHS } from '../../../core/pack/pack-files.ts'
import type { Control } from '../../../core/rules/framework.ts'
import { controlIndex, DEMO_NOTICE, type FormatInput, GENERAL_LIMITATION } from '../input.ts'

/** Above this many nodes, an observation covers one check and verdict with all its nodes, instead of one node. */
export const MOST_NODES = 50

/** The documents of one export, which refer to each other. */
export const DOCUMENTS = ['catalog', 'assessment-plan', 'assessment-results', 'poam'] as const
export type DocumentKind = (typeof DOCUMENTS)[number]

/**
 * Shared by all documents: the input, and one identifier for each object that parts refer to. Identifiers are derived from what lasts over
 * runs (the fleet, the declared name of a node, a check, a control, an entry of the register), so that two exports of one fleet correlate;
 * documents, results and files have identifiers of their run. A node keeps its identifier when it gives no evidence and when the machine
 * behind its name is replaced: its serial number and host key are properties.
 */
export interface Names {
  readonly input: FormatInput
  readonly grouped: boolean
  readonly tool: string
  /** The tool as the origin of an object. */
  readonly origin: unknown
  /** The same object in every run of the fleet. */
  readonly lasting: (kind: string, ...names: readonly string[]) => string
  /** An object of this run alone. */
  readonly ofRun: (kind: string, ...names: readonly string[]) => string
  readonly node: (name: string) => string
  readonly observation: (check: string, verdict: Verdict, node: string) => string
  readonly risk: (check: string) => string
  /** The token of a control, and of its assessment objective. */
  readonly control: (framework: string, key: string) => string
  readonly objective: (framework: string, key: string) => string
  readonly controlOf: (framework: string, key: string) => Control | undefined
}

export function namesOf(input: FormatInput): Names {
  const { assessment, catalog, run } = input
  const { fleet } = assessment.scope
  const grouped = assessment.nodes.length > MOST_NODES
  const tokens = controlTokens(assessment)
  const lasting: Names['lasting'] = (kind, ...names) => uuidOf(kind, fleet, ...names)
  const nodes = new Map(assessment.nodes.map(({ node }) => [node, lasting('node', node)]))
  const tool = uuidOf('tool', input.producer)
  const control: Names['control'] = (framework, key) => tokens.get(`${framework}\n${key}`) ?? tokenOf(key)
  return {
    input,
    grouped,
    tool,
    origin: { actors: [{ type: 'tool', 'actor-uuid': tool }] },
    lasting,
    ofRun: (kind, ...names) => uuidOf(kind, fleet, run, assessment.asOf, input.evidenceDigest, ...names),
    node: (name) => nodes.get(name) ?? lasting('node', name),
    observation: (check, verdict, node) =>
      grouped ? lasting('observations', check, verdict) : lasting('observation', check, node),
    risk: (check) => lasting('risk', check),
    control,
    objective: (framework, key) => `${control(framework, key)}_obj`,
    controlOf: controlIndex(catalog),
  }
}

/** Control keys as tokens. Keys that would give the same token are distinguished by a part of their digest. */
export function controlTokens({ controls }: Pick<Assessment, 'controls'>): ReadonlyMap<string, string> {
  const plainly = (framework: string, key: string): string =>
    tokenOf(key.startsWith(`${framework}:`) ? key : `${framework}:${key}`)
  const uses = new Map<string, number>()
  for (const { framework, control } of controls)
    uses.set(plainly(framework, control), (uses.get(plainly(framework, control)) ?? 0) + 1)
  return new Map(
    controls.map(({ framework, control }) => {
      const token = plainly(framework, control)
      const name = `${framework}\n${control}`
      return [name, uses.get(token) === 1 ? token : `${token}-${sha256(name).slice(0, 12)}`]
    }),
  )
}

/** Verdicts with an observation: results that are not tested have none. */
export const isObserved = ({ verdict }: CheckResult, { observedAt }: NodeAssessment): boolean =>
  verdict !== 'not-tested' && observedAt !== null

/** The version of OSCAL whose schema this follows. */
const OSCAL_VERSION = '1.2.2'

export const NO_MOMENT = '1970-01-01T00:00:00.000Z'

/** The name of each document next to the pack. */
export const oscalName = (prefix: string, kind: DocumentKind): string => fileNamed(prefix, `oscal-${kind}.json`)

const TITLES: Readonly<Record<DocumentKind, string>> = {
  catalog: 'Controls in scope',
  'assessment-plan': 'Assessment plan',
  'assessment-results': 'Assessment results',
  poam: 'Plan of action and milestones',
}

/** Metadata of a document. */
export function metadataOf({ input }: Names, kind: DocumentKind): unknown {
  const { assessment, run, producer, demo } = input
  const engagement = assessment.scope.engagement
  const owner = uuidOf('party', engagement?.entity ?? '')
  return {
    title: line(`${demo ? 'Demo data: ' : ''}${TITLES[kind]}, ${assessment.scope.fleet}`),
    'last-modified': momentOf(assessment.asOf) ?? NO_MOMENT,
    version: line(run),
    'oscal-version': OSCAL_VERSION,
    props: [
      prop('evidence-sha256', input.evidenceDigest),
      prop('producer', producer),
      prop('demo', demo ? 'yes' : 'no'),
      ...(input.signer === null ? [] : [prop('signer-sha256', input.signer.fingerprint)]),
      ...(engagement === undefined ? [] : [prop('audience', engagement.audience), prop('status', engagement.status)]),
    ],
    ...(engagement === undefined
      ? {}
      : {
          roles: [{ id: 'asset-owner', title: 'Entity responsible for the nodes' }],
          parties: [{ uuid: owner, type: 'organization', name: line(engagement.entity) }],
          'responsible-parties': [{ 'role-id': 'asset-owner', 'party-uuids': [owner] }],
        }),
    remarks: [...(demo ? [DEMO_NOTICE] : []), GENERAL_LIMITATION].join('\n'),
  }
}

/** Another document or file of the same export, as a resource that this document cites by its UUID. */
type Cited = DocumentKind | 'pack' | 'rules'

/** The reference to a cited resource. */
export const citing = (names: Names, cited: Cited): string => `#${names.ofRun('resource', cited)}`

/** Back-matter with the cited documents and files. */
export const backMatter = (names: Names, ...cited: readonly Cited[]): unknown => ({
  resources: cited.map((one) => resourceOf(names, one)),
})

function resourceOf(names: Names, cited: Cited): unknown {
  const { assessment, packName, evidenceDigest, prefix } = names.input
  const uuid = names.ofRun('resource', cited)
  if (cited === 'pack')
    return {
      uuid,
      title: 'Evidence pack',
      description: 'The sealed pack behind this document. Its evidence digest is printed in the signed report.',
      props: [prop('evidence-sha256', evidenceDigest)],
      rlinks: [{ href: hrefOf(packName), 'media-type': 'application/zip' }],
    }
  if (cited === 'rules')
    return {
      uuid,
      title: 'All probes, checks and mappings, in the pack',
      props: [prop('catalog-version', assessment.catalog.version)],
      rlinks: [
        {
          href: PATHS.catalog,
          'media-type': 'application/json',
          hashes: [{ algorithm: 'SHA-256', value: assessment.catalog.digest }],
        },
      ],
    }
  return {
    uuid,
    title: TITLES[cited],
    description: 'The OSCAL document next to this one. It is not sealed.',
    props: [prop('model', tokenOf(cited))],
    rlinks: [{ href: hrefOf(oscalName(prefix, cited)), 'media-type': 'application/oscal+json' }],
  }
}

/** The assessing software, and the computer that it ran on. */
export const assessmentAssets = ({ input: { assessment, producer }, tool, lasting }: Names): unknown => ({
  components: [
    {
      uuid: tool,
      type: 'software',
      title: line(producer),
      description: 'Collects evidence from nodes over SSH with constant commands and evaluates it.',
      props: [
        prop('engine', assessment.engine),
        prop('catalog-version', assessment.catalog.version),
        prop('catalog-sha256', assessment.catalog.digest),
      ],
      status: { state: 'operational' },
    },
  ],
  'assessment-platforms': [
    {
      uuid: lasting('platform'),
      title: 'The computer that ran the collection',
      'uses-components': [{ 'component-uuid': tool }],
    },
  ],
})

/** The namespace of every property that OSCAL itself does not define. */
export const NS = 'https://barewitness.dev/ns/oscal'

/** A Barewitness property. */
interface Prop {
  readonly ns: string
  readonly name: string
  readonly value: string
  /** A token that distinguishes several properties of one name. */
  readonly class?: string
}

/** OSCAL’s StringDatatype: one line, not empty, no surrounding blanks. */
export const line = (text: string, max = 2000): string => oneLine(text, max).trim() || 'not stated'

export const prop = (name: string, value: string | number, of?: string): Prop => ({
  ns: NS,
  name,
  value: line(String(value)),
  ...(of === undefined ? {} : { class: tokenOf(of) }),
})

/** The namespace of our UUIDs: NS as a name in the namespace of URLs (RFC 9562, section 6.6). */
const NAMESPACE = nameUuid('6ba7b811-9dad-11d1-80b4-00c04fd430c8', NS)

/** A UUID from names alone: the same names give the same UUID, in every document and every run. */
export const uuidOf = (...names: readonly string[]): string => nameUuid(NAMESPACE, JSON.stringify(names))

/** OSCAL's TokenDatatype from any text. Two texts can give the same one; see controlTokens(). */
export function tokenOf(text: string): string {
  const clean = text
    .replace(/[^\p{L}\p{N}.\-_]+/gu, '_')
    .replace(/_+$/, '')
    .slice(0, 200)
  return /^[\p{L}_]/u.test(clean) ? clean : `_${clean}`
}

/** A time as OSCAL’s DateTimeWithTimezoneDatatype; null for an invalid text. */
export function momentOf(text: string | null, plusDays = 0): string | null {
  const time = text === null ? Number.NaN : Date.parse(text) + plusDays * DAY_MS
  return time >= EARLIEST && time <= LATEST ? new Date(time).toISOString() : null
}

const DAY_MS = 86_400_000
// Years permitted by the pattern of the schema.
const EARLIEST = Date.UTC(1900, 0, 1)
const LATEST = Date.UTC(2999, 11, 31)

/** A path or a file name as a URI reference. */
const hrefOf = (path: string): string =>
  path
    .split('/')
    .map((part) => encodeURIComponent(line(part)))
    .join('/')

/** A list that OSCAL permits only where it is not empty. */
export const some = <K extends string, T>(name: K, items: readonly T[]): { readonly [P in K]?: readonly T[] } =>
  items.length === 0 ? {} : ({ [name]: items } as { readonly [P in K]: readonly T[] })
