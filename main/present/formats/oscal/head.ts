import { fileNamed } from '../../../core/file-names.ts'
import { PATHS } from '../../../core/pack-files.ts'
import { DEMO_NOTICE, GENERAL_LIMITATION } from '../input.ts'
import type { DocumentKind, Names } from './naming.ts'
import { hrefOf, line, momentOf, prop, tokenOf, uuidOf } from './words.ts'

/** The version of OSCAL whose schema this follows. */
const OSCAL_VERSION = '1.2.2'

export const NO_MOMENT = '1970-01-01T00:00:00.000Z'

/** The name of each document beside the pack. */
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
export type Cited = DocumentKind | 'pack' | 'rules'

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
