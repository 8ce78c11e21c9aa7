import { defineProbe, known, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, type MaybeFactsOf, unclearAbout } from '../../../core/rules/check.ts'
import { type Processes, tenancyProcesses } from '../../base/processes.ts'
import { listedFolders, listingIsComplete } from '../../base/read-listing.ts'
import { named, supports, unclear } from '../../base/steps.ts'
import type { LocalAccounts } from './probes.ts'

export interface SssdFiles {
  /** Files that configure SSSD, by path; they are not opened. */
  readonly settings: readonly string[]
  /** Domains that SSSD has served here, by the names of their caches. */
  readonly domains: readonly string[]
}

const SETTINGS = '/etc/sssd'
const SNIPPETS = '/etc/sssd/conf.d'
/** Where openSUSE stores settings of the distribution (its UsrEtc.patch). */
const VENDOR = '/usr/etc/sssd'
const CACHES = '/var/lib/sss/db'
const FOLDERS = [SETTINGS, SNIPPETS, VENDOR, CACHES] as const

/**
 * sssd.conf(5): SSSD reads sssd.conf and conf.d, and nothing else. Each domain that it serves has a file cache_NAME.ldb (src/db/sysdb.h) at a
 * place that no setting changes. All of these folders are closed to other users; names are listed, since the files hold passwords.
 */
export const accountsSssd = defineProbe({
  id: 'accounts.sssd',
  title: 'Configuration of SSSD, by file names',
  why: 'Shows whether SSSD, which can add accounts of a directory, is configured. Only names of files are listed; the files hold passwords and are not read.',
  commands: {
    names: runAsRoot(['ls', '-1', '-A', ...FOLDERS], { needsPath: FOLDERS }),
  },
  parse({ names }) {
    const folders = listedFolders(names.text)
    const isSeen = (folder: string): boolean =>
      folders.has(folder) || new RegExp(`${folder}'?: No such file or directory$`, 'm').test(names.errorText)
    if (!listingIsComplete(names) || !FOLDERS.every(isSeen))
      return unknown('the folders of SSSD could not all be listed')
    const within = (folder: string): readonly string[] => folders.get(folder) ?? []
    return known<SssdFiles>({
      settings: [
        ...within(SETTINGS)
          .filter((name) => name === 'sssd.conf')
          .map((name) => `${SETTINGS}/${name}`),
        ...[SNIPPETS, VENDOR].flatMap((folder) => within(folder).map((name) => `${folder}/${name}`)),
      ],
      domains: within(CACHES).flatMap((name) => /^cache_(.+)\.ldb$/.exec(name)?.[1] ?? []),
    })
  },
})

/** Evidence on whether the name service `sss` adds accounts to the local ones. */
export const SSS_EVIDENCE = { sssd: accountsSssd, processes: tenancyProcesses } as const
export type SssEvidence = MaybeFactsOf<typeof SSS_EVIDENCE>

/**
 * The domain that SSSD adds by itself on Red Hat 8; it mirrors the local files (src/confdb/confdb.c,
 * confdb_ensure_files_domain).
 */
const OF_LOCAL_FILES = 'implicit_files'

// sssd_kcm keeps Kerberos tickets, runs without the others, and answers no query for accounts (sssd-kcm(8)).
const runsIn = ({ processes }: Processes): boolean =>
  processes.some(({ command }) => /^sssd(_(?!kcm$).*)?$/.test(command))

/**
 * Whether `sss` is shown to add no accounts: SSSD has no configuration, keeps no domain but that of the local files, and does not run, or
 * runs with that domain. One that runs goes on with the configuration it started with, so that the absence of the files alone shows nothing.
 */
export function sssAddsNone({ sssd, processes }: SssEvidence): boolean {
  if (!sssd.ok || !processes.ok || !processes.fact.isComplete) return false
  const { settings, domains } = sssd.fact
  if (settings.length > 0 || domains.some((domain) => domain !== OF_LOCAL_FILES)) return false
  return domains.length > 0 || !runsIn(processes.fact)
}

/** Sources of accounts besides the local list, without `sss` where it is shown to add none. */
export const otherSources = ({ otherSources: sources }: LocalAccounts, evidence: SssEvidence): readonly string[] =>
  sssAddsNone(evidence) ? sources.filter((source) => source !== 'sss') : sources

/**
 * Why `sss` counts as a source of accounts or not. Empty where it is not among the name services, unless a caller
 * requests it regardless.
 */
export function aboutSss(
  { otherSources: sources }: LocalAccounts,
  evidence: SssEvidence,
  isAsked = sources.includes('sss'),
): readonly DraftObservation[] {
  if (!isAsked) return []
  const { sssd, processes } = evidence
  const [files, running] = [sssd.ok ? sssd.fact : null, processes.ok && runsIn(processes.fact)]
  if (sssAddsNone(evidence))
    return [
      supports(
        'SSSD (“sss”) adds no accounts: it has no configuration, and keeps no domain of a directory.',
        accountsSssd,
      ),
      supports(
        running
          ? 'SSSD runs, with the local account files as its domain.'
          : 'No program of SSSD that serves accounts runs.',
        tenancyProcesses,
      ),
    ]
  const domains = files?.domains.filter((domain) => domain !== OF_LOCAL_FILES) ?? []
  return [
    ...unclearAbout(accountsSssd, sssd),
    ...(files !== null && files.settings.length > 0
      ? [unclear(`SSSD is configured, and its configuration is not read: ${named(files.settings)}.`, accountsSssd)]
      : []),
    ...(domains.length > 0 ? [unclear(`SSSD keeps accounts of ${named(domains)}.`, accountsSssd)] : []),
    ...unclearAbout(tenancyProcesses, processes),
    ...(processes.ok && !processes.fact.isComplete
      ? [unclear('Whether SSSD runs is not shown: the list of processes is not complete.', tenancyProcesses)]
      : []),
    ...(running && files?.domains.length === 0
      ? [unclear('SSSD runs, and which domains it serves is not shown.', tenancyProcesses)]
      : []),
  ]
}
