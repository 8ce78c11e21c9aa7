import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
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
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

export const integrityPackageVerify = defineCheck({
  id: 'integrity.package-verify',
  property: 'integrity',
  expected: 'The installed programs for login, administration and logging are those that their packages delivered.',
  limitations:
    'Only a short list is compared: the packages of the SSH server, sudo, PAM, passwords, core tools, audit and rsyslog. The package database is on the same server, and root can change both; Debian’s sums are MD5. Configuration files may differ.',
  requires: { distribution: packagesDistribution },
  optional: { dpkg: packagesVerifyDpkg, sums: packagesSumsDpkg, rpm: packagesVerifyRpm },
  evaluate({ distribution: { family, id } }, { dpkg, sums, rpm }) {
    if (family === 'debian') return decide([...compared(dpkg, packagesVerifyDpkg), ...unsummed(dpkg, sums)])
    if (family === 'rhel' || family === 'suse') return decide(compared(rpm, packagesVerifyRpm))
    return decide([unclear(`The package database of ${quote(id)} is not read.`, packagesDistribution)])
  },
})

function compared(reading: Parsed<VerifiedFiles>, probe: Probe<VerifiedFiles>): readonly DraftObservation[] {
  if (!reading.ok) return unclearAbout(probe, reading)
  const { checked, altered, missing, reattributed, unreadable, configured } = reading.fact
  if (checked.length === 0) return [unclear('None of the packages that are compared is installed.', probe)]
  const say = (paths: readonly string[], step: typeof unclear, what: string): readonly DraftObservation[] =>
    paths.length === 0 ? [] : [step(`${count(paths.length, 'file')} ${what}: ${named(paths, 5)}.`, probe)]
  return [
    supports(
      `The files of ${count(checked.length, 'package')} were compared with the package database: ${named(checked, 12)}. ${configured === 0 ? 'No configuration file differs' : `${count(configured, 'configuration file')} ${configured === 1 ? 'differs' : 'differ'}, which is allowed`}.`,
      probe,
    ),
    ...say(altered, contradicts, 'with other content than the package delivered'),
    ...say(missing, contradicts, 'of the packages gone'),
    ...say(reattributed, unclear, 'with another owner, mode or link than the package set'),
    ...say(unreadable, unclear, 'that could not be compared'),
  ]
}

/** dpkg reports nothing about a package without checksums, as if all were well. */
function unsummed(reading: Parsed<VerifiedFiles>, sums: Parsed<PackageSums>): readonly DraftObservation[] {
  if (!reading.ok) return []
  if (!sums.ok) return unclearAbout(packagesSumsDpkg, sums)
  const without = reading.fact.checked.filter((name) => !sums.fact.packages.includes(name))
  return without.length === 0
    ? []
    : [
        unclear(
          `The package database keeps no checksums of ${named(without, 12)}: there was nothing to compare with.`,
          packagesSumsDpkg,
        ),
      ]
}
