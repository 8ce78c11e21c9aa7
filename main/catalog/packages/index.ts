import { defineSubject } from '../subject.ts'
import { packagesApt, packagesAptArchives } from './apt.ts'
import data from './checks.json' with { type: 'json' }
import { changePackageHistory, integritySoftwareInventory } from './inventory.ts'
import { packageLogs, packagesDistribution, packagesListDpkg, packagesListRpm, rebootRequired } from './probes.ts'
import { packagesDnf, packagesRpmRestart, packagesZypper } from './rpm.ts'
import { integrityRepoSigning, packagesSourcesApt, packagesSourcesRpm } from './sources.ts'
import { vulnPatchLevel, vulnRebootRequired } from './updates.ts'
import { integrityPackageVerify, packagesSumsDpkg, packagesVerifyDpkg, packagesVerifyRpm } from './verify.ts'

export const packagesSubject = defineSubject({
  id: 'packages',
  title: 'Software packages and updates',
  probes: [
    packagesDistribution,
    packagesApt,
    packagesDnf,
    rebootRequired,
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
    packageLogs,
  ],
  checks: [
    vulnPatchLevel,
    vulnRebootRequired,
    integrityPackageVerify,
    integrityRepoSigning,
    integritySoftwareInventory,
    changePackageHistory,
  ],
  data,
})
