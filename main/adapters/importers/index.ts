import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import SSHConfig from 'ssh-config'
import type { FleetNode } from '../../../schemas/types.ts'
import type { Importers } from '../../core/all-ports.ts'
import { err, ok, type Result } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { findSsh } from '../ssh/openssh-config.ts'
import { importAnsible } from './ansible.ts'
import { createPreview, importCsv, jumpNames, LARGEST_IMPORT, nodeName, type Preview } from './csv.ts'
import { type FlatLine, withIncludes } from './ssh-include.ts'

/** Server lists from other tools, as nodes, with the result of every line. */
export const createImporters = (): Importers => ({
  preview: async (kind, text, existing, { follow = false, columns } = {}) => {
    if (kind === 'ssh-config') return await importSshConfig(text, existing, follow)
    return kind === 'csv' ? importCsv(text, existing, columns) : importAnsible(text, existing)
  },
})

/** The settings that ssh uses for one host. Keys are in lower case. */
type Resolved = ReadonlyMap<string, string>

/** Default IdentityFile values of ssh when a configuration names none. */
const DEFAULT_IDENTITY = /[/\\]\.ssh[/\\]id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)$/

/**
 * Hosts of an ssh client configuration (ssh_config(5)). Each `Host` alias without wildcards is a node; its settings are
 * those that `ssh -G` prints where OpenSSH is installed, otherwise those of the ssh-config package, which leaves tokens
 * unexpanded. The text may be foreign, so only the lines that an import needs are passed on. No `Match exec` is
 * evaluated, because both ssh and the package would run its command. Include is followed here, and only where `follow`
 * states that the text is the user's own.
 * ssh refuses a whole configuration for one invalid line. Here that line is reported in the words of ssh and its hosts
 * are omitted; the others are imported.
 */
export async function importSshConfig(
  own: string,
  existing: readonly FleetNode[] = [],
  follow = false,
): Promise<Preview> {
  const flat = await withIncludes(own, follow)
  const preview = await importFlat(flat.map(({ text }) => text).join('\n'), flat, existing)
  return {
    ...preview,
    lines: preview.lines.flatMap((line, index) => {
      const { ours, line: number, file } = flat[index] ?? { ours: undefined, line: line.line, file: undefined }
      return ours === true ? [] : [{ ...line, line: number, ...(file === undefined ? {} : { file }) }]
    }),
  }
}

async function importFlat(text: string, flat: readonly FlatLine[], existing: readonly FleetNode[]): Promise<Preview> {
  const preview = createPreview(text, existing)
  if (text.length > LARGEST_IMPORT) return preview.refuse('the file is larger than 8 MiB')
  const found = readLines(text)
  for (const { line, why } of found.notes) preview.report(line, 'skipped', why)
  for (const { line, why } of found.problems) preview.report(line, 'problem', why)
  for (const [index, { problem }] of flat.entries())
    if (problem !== undefined) preview.report(index + 1, 'problem', problem)
  const accepted = await acceptedBySsh(harmless(text, found.opened), found.hosts[0]?.alias)
  const wrong = new Map<string, number>()
  for (const [line, problem] of accepted.refused) {
    preview.report(line, 'problem', problem)
    for (const { alias } of found.hosts.filter(({ line: host }) => host === blockOf(text, line))) wrong.set(alias, line)
  }
  const resolve = resolver(accepted.text)
  if (resolve === null) return preview.refuse('this is not an ssh client configuration')
  const aliases = new Set(found.hosts.map(({ alias }) => alias.toLowerCase()))
  const settings: { readonly alias: string; readonly line: number; readonly of: Resolved }[] = []
  for (const { alias, line } of found.hosts) {
    const at = wrong.get(alias)
    if (at !== undefined) {
      preview.report(line, 'problem', `ssh does not accept line ${flat[at - 1]?.line ?? at}, which is for “${alias}”`)
      continue
    }
    const of = await resolve.host(alias)
    if (of === null) preview.report(line, 'problem', `ssh does not accept the settings for “${alias}”`)
    else settings.push({ alias, line, of })
  }
  const knownHosts = new Map<string, readonly string[]>()
  // Hosts without jump hosts first, so that a jump host that is a host of this file is found as such.
  for (const { alias, line, of } of [...settings].sort((a, b) => Number(hasJump(a.of)) - Number(hasJump(b.of)))) {
    const jumps = hasJump(of)
      ? jumpNames(preview, line, of.get('proxyjump') ?? '', (host) =>
          aliases.has(host.toLowerCase()) ? nodeName(host) : null,
        )
      : []
    if (jumps === null) preview.report(line, 'problem', `ProxyJump of “${alias}” could not be read`)
    else if (preview.add(line, nodeOf(alias, of, jumps), why(of, resolve.by))) {
      const own = ownKnownHosts(of)
      if (own.length > 0) knownHosts.set(nodeName(alias), own)
    }
  }
  const done = preview.done(
    (line) => (/^\s*(Host|Match)\b/i.test(line) ? 'does not name a single host' : 'a setting of the hosts above'),
    (line) => /^\s*(HostName|User|Port|IdentityFile|ProxyJump|ProxyCommand|UserKnownHostsFile)\b/i.test(line),
  )
  return { ...done, knownHosts }
}

