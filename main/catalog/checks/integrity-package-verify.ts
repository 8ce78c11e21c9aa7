import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed, Probe } from '../../core/probe.ts'
import { packagesDistribution } from '../probes/packages-distribution.ts'
import {
  type PackageSums,
  packagesSumsDpkg,
  packagesVerifyDpkg,
  packagesVerifyRpm,
  type VerifiedFiles,
} from '../probes/packages-verify.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const integrityPackageVerify = defineCheck({
  id: 'integrity.package-verify',
  property: 'integrity',
  claim: 'The installed programs for login, administration and logging are those that their packages delivered.',
  limits:
    'Only a short list is compared: the packages of the SSH server, sudo, PAM, passwords, core tools, audit and rsyslog. The package database is on the same server, and root can change both; Debian’s sums are MD5. Configuration files may differ.',
  needs: { distribution: packagesDistribution },
  wants: { dpkg: packagesVerifyDpkg, sums: packagesSumsDpkg, rpm: packagesVerifyRpm },
  evaluate({ distribution: { family, id } }, { dpkg, sums, rpm }) {
    if (family === 'debian') return weigh([...compared(dpkg, packagesVerifyDpkg), ...unsummed(dpkg, sums)])
    if (family === 'rhel' || family === 'suse') return weigh(compared(rpm, packagesVerifyRpm))
    return weigh([leavesUnclear(`The package database of ${quote(id)} is not read.`, packagesDistribution)])
  },
})

function compared(reading: Parsed<VerifiedFiles>, probe: Probe<VerifiedFiles>): readonly Step[] {
  if (!reading.ok) return unclearAbout(probe, reading)
  const { checked, altered, missing, reattributed, unreadable, configured } = reading.fact
  if (checked.length === 0) return [leavesUnclear('None of the packages that are compared is installed.', probe)]
  const say = (paths: readonly string[], step: typeof leavesUnclear, what: string): readonly Step[] =>
    paths.length === 0 ? [] : [step(`${count(paths.length, 'file')} ${what}: ${named(paths, 5)}.`, probe)]
  return [
    speaksFor(
      `The files of ${count(checked.length, 'package')} were compared with the package database: ${named(checked, 12)}. ${configured === 0 ? 'No configuration file differs' : `${count(configured, 'configuration file')} ${configured === 1 ? 'differs' : 'differ'}, which is allowed`}.`,
      probe,
    ),
    ...say(altered, speaksAgainst, 'with other content than the package delivered'),
    ...say(missing, speaksAgainst, 'of the packages gone'),
    ...say(reattributed, leavesUnclear, 'with another owner, mode or link than the package set'),
    ...say(unreadable, leavesUnclear, 'that could not be compared'),
  ]
}

/** dpkg reports nothing about a package without checksums, as if all were well. */
function unsummed(reading: Parsed<VerifiedFiles>, sums: Parsed<PackageSums>): readonly Step[] {
  if (!reading.ok) return []
  if (!sums.ok) return unclearAbout(packagesSumsDpkg, sums)
  const without = reading.fact.checked.filter((name) => !sums.fact.packages.includes(name))
  return without.length === 0
    ? []
    : [
        leavesUnclear(
          `The package database keeps no checksums of ${named(without, 12)}: there was nothing to compare with.`,
          packagesSumsDpkg,
        ),
      ]
}
