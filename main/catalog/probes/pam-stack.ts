import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export type PamFacility = 'auth' | 'account' | 'password' | 'session'
export interface PamEntry {
  readonly facility: PamFacility
  /** Module name without path, such as pam_unix; or the service an include names. */
  readonly module: string
  readonly includes: boolean
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
  '^[[:space:]]*-?(auth|account|password)[[:space:]][^#]*pam_(faillock|tally2|unix|pwquality|pwhistory|google_authenticator)\\.so'

/** pam.d(5). A module's own configuration file means nothing when the module is not in the stack, so both are read. */
export const pamStack = defineProbe({
  id: 'pam.stack',
  title: 'Login modules',
  why: 'Shows which modules decide about a login: second factors, lockout after failures, password rules. Arguments of other modules are not read.',
  commands: {
    names: run(['grep', '-r', '-H', '-Z', '-o', '-E', NAMES, '/etc/pam.d']),
    arguments: run(['grep', '-r', '-H', '-Z', '-E', ARGUMENTS, '/etc/pam.d']),
  },
  parse(answers) {
    if (!grepIsComplete(answers.names) || !grepIsComplete(answers.arguments))
      return unknown('not every file of the login modules could be read')
    if (answers.names.text === '') return unknown('no login modules are configured where we looked')
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
  for (const { path, line } of foundLines(text)) {
    const service = path.replace(/^.*\//, '')
    const entries = services.get(service) ?? []
    services.set(service, entries)
    const included = /^\s*@include\s+(\S+)/.exec(line)?.[1]
    if (included !== undefined) {
      for (const facility of FACILITIES) entries.push({ facility, module: included, includes: true, args: [] })
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

const FACILITIES: readonly PamFacility[] = ['auth', 'account', 'password', 'session']

function readEntry(line: string): PamEntry | null {
  const head = /^\s*-?(auth|account|password|session)\s+(\[[^\]]*\]|\S+)\s+(\S+)(.*)$/.exec(line)
  if (head === null) return null
  const [, facility = '', control = '', target = '', rest = ''] = head
  return {
    facility: facility as PamFacility,
    module: target.replace(/^.*\//, '').replace(/\.so$/, ''),
    includes: control === 'include' || control === 'substack',
    args: rest
      .replace(/#.*/, '')
      .split(/\s+/)
      .filter((argument) => argument !== ''),
  }
}

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
