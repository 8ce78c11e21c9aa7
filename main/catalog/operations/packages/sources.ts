import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { foundLines, grepIsComplete, lines } from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { packagesDistribution } from './probes.ts'

interface AptSources {
  readonly sources: readonly {
    readonly file: string
    /**
     * Such as http, https, file, cdrom or mirror+file; empty where it is on a separate line. The rest of the address
     * is not read, since it can contain a password.
     */
    readonly scheme: string
    /** Reported to be trusted, or to go on without a valid signature. */
    readonly unverified: boolean
    /** Names the keys that may sign it. */
    readonly signedBy: boolean
  }[]
  /** Settings of apt, switched on, that let packages in without a valid signature. */
  readonly switches: readonly string[]
}

const SETTINGS = [
  'APT::Get::AllowUnauthenticated',
  'Acquire::AllowInsecureRepositories',
  'Acquire::AllowDowngradeToInsecureRepositories',
  'Acquire::AllowWeakRepositories',
] as const
const NAMES: readonly string[] = ['UNAUTHENTICATED', 'INSECURE', 'DOWNGRADE', 'WEAK']
// -o ends each response at the scheme, so that no address comes along; of any other line one letter comes, so that with -n an empty line,
// which ends a stanza, shows as a gap.
const APT_LINE =
  '^[[:space:]]*(deb(-src)?[[:space:]]+(\\[[^]]*\\][[:space:]]*)?([a-z0-9+.-]+:)?|(Types|Enabled|Trusted|Allow-Insecure|Allow-Weak|Allow-Downgrade-To-Insecure):[[:space:]]*[A-Za-z0-9 -]*|Signed-By:[[:space:]]*[^[:space:]]*|URIs:[[:space:]]*([a-z0-9+.-]+:)?|[^[:space:]])'

/** sources.list(5): files in the folder itself, with these signs in their names alone. Others were put aside, and apt passes over them. */
const isReadByApt = (path: string): boolean =>
  /^\/etc\/apt\/sources\.list(\.d\/[A-Za-z0-9_.-]+\.(list|sources))?$/.test(path)

/** sources.list(5), both forms; apt-secure(8); apt-config(8) prints those of the settings requested that are set. */
export const packagesSourcesApt = defineProbe({
  id: 'packages.sources-apt',
  title: 'Package sources (apt)',
  why: 'Shows whether every package source must be signed. Only the settings and the kind of address are read, not the address.',
  commands: {
    sources: run([
      'grep',
      '-rHnoEi',
      '--include=*.list',
      '--include=*.sources',
      APT_LINE,
      '/etc/apt/sources.list',
      '/etc/apt/sources.list.d',
    ]),
    settings: run(['apt-config', 'shell', ...NAMES.flatMap((name, at) => [name, `${SETTINGS[at] ?? ''}`])]),
  },
  parse({ sources, settings }) {
    if (!grepIsComplete(sources)) return unknown('not every list of package sources could be read')
    if (settings.exitCode !== 0) return unknown('the settings of apt could not be read')
    const inForce = foundLines(sources.text).filter(({ path }) => isReadByApt(path))
    const found = inForce.map(({ path, line }) => {
      const [, number, text] = /^(\d{1,9}):(.*)$/.exec(line) ?? []
      return number === undefined || text === undefined ? null : { path, number: Number(number), text }
    })
    const rows = found.filter((row) => row !== null)
    const single = rows
      .filter(({ text }) => /^\s*deb(-src)?\s/i.test(text))
      .map(({ path, text }) => oneLine(path, text.trim()))
    if (rows.length < found.length || single.includes(null)) return unknown('a package source has an unexpected format')
    return known<AptSources>({
      sources: [...single.filter((source) => source !== null), ...stanzas(rows)],
      switches: lines(settings.text).flatMap((line) => {
        const [, name, value = ''] = /^([A-Z]{1,20})='([^']{0,40})'$/.exec(line) ?? []
        const setting = SETTINGS[NAMES.indexOf(name ?? '')]
        return setting !== undefined && isOn(value) ? [setting] : []
      }),
    })
  },
})

const isOn = (value: string): boolean => /^(1|yes|true|with|on|enable)$/i.test(value.trim())
const ALLOWS = /\b(trusted|allow-insecure|allow-weak|allow-downgrade-to-insecure)=(yes|true|1|on|with|enable)\b/i

function oneLine(file: string, line: string): AptSources['sources'][number] | null {
  const [, options = '', scheme] = /^deb(?:-src)?\s+(?:\[([^\]]*)\]\s*)?([a-z0-9+.-]+):$/i.exec(line) ?? []
  return scheme === undefined
    ? null
    : { file, scheme: scheme.toLowerCase(), unverified: ALLOWS.test(options), signedBy: /\bsigned-by=/i.test(options) }
}

