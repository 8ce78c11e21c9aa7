import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { ConnectTarget } from '../../core/ports/ports.ts'
import { type Hop, loadTrust, type TrustFile } from './host-key.ts'
import { bare } from './socket.ts'

/** A known_hosts file, and the path of the copy for the program. */
export interface CopiedFile extends TrustFile {
  readonly copy: string
}

/** A configuration for the system ssh program, in a private folder on this computer. */
export interface OpensshSetup {
  readonly folder: string
  /** Arguments up to and including the destination. */
  readonly args: readonly string[]
  readonly log: string
  readonly hopLogs: readonly string[]
  /** Copies of the target's known_hosts files, as the log names them. */
  readonly files: readonly CopiedFile[]
  readonly remove: () => Promise<void>
}

/**
 * No prompts, forwarding, sharing, local commands or learned keys; host keys are checked strictly against the given
 * files only.
 */
const STRICT = [
  'BatchMode yes',
  'StrictHostKeyChecking yes',
  'UpdateHostKeys no',
  'VerifyHostKeyDNS no',
  'CheckHostIP no',
  'NoHostAuthenticationForLocalhost no',
  'CanonicalizeHostname no',
  'ForwardAgent no',
  'ForwardX11 no',
  'ClearAllForwardings yes',
  'ControlMaster no',
  'ControlPath none',
  'PermitLocalCommand no',
  'RemoteCommand none',
  'VisualHostKey no',
  'AddKeysToAgent no',
  'RequestTTY no',
  'EscapeChar none',
  'PasswordAuthentication no',
  'HostbasedAuthentication no',
  'NumberOfPasswordPrompts 0',
  'ConnectionAttempts 1',
  'ConnectTimeout 20',
  'ServerAliveInterval 15',
  'ServerAliveCountMax 3',
  'Compression yes',
  'LogLevel DEBUG2',
]

/** Full path of the system ssh program, or null. */
export function findSsh(): string | null {
  const names = process.platform === 'win32' ? ['ssh.exe'] : ['ssh']
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync) ?? null
}

/**
 * Writes the configuration for one target and its jump hosts. The user's own ssh configuration is appended, where it
 * can set only what ours leaves open (ProxyCommand, certificates, hardware keys), and only for a node whose fleet entry
 * selects this client.
 */
export async function writeSetup(
  ssh: string,
  target: ConnectTarget,
  options: { readonly scan?: boolean; readonly userConfig?: readonly string[] } = {},
): Promise<Outcome<OpensshSetup>> {
  const ofUser = target.transport === 'openssh'
  const folder = await mkdtemp(join(tmpdir(), 'barewitness-ssh-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  const refuse = async (detail: string): Promise<Outcome<never>> => {
    await remove()
    return fail('input.refused', detail)
  }
  const config = join(folder, 'config')
  const hopLogs = target.jumps.map((_, index) => join(folder, `hop-${index}.log`))
  const blocks: string[] = ['IgnoreUnknown KnownHostsCommand']
  let files: OpensshSetup['files'] = []
  const all: readonly Hop[] = [...target.jumps, target]
  for (const [index, hop] of all.entries()) {
    const last = index === all.length - 1
    const unfit = whyUnfit(hop)
    if (unfit !== null) return await refuse(unfit)
    const trust = await writeTrust(folder, index, hop, last && options.scan === true)
    if (!trust.ok) {
      await remove()
      return trust
    }
    if (last) files = trust.value.files
    const alias = last && ofUser ? bare(hop.node.address) : aliasOf(index, last)
    const proxy =
      index === 0
        ? []
        : [
            `ProxyCommand ${shellWord(ssh)} -F ${shellWord(config)} -E ${shellWord(hopLogs[index - 1] ?? '')} -W '[%h]:%p' ${aliasOf(index - 1, false)}`,
          ]
    blocks.push(
      `Host ${alias}`,
      ...(last && ofUser ? [] : [`HostName ${bare(hop.node.address)}`]),
      `Port ${hop.node.port}`,
      `User ${configWord(hop.node.user)}`,
      ...credentialLines(hop, last && ofUser),
      ...trust.value.lines,
      ...proxy,
    )
  }
  const own = options.userConfig ?? [join(homedir(), '.ssh/config'), '/etc/ssh/ssh_config']
  const included = ofUser ? own.filter(existsSync).map((path) => `Include ${configWord(path)}`) : []
  await writeFile(config, `${[...blocks, 'Host *', ...STRICT, ...included].join('\n')}\n`, { mode: 0o600 })
  const log = join(folder, 'log')
  await writeFile(log, '', { mode: 0o600 })
  const destination = ofUser ? bare(target.node.address) : aliasOf(all.length - 1, true)
  return ok({ folder, args: ['-F', config, '-E', log, '-T', '--', destination], log, hopLogs, files, remove })
}

const aliasOf = (index: number, last: boolean): string => (last ? 'barewitness-node' : `barewitness-hop-${index}`)

/** ssh reads its configuration by lines and words, expands `%` and `\${…}`, and passes ProxyCommand to a shell. */
function whyUnfit({ node, credentials }: Hop): string | null {
  if (!/^[A-Za-z0-9_.:%[\]-]+$/.test(node.address) || node.address.startsWith('-'))
    return `${plain(node.name)}: the address cannot be passed to the ssh program`
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.@\\-]*$/.test(node.user))
    return `${plain(node.name)}: the user name cannot be passed to the ssh program`
  const file = credentials.identityFile ?? ''
  return /["\n\r\0]|\$\{/.test(file)
    ? `${plain(node.name)}: the path of the identity file cannot be passed to the ssh program`
    : null
}

