import { canonicalJson } from '../../core/base/canonical-json.ts'
import { type Sha256, sha256 } from '../../core/base/digest.ts'
import type { Catalog, ConclusionSettings, ReferenceList } from '../../core/rules/catalog.ts'
import { THRESHOLDS } from '../base/thresholds.ts'
import { identity } from '../hardware/machine/identity.ts'
import { assessLocation } from '../location/argue.ts'
import borders from '../location/borders-10m.json' with { type: 'json' }
import { COUNTRY_LIST } from '../location/discs.ts'
import { PROVIDER_CERTIFICATE_LIST } from '../location/metadata.ts'
import { REGION_LIST } from '../location/provider-signals.ts'
import endOfLife from '../operations/end-of-life/end-of-life.json' with { type: 'json' }
import { evidenceCollectionCompleteness } from '../operations/evidence/completeness.ts'
import { assessIsolation, SIGNAL_NOTES } from '../single-tenancy/isolation/argue.ts'
import { listAccess } from './access-lists.ts'
import { CLAIM_TESTS, PROVIDERS } from './claims/tests.ts'
import { hipaa, nprm, REQUESTS, soc2 } from './frameworks/frameworks.ts'
import hipaaData from './frameworks/hipaa.json' with { type: 'json' }
import nprmData from './frameworks/nprm.json' with { type: 'json' }
import related from './frameworks/related.json' with { type: 'json' }
import { RELATED } from './frameworks/related.ts'
import soc2Data from './frameworks/soc2.json' with { type: 'json' }
import { OFF_NODE_CHECKS, SEVERITIES, SUBJECTS } from './subjects.ts'
import { CATALOG_VERSION } from './version.ts'

/** Its digest is computed when it is first read: most commands name no list. */
function listOf(id: string, title: string, data: { readonly asOf: string }): ReferenceList {
  let digest: Sha256 | null = null
  return {
    id,
    title,
    asOf: data.asOf,
    get sha256() {
      digest ??= sha256(canonicalJson(data))
      return digest
    },
  }
}

/**
 * SHA-256 of the canonical JSON of the borders, stored because digesting 1.4 MB would delay every collection. A test
 * recomputes it.
 */
const BORDERS_SHA256: Sha256 = 'df84af97e47666a2e2e87ec91fc184d361ae0ef3009209d2e5177ea97e8c3e73'

/** Every list of the catalog that was true on a day: what changed since its source did is not in it. */
export const REFERENCES: readonly ReferenceList[] = [
  listOf('provider-regions', 'Countries of provider regions', REGION_LIST),
  listOf('provider-certificates', 'Provider certificates for identity documents', PROVIDER_CERTIFICATE_LIST),
  listOf('end-of-life', 'Vendor end-of-support dates', endOfLife),
  { id: 'borders-10m', title: borders.title, asOf: borders.asOf, sha256: BORDERS_SHA256 },
  listOf('countries', 'Country names and country groups', COUNTRY_LIST),
  ...[hipaaData, soc2Data, nprmData, ...related.frameworks].map((data) =>
    listOf(data.id, `Controls of: ${data.title}`, data),
  ),
]

/** Catalog data that conclusions use besides roles (conclusion model, sections 3 and 7). */
export const CONCLUSIONS: ConclusionSettings = {
  periodChecks: ['lifecycle.disk-swap-detection'],
  ephiChecks: ['encryption.at-rest.ephi-paths', 'encryption.in-transit.ephi-flows', 'inventory.ephi-paths'],
  dataMap: 'ER-12',
}

const probes = SUBJECTS.flatMap(({ probes }) => probes)

/** The one catalog but for the digest of its module: every question, every claim, every mapping. To add a check, add it to its subject, or add a folder and its line in `subjects.ts`. */
export const RULES: Omit<Catalog, 'module'> = {
  version: CATALOG_VERSION,
  probes,
  // How complete a collection was is evaluated over every probe, so this one check is made here.
  checks: [...SUBJECTS.flatMap(({ checks }) => checks), evidenceCollectionCompleteness(probes)],
  frameworks: [hipaa, soc2, nprm, ...RELATED],
  signals: SIGNAL_NOTES,
  thresholds: THRESHOLDS,
  offNodeChecks: OFF_NODE_CHECKS,
  requests: REQUESTS,
  conclusions: CONCLUSIONS,
  severities: SEVERITIES,
  claimTests: CLAIM_TESTS,
  providers: PROVIDERS,
  references: REFERENCES,
  assessIsolation,
  assessLocation,
  identity,
  listAccess,
}