/** The default files of a user, and those without content. */
const NO_OWN_FILE = /(^|\/)\.ssh\/known_hosts2?$|^none$|^\/dev\/null$/

/**
 * The files that UserKnownHostsFile names for a host (ssh_config(5)), in the order that ssh reads them. Names with
 * unexpanded tokens, and those relative to the folder where ssh is started, are omitted.
 */
const ownKnownHosts = (of: Resolved): readonly string[] =>
  (of.get('userknownhostsfile') ?? '')
    .split(/\s+/)
    .map((name) => name.replaceAll('"', ''))
    .filter((name) => /^(~\/|\/)/.test(name) && !name.includes('%') && !NO_OWN_FILE.test(name))

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
    // With a ProxyCommand, only the alias leads to the user's own settings.
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
  /** Lines with a keyword unknown to ssh, followed by indented lines. */
  readonly opened: readonly number[]
}

function readLines(text: string): Lines {
  const hosts: { alias: string; line: number }[] = []
  const notes: { line: number; why: string }[] = []
  const problems: { line: number; why: string }[] = []
  const ignoresUnknown = /^\s*IgnoreUnknown\b/im.test(text)
  const opened: number[] = []
  const lines = text.split(/\r?\n/)
  for (const [index, raw] of lines.entries()) {
    const line = index + 1
    const directive = /^\s*(host|match|include)(?:\s*=\s*|\s+)(.*?)\s*$/i.exec(raw)
    const value = directive?.[2] ?? ''
    const keyword = /^\s*"?([A-Za-z][A-Za-z0-9]*)/.exec(raw)?.[1]
    if (keyword !== undefined && !ignoresUnknown && !KEYWORDS.has(keyword.toLowerCase())) {
      problems.push({ line, why: `Bad configuration option: ${keyword}; ssh refuses the whole file because of it` })
      const under = settingsUnder(lines, index)
      if (under.length > 0) opened.push(line)
      for (const one of under)
        problems.push({ line: one + 1, why: `belongs to line ${line}, and is not a setting of a host` })
    }
    if (directive?.[1]?.toLowerCase() === 'match') {
      notes.push({
        line,
        why: /\bexec\b/i.test(value)
          ? 'Match exec runs a command, which an import does not do'
          : 'Match sets conditions and does not name a host',
      })
    }
    if (directive?.[1]?.toLowerCase() !== 'host') continue
    for (const alias of value.replaceAll('"', '').split(/\s+/)) {
      if (/[*?!]/.test(alias)) notes.push({ line, why: `“${alias}” is a pattern, not a host` })
      else if (/^[A-Za-z0-9_.:%[\]-]+$/.test(alias) && !alias.startsWith('-')) hosts.push({ alias, line })
      else problems.push({ line, why: `“${alias}” is not a host name` })
    }
  }
  return { hosts, notes, problems, opened }
}