/** Lines with consecutive numbers are one stanza. A line that begins with a blank continues the field before it. */
function stanzas(
  rows: readonly { readonly path: string; readonly number: number; readonly text: string }[],
): AptSources['sources'] {
  const all: { readonly file: string; last: number; readonly fields: Map<string, string> }[] = []
  for (const { path, number, text } of rows) {
    const before = all.at(-1)
    const own =
      before !== undefined && before.file === path && number === before.last + 1
        ? before
        : { file: path, last: number, fields: new Map<string, string>() }
    if (own !== before) all.push(own)
    own.last = number
    const [, name, value] = /^([A-Za-z-]{1,40}):(.*)$/.exec(text) ?? []
    if (name !== undefined && value !== undefined) own.fields.set(name.toLowerCase(), value.trim())
  }
  return all.flatMap(({ file, fields }) => {
    const enabled = fields.get('enabled')
    if (!fields.has('types') && !fields.has('uris')) return []
    if (enabled !== undefined && /^(no|false|0|without|off|disable)\b/i.test(enabled)) return []
    const unverified = ['trusted', 'allow-insecure', 'allow-weak', 'allow-downgrade-to-insecure'].some((name) =>
      isOn(fields.get(name) ?? ''),
    )
    const scheme = (fields.get('uris') ?? '').replace(/:$/, '').toLowerCase()
    return [{ file, scheme, unverified, signedBy: fields.has('signed-by') }]
  })
}

interface RpmSources {
  readonly sources: readonly {
    readonly id: string
    /** Packages, and the lists of packages, must be signed. */
    readonly packagesChecked: boolean
    readonly listChecked: boolean
    readonly scheme: string | null
    readonly certificateChecked: boolean
  }[]
}

const RPM_LINE =
  '^[[:space:]]*(\\[[^]]+\\]|(enabled|gpgcheck|pkg_gpgcheck|repo_gpgcheck|sslverify)[[:space:]]*=[[:space:]]*[A-Za-z0-9]+|(baseurl|mirrorlist|metalink)[[:space:]]*=[[:space:]]*[a-z0-9]+:|reposdir[[:space:]]*=)'

/** The settings of each tool, and the files *.repo in the folders of sources themselves: both pass over folders below and other names. */
const isReadByRpmTools = (path: string): boolean =>
  /^\/etc\/((dnf\/dnf|yum|zypp\/zypp)\.conf|(yum\.|yum\/|distro\.|zypp\/)repos\.d\/[^/]+\.repo)$/.test(path)

/** dnf.conf(5) and zypper(8), “Repositories”. dnf checks packages only where it is reported to; zypper unless it is reported not to. */
export const packagesSourcesRpm = defineProbe({
  id: 'packages.sources-rpm',
  title: 'Package sources (dnf, zypper)',
  why: 'Shows whether every package source must be signed. Only the settings and the kind of address are read, not the address.',
  commands: {
    sources: run([
      'grep',
      '-rHoE',
      '--include=*.repo',
      '--include=*.conf',
      RPM_LINE,
      '/etc/dnf/dnf.conf',
      '/etc/yum.conf',
      '/etc/zypp/zypp.conf',
      '/etc/yum.repos.d',
      '/etc/yum/repos.d',
      '/etc/distro.repos.d',
      '/etc/zypp/repos.d',
    ]),
  },
  parse({ sources }) {
    if (!grepIsComplete(sources)) return unknown('not every list of package sources could be read')
    const sections: { readonly file: string; readonly id: string; readonly fields: Map<string, string> }[] = []
    for (const { path, line } of foundLines(sources.text)) {
      if (!isReadByRpmTools(path)) continue
      const id = /^\s*\[([^\]]{1,200})\]$/.exec(line)?.[1]
      const equals = line.indexOf('=')
      if (id !== undefined) sections.push({ file: path, id, fields: new Map() })
      else if (sections.at(-1)?.file === path && equals > 0)
        sections.at(-1)?.fields.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim())
    }
    if (sections.some(({ fields }) => fields.has('reposdir')))
      return unknown('the package sources are in a folder of the site’s own')
    const main = (tool: RegExp): ReadonlyMap<string, string> =>
      sections.find(({ file, id }) => id === 'main' && tool.test(file))?.fields ?? new Map()
    const [dnf, zypp] = [main(/\/(dnf|yum)\.conf$/), main(/\/zypp\.conf$/)]
    return known<RpmSources>({
      sources: sections
        .filter(({ id, fields }) => id !== 'main' && isYes(fields.get('enabled'), true))
        .map(({ file, id, fields }) => {
          const isZypp = file.startsWith('/etc/zypp/')
          const of = (name: string): string | undefined => fields.get(name) ?? (isZypp ? zypp : dnf).get(name)
          const all = isYes(of('gpgcheck'), isZypp)
          return {
            id,
            packagesChecked: isYes(of('pkg_gpgcheck'), all),
            listChecked: isYes(of('repo_gpgcheck'), isZypp && all),
            scheme:
              ['baseurl', 'metalink', 'mirrorlist'].flatMap((name) => fields.get(name) ?? [])[0]?.replace(/:$/, '') ??
              null,
            certificateChecked: isYes(of('sslverify'), true),
          }
        }),
    })
  },
})

const isYes = (value: string | undefined, otherwise: boolean): boolean =>
  value === undefined ? otherwise : /^(1|yes|true|on|strict)$/i.test(value)

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
