import { defineProbe, glob, known, run, unknown } from '../../../core/recording/probe.ts'
import { foundLines, grepIsComplete } from '../../base/read-text.ts'
import { type SssEvidence, sssAddsNone } from '../accounts/sssd.ts'

type PamFacility = 'auth' | 'account' | 'password' | 'session'
export interface PamEntry {
  readonly facility: PamFacility
  /** Module name without path, such as pam_unix; or the service an include names. */
  readonly module: string
  readonly includes: boolean
  /** Control word, or the actions in brackets: required, optional, [success=1 default=ignore] …; empty for an include. */
  readonly control: string
  readonly args: readonly string[]
}

export interface PamStack {
  /** Service (file name under /etc/pam.d) → its entries in file order. */
  readonly services: ReadonlyMap<string, readonly PamEntry[]>
}

// -Z, because “common-password:” before a line would look like a secret to the redactor.
// Module arguments can hold passwords (pam_mysql), so they are read for a few known modules only.
const NAMES =
  '^[[:space:]]*(@include[[:space:]]+[^[:space:]#]+|-?(auth|account|password|session)[[:space:]][^#]*(\\.so|(include|substack)[[:space:]]+[^[:space:]#]+))'
const ARGUMENTS =
  '^[[:space:]]*-?(auth|account|password)[[:space:]][^#]*pam_(access|faillock|tally2|unix|pwquality|cracklib|passwdqc|pwhistory|google_authenticator|u2f)\\.so'

// The distribution's own services are below /usr on SUSE; the administrator's come first (pam.d(5), vendor directory).
const FOLDERS = ['/etc/pam.d', '/usr/lib/pam.d', '/usr/etc/pam.d'] as const

/**
 * pam.d(5). A module's own configuration file means nothing when the module is not in the stack, so both are read. Links are followed,
 * because authselect (Red Hat) and pam-config (SUSE) put links in place of the common files.
 */
export const pamStack = defineProbe({
  id: 'pam.stack',
  title: 'Login modules',
  why: 'Shows which modules decide about a login: second factors, lockout after failures, password rules. Arguments of other modules are not read.',
  commands: {
    names: run(['grep', '-R', '-H', '-Z', '-o', '-E', NAMES, ...FOLDERS]),
    arguments: run(['grep', '-R', '-H', '-Z', '-E', ARGUMENTS, ...FOLDERS]),
  },
  parse(answers) {
    if (!grepIsComplete(answers.names) || !grepIsComplete(answers.arguments))
      return unknown('not every file of the login modules could be read')
    if (answers.names.text === '') return unknown('no login modules are configured in the default locations')
    const args = new Map<string, (readonly string[])[]>()
    for (const { path, line } of foundLines(answers.arguments.text)) {
      const entry = readEntry(line)
      if (entry === null) continue
      const key = argumentKey(path, entry)
      const earlier = args.get(key)
      if (earlier === undefined) args.set(key, [entry.args])
      else earlier.push(entry.args)
    }
    return known<PamStack>({ services: readServices(answers.names.text, args) })
  },
})

const argumentKey = (path: string, entry: PamEntry): string => `${path} ${entry.facility} ${entry.module}`

function readServices(
  text: string,
  args: ReadonlyMap<string, readonly (readonly string[])[]>,
): ReadonlyMap<string, readonly PamEntry[]> {
  const services = new Map<string, PamEntry[]>()
  const seen = new Map<string, number>()
  const found = foundLines(text)
  const folders = new Map<string, string>()
  for (const { path } of found) {
    const { folder, service } = placeOf(path)
    const known = folders.get(service)
    if (known === undefined || rankOf(folder) < rankOf(known)) folders.set(service, folder)
  }
  for (const { path, line } of found) {
    const { folder, service } = placeOf(path)
    if (folders.get(service) !== folder) continue
    const entries = services.get(service) ?? []
    services.set(service, entries)
    const included = /^\s*@include\s+(\S+)/.exec(line)?.[1]
    if (included !== undefined) {
      for (const facility of FACILITIES)
        entries.push({ facility, module: included, includes: true, control: '', args: [] })
      continue
    }
    const entry = readEntry(line)
    if (entry === null) continue
    const key = argumentKey(path, entry)
    const nth = seen.get(key) ?? 0
    seen.set(key, nth + 1)
    entries.push({ ...entry, args: args.get(key)?.[nth] ?? [] })
  }
  return services
}

const placeOf = (path: string): { readonly folder: string; readonly service: string } => {
  const slash = path.lastIndexOf('/')
  return { folder: path.slice(0, slash), service: path.slice(slash + 1) }
}

// The order in which Linux-PAM looks for a service; others count as the last.
const rankOf = (folder: string): number => {
  const rank = (FOLDERS as readonly string[]).indexOf(folder)
  return rank < 0 ? FOLDERS.length : rank
}

const FACILITIES: readonly PamFacility[] = ['auth', 'account', 'password', 'session']