const configWord = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('%', '%%')}"`
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`

function credentialLines({ credentials }: Hop, ofUser: boolean): readonly string[] {
  if (credentials.identityFile !== undefined)
    return [`IdentityFile ${configWord(credentials.identityFile)}`, 'IdentitiesOnly yes']
  if (ofUser) return []
  return credentials.agent ? ['IdentityFile none'] : ['IdentityFile none', 'IdentityAgent none']
}

/**
 * The host key files of one server. An inline fingerprint is checked within the same connection by KnownHostsCommand
 * (OpenSSH 8.5): a script that returns the shown key as a known one when, and only when, its fingerprint is the one on
 * record.
 */
async function writeTrust(
  folder: string,
  index: number,
  hop: Hop,
  scan: boolean,
): Promise<Outcome<{ readonly lines: readonly string[]; readonly files: OpensshSetup['files'] }>> {
  const loaded = await loadTrust(hop.trust)
  if (!loaded.ok) return loaded
  const { fingerprint, files } = loaded.value
  const copies: OpensshSetup['files'][number][] = []
  for (const [at, file] of files.entries()) {
    const copy = join(folder, `known-${index}-${at}`)
    const whole = fingerprint === null || file.how === 'decision'
    const text =
      whole && !scan
        ? file.text
        : file.text
            .split('\n')
            .map((line) => (line.trim().startsWith('@revoked') ? line : ''))
            .join('\n')
    await writeFile(copy, text, { mode: 0o600 })
    copies.push({ ...file, copy })
  }
  const empty = join(folder, 'none')
  await writeFile(empty, '', { mode: 0o600 })
  const known = [
    `UserKnownHostsFile ${copies.length === 0 ? configWord(empty) : copies.map(({ copy }) => configWord(copy)).join(' ')}`,
    `GlobalKnownHostsFile ${configWord(empty)}`,
  ]
  if (fingerprint === null && !scan) return ok({ lines: known, files: copies })
  const script = join(folder, `key-${index}.sh`)
  const wanted = scan
    ? `printf '%s %s\\n' "$4" "$5" > '${shownKeyFile({ folder })}'`
    : `[ "$2" = '${fingerprint}' ] && printf '%s %s %s\\n' "$3" "$4" "$5"`
  await writeFile(script, `if [ "$1" = HOSTNAME ]; then ${wanted}; fi\nexit 0\n`, { mode: 0o600 })
  // Certificates are excluded: the fingerprint on record is that of a plain key.
  return ok({
    lines: [
      ...known,
      `KnownHostsCommand /bin/sh ${configWord(script)} %I %f %H %t %K`,
      'HostKeyAlgorithms -*-cert-v01@openssh.com',
    ],
    files: copies,
  })
}

/** Where a scan stored the key it saw: `TYPE BASE64`. */
export const shownKeyFile = ({ folder }: Pick<OpensshSetup, 'folder'>): string => join(folder, 'shown-key')
