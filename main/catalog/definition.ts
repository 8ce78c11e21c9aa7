import type { Catalog } from '../core/catalog.ts'
import { listAccess } from './access-lists.ts'
import { PROVIDERS } from './claims/providers.ts'
import { CLAIM_TESTS } from './claims/tests.ts'
import { hipaa, nprm, soc2 } from './frameworks/frameworks.ts'
import { REQUESTS, SEVERITIES } from './frameworks/load.ts'
import { RELATED } from './frameworks/related.ts'
import { checks as accessChecks, probes as accessProbes } from './groups/access.ts'
import { checks as accountsChecks, probes as accountsProbes } from './groups/accounts.ts'
import { checks as encryptionChecks, probes as encryptionProbes } from './groups/encryption.ts'
import { checks as integrityChecks, probes as integrityProbes } from './groups/integrity.ts'
import {
  assessIsolation,
  evidenceCollectionCompleteness,
  checks as isolationChecks,
  probes as isolationProbes,
  SIGNAL_NOTES,
} from './groups/isolation.ts'
import { checks as locationChecks, probes as locationProbes } from './groups/location.ts'
import { checks as loggingChecks, probes as loggingProbes } from './groups/logging.ts'
import { checks as operationsChecks, probes as operationsProbes } from './groups/operations.ts'
import { checks as storageChecks, probes as storageProbes } from './groups/storage.ts'
import { checks as transitChecks, probes as transitProbes } from './groups/transit.ts'
import { assessLocation } from './location/argue.ts'
import { identity } from './machine-identity.ts'
import { CONCLUSIONS, OFF_NODE_CHECKS } from './not-from-nodes.ts'
import { REFERENCES } from './references.ts'
import { THRESHOLDS } from './thresholds.ts'
import { CATALOG_VERSION } from './version.ts'

const probes = [
  ...isolationProbes,
  ...locationProbes,
  ...encryptionProbes,
  ...accessProbes,
  ...storageProbes,
  ...transitProbes,
  ...accountsProbes,
  ...loggingProbes,
  ...integrityProbes,
  ...operationsProbes,
]

/** The one catalog but for the digest of its module: every question, every claim, every mapping. To add one, add its file and its line in a group. */
export const RULES: Omit<Catalog, 'module'> = {
  version: CATALOG_VERSION,
  probes,
  // How complete a collection was is evaluated over every probe, so this one check is made here.
  checks: [
    ...isolationChecks,
    ...locationChecks,
    evidenceCollectionCompleteness(probes),
    ...encryptionChecks,
    ...accessChecks,
    ...storageChecks,
    ...transitChecks,
    ...accountsChecks,
    ...loggingChecks,
    ...integrityChecks,
    ...operationsChecks,
  ],
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
  assessIsolation: assessIsolation,
  assessLocation: assessLocation,
  identity,
  listAccess: listAccess,
}
