import type { CheckSeverity } from '../core/rules/catalog.ts'
import type { OffNodeCheck } from '../core/rules/requests.ts'
import { accountsSubject } from './accounts/index.ts'
import { auditdSubject } from './auditd/index.ts'
import { authorizedKeysSubject } from './authorized-keys/index.ts'
import { availabilitySubject } from './availability/index.ts'
import { backupSubject } from './backup/index.ts'
import { blockDevicesSubject } from './block-devices/index.ts'
import { bootIntegritySubject } from './boot-integrity/index.ts'
import { consoleSubject } from './console/index.ts'
import { cryptoModuleSubject } from './crypto-module/index.ts'
import { diskEncryptionSubject } from './disk-encryption/index.ts'
import { drivesSubject } from './drives/index.ts'
import { dumpsSubject } from './dumps/index.ts'
import { endOfLifeSubject } from './end-of-life/index.ts'
import { ephiSubject } from './ephi/index.ts'
import { evidenceSubject } from './evidence/index.ts'
import { fabricSubject } from './fabric/index.ts'
import { firewallSubject } from './firewall/index.ts'
import { firmwareSubject } from './firmware/index.ts'
import { gpuSubject } from './gpu/index.ts'
import { hardwareHealthSubject } from './hardware-health/index.ts'
import { integrityMonitoringSubject } from './integrity-monitoring/index.ts'
import { isolationSubject } from './isolation/index.ts'
import { listenersSubject } from './listeners/index.ts'
import { liveTestsSubject } from './live-tests/index.ts'
import { locationSubject } from './location/index.ts'
import { logForwardingSubject } from './log-forwarding/index.ts'
import { loginRecordsSubject } from './login-records/index.ts'
import { logsSubject } from './logs/index.ts'
import { machineSubject } from './machine/index.ts'
import { managementControllerSubject } from './management-controller/index.ts'
import { mandatoryAccessSubject } from './mandatory-access/index.ts'
import { memoryEncryptionSubject } from './memory-encryption/index.ts'
import { memoryErrorsSubject } from './memory-errors/index.ts'
import { mountsSubject } from './mounts/index.ts'
import { networkSubject } from './network/index.ts'
import { offNodeSubject } from './off-node/index.ts'
import { packagesSubject } from './packages/index.ts'
import { pamSubject } from './pam/index.ts'
import { pciSubject } from './pci/index.ts'
import { processorsSubject } from './processors/index.ts'
import { providerAccessSubject } from './provider-access/index.ts'
import { redundancySubject } from './redundancy/index.ts'
import { removableMediaSubject } from './removable-media/index.ts'
import { scheduledJobsSubject } from './scheduled-jobs/index.ts'
import { sessionTimeoutSubject } from './session-timeout/index.ts'
import { setuidSubject } from './setuid/index.ts'
import { sshEncryptionSubject } from './ssh-encryption/index.ts'
import { sshdSubject } from './sshd/index.ts'
import { storageIntegritySubject } from './storage-integrity/index.ts'
import type { CheckData, Subject, VocabularyEntry } from './subject.ts'
import { sudoSubject } from './sudo/index.ts'
import { tenancySubject } from './tenancy/index.ts'
import { timeSubject } from './time/index.ts'
import { tlsSubject } from './tls/index.ts'
import { virtualizationSubject } from './virtualization/index.ts'
import { vpnSubject } from './vpn/index.ts'

/** Every subject, in the order in which its probes run and its checks are listed. */
export const SUBJECTS: readonly Subject[] = [
  evidenceSubject,
  machineSubject,
  processorsSubject,
  pciSubject,
  virtualizationSubject,
  tenancySubject,
  gpuSubject,
  fabricSubject,
  networkSubject,
  drivesSubject,
  removableMediaSubject,
  managementControllerSubject,
  mountsSubject,
  bootIntegritySubject,
  memoryEncryptionSubject,
  liveTestsSubject,
  providerAccessSubject,
  locationSubject,
  blockDevicesSubject,
  diskEncryptionSubject,
  ephiSubject,
  dumpsSubject,
  cryptoModuleSubject,
  sshdSubject,
  listenersSubject,
  vpnSubject,
  accountsSubject,
  sudoSubject,
  authorizedKeysSubject,
  pamSubject,
  sessionTimeoutSubject,
  auditdSubject,
  logsSubject,
  logForwardingSubject,
  loginRecordsSubject,
  timeSubject,
  mandatoryAccessSubject,
  firewallSubject,
  packagesSubject,
  storageIntegritySubject,
  sshEncryptionSubject,
  tlsSubject,
  consoleSubject,
  setuidSubject,
  integrityMonitoringSubject,
  memoryErrorsSubject,
  firmwareSubject,
  redundancySubject,
  hardwareHealthSubject,
  availabilitySubject,
  backupSubject,
  scheduledJobsSubject,
  isolationSubject,
  endOfLifeSubject,
  offNodeSubject,
]

/** The data of every check, in the order of the subjects and, within one, of its `checks.json`. */
export const CHECK_DATA: readonly CheckData[] = SUBJECTS.flatMap(({ data }) => data?.checks ?? [])

/** What every check observes, and the most that it can show. Every mapping refers to one of these. */
export const VOCABULARY: readonly VocabularyEntry[] = CHECK_DATA.map(({ check, observes, ceiling, evidenceKind }) => ({
  id: check,
  observes,
  ceiling,
  evidenceKind,
}))

const entries: ReadonlyMap<string, VocabularyEntry> = new Map(VOCABULARY.map((entry) => [entry.id, entry]))

/** What a check observes; undefined for an unknown check. */
export const vocabularyEntry = (id: string): VocabularyEntry | undefined => entries.get(id)

/** How severe a deviation from each check is, and why. */
export const SEVERITIES: readonly CheckSeverity[] = CHECK_DATA.flatMap(({ check, severity }) =>
  severity === undefined ? [] : [{ check, ...severity } as CheckSeverity],
)

/** Checks that frameworks map and that are not built, because no capture of a node would decide them. */
export const OFF_NODE_CHECKS: readonly OffNodeCheck[] = CHECK_DATA.flatMap(({ check, offNode }) =>
  offNode === undefined ? [] : [{ id: check, ...offNode } as OffNodeCheck],
)
