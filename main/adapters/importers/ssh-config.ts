import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import SSHConfig from 'ssh-config'
import type { FleetNode } from '../../../schemas/types.ts'
import { findSsh } from '../ssh/openssh-config.ts'
import { createPreview, jumpNames, LARGEST_IMPORT, nodeName, type Preview } from './preview.ts'

/** What ssh would use for one host. Keys are in lower case. */
type Resolved = ReadonlyMap<string, string>

/** IdentityFile values that ssh lists by itself when a configuration names none. */
const DEFAULT_IDENTITY = /[/\\]\.ssh[/\\]id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)$/

/**
 * Hosts of an ssh client configuration (ssh_config(5)). Each `Host` alias without wildcards is a node; its settings are those that
 * `ssh -G` gives where OpenSSH is installed, else those of the ssh-config package, which leaves tokens unexpanded. The text may be
 * somebody else's, so only the lines that an import needs are handed on: Include is not followed, and no `Match exec` is evaluated,
 * which both ssh and the package would answer by running its command.
 */
export async function importSshConfig(text: string, existing: readonly FleetNode[] = []): Promise<Preview> {
  const preview = createPreview(text, existing)
  if (text.length > LARGEST_IMPORT) return preview.refuse('the file is larger than 8 MiB')
  const found = readLines(text)
  for (const { line, why } of found.notes) preview.say(line, 'skipped', why)
  for (const { line, why } of found.problems) preview.say(line, 'problem', why)
  const resolve = resolver(harmless(text))
  if (resolve === null) return preview.refuse('this is not an ssh client configuration')
  const aliases = new Set(found.hosts.map(({ alias }) => alias.toLowerCase()))
  const settings: { readonly alias: string; readonly line: number; readonly of: Resolved }[] = []
  for (const { alias, line } of found.hosts) {
    const of = await resolve.host(alias)
    if (of === null) preview.say(line, 'problem', `ssh does not accept the settings for “${alias}”`)
    else settings.push({ alias, line, of })
  }
  // Hosts without jumps first, so that a jump host that is a host of this file is found as such.
  for (const { alias, line, of } of [...settings].sort((a, b) => Number(hasJump(a.of)) - Number(hasJump(b.of)))) {
    const jumps = hasJump(of)
      ? jumpNames(preview, line, of.get('proxyjump') ?? '', (host) =>
          aliases.has(host.toLowerCase()) ? nodeName(host) : null,
        )
      : []
    if (jumps === null) preview.say(line, 'problem', `ProxyJump of “${alias}” could not be read`)
    else preview.add(line, nodeOf(alias, of, jumps), why(of, resolve.by))
  }
  return preview.done(
    (line) => (/^\s*(Host|Match)\b/i.test(line) ? 'names no single host' : 'a setting of the hosts above'),
    (line) => /^\s*(HostName|User|Port|IdentityFile|ProxyJump|ProxyCommand)\b/i.test(line),
  )
}

const hasJump = (of: Resolved): boolean => !['', 'none'].includes(of.get('proxyjump') ?? '')
const hasCommand = (of: Resolved): boolean => !['', 'none'].includes(of.get('proxycommand') ?? '')

const why = (of: Resolved, by: 'ssh' | 'package'): string =>
  [
    hasCommand(of) ? 'has a ProxyCommand: left to the system ssh program and your own configuration' : '',
    by === 'package' ? 'settings read without ssh itself' : '',
  ]
    .filter((part) => part !== '')
    .join('; ')

function nodeOf(alias: string, of: Resolved, jumps: readonly string[]): FleetNode {
  const port = Number(of.get('port') ?? 22)
  const identityFile = of.get('identityfile')
  return {
    name: nodeName(alias),
    // Behind a ProxyCommand only the alias leads to the user's own settings.
    address: hasCommand(of) ? alias : (of.get('hostname') ?? alias),
    ...(port === 22 ? {} : { port }),
    user: of.get('user') ?? userInfo().username,
    ...(identityFile === undefined || DEFAULT_IDENTITY.test(identityFile) ? {} : { identityFile }),
    ...(jumps.length === 0 ? {} : { jump: jumps }),
    ...(hasCommand(of) ? { transport: 'openssh' as const } : {}),
  }
}

