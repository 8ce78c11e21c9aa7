import type { Catalog } from '../core/catalog.ts'
import { listAccess } from './access-lists.ts'
import { OFF_NODE_CHECKS, SEVERITIES } from './check-data.ts'
import { PROVIDERS } from './claims/providers.ts'
import { CLAIM_TESTS } from './claims/tests.ts'
import { CONCLUSIONS } from './conclusions.ts'
import { evidenceCollectionCompleteness } from './evidence/completeness.ts'
import { hipaa, nprm, soc2 } from './frameworks/frameworks.ts'
import { REQUESTS } from './frameworks/load.ts'
import { RELATED } from './frameworks/related.ts'
import { assessIsolation, SIGNAL_NOTES } from './isolation/argue.ts'
import { assessLocation } from './location/argue.ts'
import { identity } from './machine/identity.ts'
import { REFERENCES } from './references.ts'
import { SUBJECTS } from './subjects.ts'
import { THRESHOLDS } from './thresholds.ts'
import { CATALOG_VERSION } from './version.ts'

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
