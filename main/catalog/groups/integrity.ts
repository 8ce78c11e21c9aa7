import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { integrityEccMemory } from '../checks/integrity-ecc-memory.ts'
import { integrityFim } from '../checks/integrity-fim.ts'
import { integrityFirmwareInventory } from '../checks/integrity-firmware-inventory.ts'
import { integrityMalwareProtection } from '../checks/integrity-malware-protection.ts'
import { integrityPackageVerify } from '../checks/integrity-package-verify.ts'
import { integrityRepoSigning } from '../checks/integrity-repo-signing.ts'
import { integritySetuidFiles } from '../checks/integrity-setuid-files.ts'
import { integritySoftwareInventory } from '../checks/integrity-software-inventory.ts'
import { vulnEol } from '../checks/vuln-eol.ts'
import { vulnScannerEvidence } from '../checks/vuln-scanner-evidence.ts'
import { firmwareFwupd } from '../probes/firmware-fwupd.ts'
import { integrityAgents } from '../probes/integrity-agents.ts'
import { integrityMarks } from '../probes/integrity-marks.ts'
import { integritySchedules } from '../probes/integrity-schedules.ts'
import { kernelIma } from '../probes/kernel-ima.ts'
import { memoryEdac } from '../probes/memory-edac.ts'
import { packagesAptArchives } from '../probes/packages-apt-archives.ts'
import { packagesListDpkg, packagesListRpm } from '../probes/packages-list.ts'
import { packagesRpmRestart } from '../probes/packages-rpm-restart.ts'
import { packagesSourcesApt, packagesSourcesRpm } from '../probes/packages-sources.ts'
import { packagesSumsDpkg, packagesVerifyDpkg, packagesVerifyRpm } from '../probes/packages-verify.ts'
import { packagesZypper } from '../probes/packages-zypper.ts'
import { packagedProgramsDpkg, packagedProgramsRpm, setuidFiles } from '../probes/setuid-files.ts'

/** Questions about what is installed, whether it is whole, supported and looked after. */
export const probes: readonly Probe<unknown>[] = [
  packagesAptArchives,
  packagesZypper,
  packagesRpmRestart,
  packagesVerifyDpkg,
  packagesSumsDpkg,
  packagesVerifyRpm,
  packagesSourcesApt,
  packagesSourcesRpm,
  packagesListDpkg,
  packagesListRpm,
  packagedProgramsDpkg,
  packagedProgramsRpm,
  setuidFiles,
  integrityAgents,
  integrityMarks,
  integritySchedules,
  kernelIma,
  memoryEdac,
  firmwareFwupd,
]

export const checks: readonly Check[] = [
  vulnEol,
  vulnScannerEvidence,
  integrityPackageVerify,
  integritySetuidFiles,
  integrityRepoSigning,
  integrityFim,
  integrityMalwareProtection,
  integrityEccMemory,
  integrityFirmwareInventory,
  integritySoftwareInventory,
]