interface Lines {
  readonly hosts: readonly { readonly alias: string; readonly line: number }[]
  readonly notes: readonly { readonly line: number; readonly why: string }[]
  readonly problems: readonly { readonly line: number; readonly why: string }[]
}

function readLines(text: string): Lines {
  const hosts: { alias: string; line: number }[] = []
  const notes: { line: number; why: string }[] = []
  const problems: { line: number; why: string }[] = []
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = index + 1
    const directive = /^\s*(host|match|include)(?:\s*=\s*|\s+)(.*?)\s*$/i.exec(raw)
    const value = directive?.[2] ?? ''
    if (directive?.[1]?.toLowerCase() === 'include')
      problems.push({ line, why: 'Include is not followed; import that file as well' })
    if (directive?.[1]?.toLowerCase() === 'match') {
      notes.push({
        line,
        why: /\bexec\b/i.test(value)
          ? 'Match exec runs a command, which an import does not do'
          : 'Match sets conditions and names no host',
      })
    }
    if (directive?.[1]?.toLowerCase() !== 'host') continue
    for (const alias of value.replaceAll('"', '').split(/\s+/)) {
      if (/[*?!]/.test(alias)) notes.push({ line, why: `“${alias}” is a pattern, not a host` })
      else if (/^[A-Za-z0-9_.:%[\]-]+$/.test(alias) && !alias.startsWith('-')) hosts.push({ alias, line })
      else problems.push({ line, why: `“${alias}” is not a host name` })
    }
  }
  return { hosts, notes, problems }
}

const SETTINGS = /^\s*(HostName|Port|User|IdentityFile|ProxyJump|ProxyCommand)(\s*=\s*|\s+)\S/i
const PLAIN_MATCH = /^\s*Match\s+(all|((original)?host|(local)?user)\s+[\w.*?!,-]+)\s*$/i

/** The lines an import needs, and no other. What another kind of Match block sets is given to a host that nobody asks for. */
const harmless = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => {
      if (SETTINGS.test(line) || /^\s*Host(\s*=\s*|\s+)\S/i.test(line) || PLAIN_MATCH.test(line)) return line
      return /match/i.test(line) && !/^\s*#/.test(line) ? 'Host barewitness-evaluates-no-such-match' : ''
    })
    .join('\n')

interface Resolver {
  readonly by: 'ssh' | 'package'
  readonly host: (alias: string) => Promise<Resolved | null>
}

function resolver(text: string): Resolver | null {
  const ssh = findSsh()
  if (ssh !== null) return { by: 'ssh', host: (alias) => resolveWithSshG(alias, text) }
  try {
    const config = SSHConfig.parse(text)
    return { by: 'package', host: async (alias) => flatten(config.compute(alias) as Record<string, unknown>) }
  } catch {
    return null
  }
}

const flatten = (settings: Record<string, unknown>): Resolved =>
  new Map(
    Object.entries(settings).flatMap(([key, value]) => {
      const first: unknown = Array.isArray(value) ? value[0] : value
      return typeof first === 'string' ? [[key.toLowerCase(), first] as const] : []
    }),
  )

/**
 * What OpenSSH would use for a host, by `ssh -G`. Without `text`, by the user's own configuration; with it, by that text alone, which must be
 * trusted not to run commands. No name is looked up and nothing is contacted. The first value of a repeated setting counts. Null when ssh refuses.
 */
export async function resolveWithSshG(host: string, text?: string): Promise<Resolved | null> {
  const ssh = findSsh()
  if (ssh === null || host.startsWith('-')) return null
  const folder = await mkdtemp(join(tmpdir(), 'barewitness-import-'))
  try {
    const config = join(folder, 'config')
    if (text !== undefined) await writeFile(config, `${text}\n`, { mode: 0o600 })
    const output = await new Promise<string | null>((resolve) => {
      execFile(
        ssh,
        ['-G', ...(text === undefined ? ['-o', 'CanonicalizeHostname=no'] : ['-F', config]), '--', host],
        { timeout: 5000, maxBuffer: 1024 * 1024 },
        (problem, stdout) => resolve(problem === null ? stdout : null),
      )
    })
    if (output === null) return null
    const settings = new Map<string, string>()
    for (const line of output.split('\n')) {
      const [, key, value] = /^(\S+) (.*)$/.exec(line) ?? []
      if (key !== undefined && value !== undefined && !settings.has(key)) settings.set(key, value)
    }
    return settings
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