const indentOf = (line: string): number => line.length - line.trimStart().length
const isBlank = (line: string): boolean => /^\s*(#|$)/.test(line)

/**
 * The lines directly below the one at `at` with deeper indentation. Under a keyword unknown to ssh, such as a
 * misspelled Host, they were written for a block of their own, and must not become settings of the host above.
 */
function settingsUnder(lines: readonly string[], at: number): readonly number[] {
  const own = indentOf(lines[at] ?? '')
  const below = lines.map((_, index) => index).slice(at + 1)
  const end = below.find((index) => !isBlank(lines[index] ?? '') && indentOf(lines[index] ?? '') <= own) ?? lines.length
  return below.filter((index) => index < end && !isBlank(lines[index] ?? ''))
}

/** The line of the Host that a line belongs to; 0 for those before any, and in a Match block. */
function blockOf(text: string, line: number): number {
  const before = text.split(/\r?\n/).slice(0, line)
  const at = before.findLastIndex((raw) => /^\s*(Host|Match)(\s*=\s*|\s+)\S/i.test(raw))
  return /^\s*Host/i.test(before[at] ?? '') ? at + 1 : 0
}

const MOST_ROUNDS = 20

/** A configuration without the lines that ssh refuses, and the error for each; unchanged where ssh is not installed. */
async function acceptedBySsh(
  text: string,
  host: string | undefined,
): Promise<{ readonly text: string; readonly refused: ReadonlyMap<number, string> }> {
  const lines = text.split('\n')
  const refused = new Map<number, string>()
  for (let round = 0; host !== undefined && round < MOST_ROUNDS; round += 1) {
    const printed = await runSshG(host, lines.join('\n'))
    if (printed === null || printed.ok) break
    const named = [...printed.error.matchAll(/ line (\d+): ([^\n]{1,200})/g)].flatMap(([, number, words]) => {
      const line = Number(number)
      return lines[line - 1] === undefined || lines[line - 1] === '' ? [] : [[line, plain(words ?? '', 200)] as const]
    })
    if (named.length === 0) break
    for (const [line, words] of named) {
      refused.set(line, words)
      lines[line - 1] = ''
    }
  }
  return { text: lines.join('\n'), refused }
}

/**
 * Keywords of ssh_config(5), and those of earlier versions and of other builds that are still accepted, in lower case.
 */
const KEYWORDS: ReadonlySet<string> = new Set(
  `
  addkeystoagent addressfamily batchmode bindaddress bindinterface canonicaldomains canonicalizefallbacklocal
  canonicalizehostname canonicalizemaxdots canonicalizepermittedcnames casignaturealgorithms certificatefile channeltimeout checkhostip
  ciphers clearallforwardings compression compressionlevel connectionattempts connecttimeout controlmaster
  controlpath controlpersist dynamicforward enableescapecommandline enablesshkeysign escapechar exitonforwardfailure
  fingerprinthash forkafterauthentication forwardagent forwardx11 forwardx11timeout forwardx11trusted gatewayports
  globalknownhostsfile gssapiauthentication gssapiclientidentity gssapidelegatecredentials gssapikexalgorithms gssapikeyexchange gssapirenewalforcesrekey
  gssapiserveridentity gssapitrustdns hashknownhosts host hostbasedacceptedalgorithms hostbasedauthentication hostbasedkeytypes
  hostkeyalgorithms hostkeyalias hostname identitiesonly identityagent identityfile ignoreunknown
  include ipqos kbdinteractiveauthentication kbdinteractivedevices kexalgorithms knownhostscommand localcommand
  localforward loglevel logverbose macs match nohostauthenticationforlocalhost numberofpasswordprompts
  obscurekeystroketiming passwordauthentication permitlocalcommand permitremoteopen pkcs11provider port preferredauthentications
  protocol proxycommand proxyjump proxyusefdpass pubkeyacceptedalgorithms pubkeyacceptedkeytypes pubkeyauthentication
  refuseconnection rekeylimit remotecommand remoteforward requesttty requiredrsasize revokedhostkeys
  rsaauthentication rhostsrsaauthentication securitykeyprovider sendenv serveralivecountmax serveraliveinterval sessiontype
  setenv skeyauthentication smartcarddevice stdinnull streamlocalbindmask streamlocalbindunlink stricthostkeychecking
  syslogfacility tcpkeepalive tag tunnel tunneldevice updatehostkeys usekeychain
  useprivilegedport user userknownhostsfile usersh verifyhostkeydns versionaddendum visualhostkey
  warnweakcrypto xauthlocation challengeresponseauthentication dsaauthentication cipher fallbacktorsh globalknownhostsfile2
  userknownhostsfile2 identityfile2 afstokenpassing kerberosauthentication kerberostgtpassing noneenabled noneswitch
  tisauthentication useroaming keepalive
`
    .trim()
    .split(/\s+/),
)

const SETTINGS = /^\s*(HostName|Port|User|IdentityFile|ProxyJump|ProxyCommand|UserKnownHostsFile)(\s*=\s*|\s+)\S/i
const PLAIN_MATCH = /^\s*Match\s+(all|((original)?host|(local)?user)\s+[\w.*?!,-]+)\s*$/i

/**
 * The lines an import needs, and no other. Settings of other kinds of Match blocks, or of ones unknown to ssh,
 * are given to a host that is never queried.
 */
const harmless = (text: string, opened: readonly number[]): string =>
  text
    .split(/\r?\n/)
    .map((line, index) => {
      if (opened.includes(index + 1)) return 'Host barewitness-evaluates-no-such-match'
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
 * The settings that OpenSSH would use for a host, by `ssh -G`. Without `text`, from the user's own configuration; with
 * it, from that text alone, which must be trusted not to run commands. No name is looked up and nothing is contacted.
 * The first value of a repeated setting counts. Null when ssh refuses.
 */
async function resolveWithSshG(host: string, text?: string): Promise<Resolved | null> {
  const printed = await runSshG(host, text)
  if (printed?.ok !== true) return null
  const settings = new Map<string, string>()
  for (const line of printed.value.split('\n')) {
    const [, key, value] = /^(\S+) (.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined && !settings.has(key)) settings.set(key, value)
  }
  return settings
}

/** The output of `ssh -G`, or its error about the configuration; null where ssh is not installed. */
async function runSshG(host: string, text: string | undefined): Promise<Result<string, string> | null> {
  const ssh = findSsh()
  if (ssh === null || host.startsWith('-')) return null
  const folder = await mkdtemp(join(tmpdir(), 'barewitness-import-'))
  try {
    const config = join(folder, 'config')
    if (text !== undefined) await writeFile(config, `${text}\n`, { mode: 0o600 })
    return await new Promise<Result<string, string>>((resolve) => {
      execFile(
        ssh,
        ['-G', ...(text === undefined ? ['-o', 'CanonicalizeHostname=no'] : ['-F', config]), '--', host],
        { timeout: 5000, maxBuffer: 1024 * 1024 },
        (problem, stdout, stderr) => resolve(problem === null ? ok(stdout) : err(stderr)),
      )
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