function readEntry(line: string): PamEntry | null {
  const head = /^\s*-?(auth|account|password|session)\s+(\[[^\]]*\]|\S+)\s+(\S+)(.*)$/.exec(line)
  if (head === null) return null
  const [, facility = '', control = '', target = '', rest = ''] = head
  return {
    facility: facility as PamFacility,
    module: target.replace(/^.*\//, '').replace(/\.so$/, ''),
    includes: control === 'include' || control === 'substack',
    control: control.toLowerCase(),
    args: rest
      .replace(/#.*/, '')
      .split(/\s+/)
      .filter((argument) => argument !== ''),
  }
}

const ELSEWHERE = /^pam_(sss|ldap|krb5|winbind|radius|radius_auth|tacplus|mysql|pgsql|userdb|pwdfile|aad|himmelblau)$/

/**
 * Whether a module requires a password that is kept somewhere else than in the shadow file, which may open a locked account. pam_sss asks
 * SSSD, and counts for nothing where that is shown to serve no directory.
 */
export const asksElsewhere = ({ services }: PamStack, sss: SssEvidence): boolean =>
  [...services.values()]
    .flat()
    .some(
      ({ facility, module }) =>
        facility === 'auth' && ELSEWHERE.test(module) && !(module === 'pam_sss' && sssAddsNone(sss)),
    )

/** Whether a password is also asked of SSSD. */
export const asksSss = ({ services }: PamStack): boolean =>
  [...services.values()].flat().some(({ facility, module }) => facility === 'auth' && module === 'pam_sss')

/**
 * The entries of a service for one facility, with includes expanded. Each service is expanded once, so that includes which fan
 * out or loop end; an include that is missing ends there.
 */
export function expandStack(
  { services }: PamStack,
  service: string,
  facility: PamFacility,
  seen: Set<string> = new Set(),
): readonly PamEntry[] {
  if (seen.has(service)) return []
  seen.add(service)
  return (services.get(service) ?? [])
    .filter((entry) => entry.facility === facility)
    .flatMap((entry) => (entry.includes ? expandStack({ services }, entry.module, facility, seen) : [entry]))
}

export interface PamSettings {
  /** File name (faillock.conf, pwquality.conf, pwhistory.conf) → key → value; a key without a value maps to an empty text. */
  readonly files: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/**
 * faillock.conf(5), pwquality.conf(5), pwhistory.conf(5). A file that does not exist leaves the module its defaults. What is in
 * pwquality.conf.d is read first, and the main file overrides it (pwquality.conf(5), DESCRIPTION).
 */
export const pamSettings = defineProbe({
  id: 'pam.settings',
  title: 'Settings of the lockout and password modules',
  why: 'Shows after how many failures an account is locked, for how long, and which passwords are accepted.',
  commands: {
    settings: run([
      'grep',
      '-H',
      '-E',
      '^[[:space:]]*[a-z]',
      '/etc/security/faillock.conf',
      glob('/etc/security/pwquality.conf.d/*.conf'),
      '/etc/security/pwquality.conf',
      '/etc/security/pwhistory.conf',
    ]),
  },
  parse({ settings }) {
    if (!grepIsComplete(settings)) return unknown('not every settings file of the login modules could be read')
    const files = new Map<string, Map<string, string>>()
    for (const { path, line } of foundLines(settings.text)) {
      const file = path.includes('/pwquality.conf.d/') ? 'pwquality.conf' : path.replace(/^.*\//, '')
      const values = files.get(file) ?? new Map<string, string>()
      files.set(file, values)
      const [, key = '', value = ''] = /^\s*([a-z_]+)\s*=?\s*([^#]*)/.exec(line) ?? []
      values.set(key, value.trim())
    }
    return known<PamSettings>({ files })
  },
})

/** A line of access.conf(5): whether it permits, whom and from where. The first line that matches decides. */
interface AccessRule {
  readonly permits: boolean
  readonly who: string
  readonly from: string
}

export interface AccessRules {
  readonly rules: readonly AccessRule[]
}

/** access.conf(5): rules of pam_access, which count only where that module is among those asked. */
export const pamAccessRules = defineProbe({
  id: 'pam.access-rules',
  title: 'Login access rules (pam_access)',
  why: 'Shows whether logins are limited to named accounts or groups in addition to the SSH server’s own list.',
  commands: {
    rules: run([
      'grep',
      '-H',
      '-E',
      '^[[:space:]]*[+-][[:space:]]*:',
      '/etc/security/access.conf',
      glob('/etc/security/access.d/*.conf'),
    ]),
  },
  parse({ rules }) {
    if (!grepIsComplete(rules)) return unknown('not every file of rules about logins could be read')
    const read = foundLines(rules.text).map(({ line }) => {
      const [sign = '', who, ...from] = line.replace(/#.*/, '').split(':')
      return who === undefined || from.length === 0
        ? null
        : { permits: sign.trim() === '+', who: who.trim(), from: from.join(':').trim() }
    })
    if (read.includes(null)) return unknown('a rule about logins has an unexpected format')
    return known<AccessRules>({ rules: read.filter((rule) => rule !== null) })
  },
})
