import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { packagesDistribution } from '../probes/packages-distribution.ts'
import { type AptSources, packagesSourcesApt, packagesSourcesRpm, type RpmSources } from '../probes/packages-sources.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

export const integrityRepoSigning = defineCheck({
  id: 'integrity.repo-signing',
  property: 'integrity',
  expected: 'Every configured package source requires signatures, and the package manager is configured to check them.',
  limitations:
    'Which keys are trusted, and who holds them, was not read. Options on the command line can skip the checks for one installation. Other ways to install software (pip, containers, installers of vendors) are not covered.',
  requires: { distribution: packagesDistribution },
  optional: { apt: packagesSourcesApt, rpm: packagesSourcesRpm },
  evaluate({ distribution: { family, id } }, { apt, rpm }) {
    if (family === 'debian') return decide(byApt(apt))
    if (family === 'rhel' || family === 'suse') return decide(byRpm(rpm))
    return decide([unclear(`The package sources of ${quote(id)} are not read.`, packagesDistribution)])
  },
})

function byApt(apt: Parsed<AptSources>): readonly DraftObservation[] {
  if (!apt.ok) return unclearAbout(packagesSourcesApt, apt)
  const { sources, switches } = apt.fact
  if (sources.length === 0) return [unclear('No package source is configured.', packagesSourcesApt)]
  const open = sources.filter(({ unverified }) => unverified)
  const plainHttp = sources.filter(({ scheme }) => scheme === 'http').length
  const bound = sources.filter(({ signedBy }) => signedBy).length
  return [
    open.length === 0
      ? supports(
          `${count(sources.length, 'package source')}: no exemption from apt’s check of signatures. ${signers(bound, sources.length)}`,
          packagesSourcesApt,
          'sources',
        )
      : contradicts(
          `${count(open.length, 'package source')} used without a valid signature, by the files ${named([...new Set(open.map(({ file }) => file))], 4)}.`,
          packagesSourcesApt,
          'sources',
        ),
    ...(plainHttp === 0
      ? []
      : [
          supports(
            `${plainHttp} of them are fetched over HTTP: what comes is checked by signature, what is fetched can be watched.`,
            packagesSourcesApt,
            'sources',
          ),
        ]),
    switches.length === 0
      ? supports('No setting of apt lets packages in without a valid signature.', packagesSourcesApt, 'settings')
      : contradicts(
          `Settings of apt let packages in without a valid signature: ${named(switches)}.`,
          packagesSourcesApt,
          'settings',
        ),
  ]
}

/** sources.list(5), Signed-By: without it, any key that apt trusts may sign for the source. */
function signers(bound: number, all: number): string {
  if (bound === all) return 'Each accepts only the keys that are named for it.'
  if (bound === 0) return 'Any key that apt trusts may sign for any of them.'
  return `${bound} ${bound === 1 ? 'accepts' : 'accept'} only the keys that are named for ${bound === 1 ? 'it' : 'them'}; for the others any key that apt trusts may sign.`
}

function byRpm(rpm: Parsed<RpmSources>): readonly DraftObservation[] {
  if (!rpm.ok) return unclearAbout(packagesSourcesRpm, rpm)
  const { sources } = rpm.fact
  if (sources.length === 0) return [unclear('No package source is switched on.', packagesSourcesRpm)]
  const ids = (list: RpmSources['sources']): string =>
    named(
      list.map(({ id }) => id),
      5,
    )
  const open = sources.filter(({ packagesChecked, listChecked }) => !packagesChecked && !listChecked)
  const blind = sources.filter(({ certificateChecked, scheme }) => !certificateChecked && scheme === 'https')
  const clear = sources.filter(
    ({ scheme, packagesChecked, listChecked }) => scheme === 'http' && packagesChecked && !listChecked,
  )
  return [
    open.length === 0
      ? supports(
          `${count(sources.length, 'package source')} switched on: the signatures of packages or of their lists are checked for each.`,
          packagesSourcesRpm,
        )
      : contradicts(`No signature is checked for the package sources ${ids(open)}.`, packagesSourcesRpm),
    ...(blind.length === 0
      ? []
      : [
          contradicts(
            `The server’s certificate is not checked for the package sources ${ids(blind)}.`,
            packagesSourcesRpm,
          ),
        ]),
    ...(clear.length === 0
      ? []
      : [
          unclear(
            `The lists of the package sources ${ids(clear)} come over HTTP without a signature of their own: an old list could be passed off as new.`,
            packagesSourcesRpm,
          ),
        ]),
  ]
}
