import type { CheckSeverity } from '../../core/rules/catalog.ts'
import type { OffNodeCheck } from '../../core/rules/requests.ts'
import { accountsSubject } from '../access/accounts/index.ts'
import { authorizedKeysSubject } from '../access/authorized-keys/index.ts'
import { consoleSubject } from '../access/console/index.ts'
import { pamSubject } from '../access/pam/index.ts'
import { providerAccessSubject } from '../access/provider-access/index.ts'
import { sessionTimeoutSubject } from '../access/session-timeout/index.ts'
import { setuidSubject } from '../access/setuid/index.ts'
import { sshdSubject } from '../access/sshd/index.ts'
import { sudoSubject } from '../access/sudo/index.ts'
import type { CheckData, Subject, VocabularyEntry } from '../base/subject.ts'
import { blockDevicesSubject } from '../data-protection/block-devices/index.ts'
import { diskEncryptionSubject } from '../data-protection/disk-encryption/index.ts'
import { dumpsSubject } from '../data-protection/dumps/index.ts'
import { ephiSubject } from '../data-protection/ephi/index.ts'
import { firewallSubject } from '../data-protection/firewall/index.ts'
import { listenersSubject } from '../data-protection/listeners/index.ts'
import { logForwardingSubject } from '../data-protection/log-forwarding/index.ts'
import { mountsSubject } from '../data-protection/mounts/index.ts'
import { networkSubject } from '../data-protection/network/index.ts'
import { sshEncryptionSubject } from '../data-protection/ssh-encryption/index.ts'
import { tlsSubject } from '../data-protection/tls/index.ts'
import { vpnSubject } from '../data-protection/vpn/index.ts'
import { drivesSubject } from '../hardware/drives/index.ts'
import { fabricSubject } from '../hardware/fabric/index.ts'
import { firmwareSubject } from '../hardware/firmware/index.ts'
import { gpuSubject } from '../hardware/gpu/index.ts'
import { hardwareHealthSubject } from '../hardware/hardware-health/index.ts'
import { machineSubject } from '../hardware/machine/index.ts'
import { managementControllerSubject } from '../hardware/management-controller/index.ts'
import { memoryEncryptionSubject } from '../hardware/memory-encryption/index.ts'
import { memoryErrorsSubject } from '../hardware/memory-errors/index.ts'
import { pciSubject } from '../hardware/pci/index.ts'
import { processorsSubject } from '../hardware/processors/index.ts'
import { redundancySubject } from '../hardware/redundancy/index.ts'
import { removableMediaSubject } from '../hardware/removable-media/index.ts'
import { storageIntegritySubject } from '../hardware/storage-integrity/index.ts'
import { locationSubject } from '../location/index.ts'
import { auditdSubject } from '../operations/auditd/index.ts'
import { availabilitySubject } from '../operations/availability/index.ts'
import { backupSubject } from '../operations/backup/index.ts'
import { cryptoModuleSubject } from '../operations/crypto-module/index.ts'
import { endOfLifeSubject } from '../operations/end-of-life/index.ts'
import { evidenceSubject } from '../operations/evidence/index.ts'
import { integrityMonitoringSubject } from '../operations/integrity-monitoring/index.ts'
import { loginRecordsSubject } from '../operations/login-records/index.ts'
import { logsSubject } from '../operations/logs/index.ts'
import { mandatoryAccessSubject } from '../operations/mandatory-access/index.ts'
import { offNodeSubject } from '../operations/off-node/index.ts'
import { packagesSubject } from '../operations/packages/index.ts'
import { scheduledJobsSubject } from '../operations/scheduled-jobs/index.ts'
import { timeSubject } from '../operations/time/index.ts'
import { bootIntegritySubject } from '../single-tenancy/boot-integrity/index.ts'
import { isolationSubject } from '../single-tenancy/isolation/index.ts'
import { liveTestsSubject } from '../single-tenancy/live-tests/index.ts'
import { tenancySubject } from '../single-tenancy/tenancy/index.ts'
import { virtualizationSubject } from '../single-tenancy/virtualization/index.ts'

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
