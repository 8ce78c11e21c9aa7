import type { Catalog } from '../core/catalog.ts'
import { hipaa, nprm, soc2 } from './frameworks/frameworks.ts'
import { checks as accessChecks, probes as accessProbes } from './groups/access.ts'
import { checks as encryptionChecks, probes as encryptionProbes } from './groups/encryption.ts'
import {
  arguesIsolation,
  evidenceCollectionCompleteness,
  checks as isolationChecks,
  probes as isolationProbes,
  SIGNAL_NOTES,
} from './groups/isolation.ts'
import { CATALOG_VERSION } from './version.ts'

const probes = [...isolationProbes, ...encryptionProbes, ...accessProbes]

/** The one catalog: every question, every claim, every mapping. To add one, add its file and its line in a group. */
export const catalog: Catalog = {
  version: CATALOG_VERSION,
  probes,
  // How complete a collection was is judged over every probe, so this one check is made here.
  checks: [...isolationChecks, evidenceCollectionCompleteness(probes), ...encryptionChecks, ...accessChecks],
  frameworks: [hipaa, soc2, nprm],
  signals: SIGNAL_NOTES,
  arguesIsolation,
}
