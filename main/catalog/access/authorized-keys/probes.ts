import { defineProbe, known, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { type PublicKey, readPublicKey } from '../../base/public-key.ts'
import { grepIsComplete } from '../../base/read-text.ts'

export interface AuthorizedKey extends PublicKey {
  readonly path: string
  /** Names of the options before the key (sshd(8), AUTHORIZED_KEYS FILE FORMAT), without their values. */
  readonly options: readonly string[]
}

export interface AuthorizedKeys {
  readonly keys: readonly AuthorizedKey[]
  /** Keys that only refuse a login, and so are not among the others; absent where there are none. */
  readonly refusing?: readonly AuthorizedKey[]
  /** Lines that look like a key and could not be read as one. */
  readonly unreadable: number
  /** Key files whose keys were, or may have been, left unread or stand elsewhere too; null where the list of files could not be read. */
  readonly doubtful: readonly DoubtfulFile[] | null
  /**
   * Symbolic links at the level of home folders: in /home and /root, and one level below; null where they could not
   * be listed.
   */
  readonly links: readonly string[] | null
}

/**
 * Why the keys of a file may be incomplete: it is a link that leads elsewhere, has a second hard link, or is no
 * regular file.
 */
export interface DoubtfulFile {
  readonly path: string
  readonly why: 'link' | 'hard-link' | 'no-file'
}

// Prints only options, type and key material: the comment behind a key often names a person and stays on the node.
// Every key blob starts with AAAA, the base64 of its first length field. The pattern has no parentheses, which
// sudoers cannot express everywhere, and no asterisk, which sudo-rs accepts in no rule.
const KEY_LINE = '^[[:space:]]{0,}[^#[:space:]].{0,}AAAA[A-Za-z0-9+/=]{0,}'

/**
 * Public keys that may log in, from files of the two customary names under /home and /root. grep(1) opens only files of these
 * names and follows no links below the two folders.
 */
export const authorizedKeys = defineProbe({
  id: 'authorized-keys',
  title: 'Public keys that may log in',
  why: 'Shows which SSH public keys open which account. Public keys are not secret; their comments are not read.',
  commands: {
    keys: runAsRoot(
      [
        'grep',
        '-r',
        '-Z',
        '-H',
        '-o',
        '-E',
        '--include=authorized_keys',
        '--include=authorized_keys2',
        KEY_LINE,
        '/home',
        '/root',
      ],
      {
        timeoutSeconds: 30,
      },
    ),
    // -H: as grep does, follows /home and /root themselves where they are links, and nothing below.
    files: runAsRoot(
      [
        'find',
        '-H',
        '/home',
        '/root',
        '-name',
        'authorized_keys',
        '-ls',
        '-o',
        '-name',
        'authorized_keys2',
        '-ls',
        '-o',
        '-name',
        '.ssh',
        '-type',
        'l',
        '-ls',
      ],
      { timeoutSeconds: 30 },
    ),
    // A home folder that is a link, or is behind one, is searched by neither of the two.
    links: runAsRoot(['find', '-H', '/home', '/root', '-mindepth', '1', '-maxdepth', '2', '-type', 'l', '-ls'], {
      timeoutSeconds: 30,
    }),
  },
  parse({ keys, files, links }) {
    if (!grepIsComplete(keys)) return unknown('not every folder under /home and /root could be searched')
    const rows = keys.text.split('\n').filter((row) => row !== '')
    const read = rows.map(readRow)
    const good = read.filter((row) => row !== null)
    const refusing = good.filter(({ refuses }) => refuses).map(({ key }) => key)
    return known<AuthorizedKeys>({
      keys: good.filter(({ refuses }) => !refuses).map(({ key }) => key),
      ...(refusing.length === 0 ? {} : { refusing }),
      unreadable: read.length - good.length,
      doubtful: files.exitCode === 0 ? doubtfulFiles(files.text, new Set(good.map(({ key }) => key.path))) : null,
      links: links.exitCode === 0 ? linkedPlaces(links.text) : null,
    })
  },
})

// find(1), -ls: inode, blocks, mode, links, owner, group, size, three words of time, name, and the text of a link; names escaped.
const LISTED =
  /^ *\d+ +\d+ ([-a-z])\S{9}\S? +(\d+) +\S+ +\S+ +\d+ +[A-Z][a-z]{2} +\d+ +[\d:]+ (\/(?:\\.|[^ \\])*)(?: -> ((?:\\.|[^ \\])*))?$/

/** Files whose keys were not shown in whole; null where a line is not one of `find -ls`. A link is followed by its text, to a file already read. */
function doubtfulFiles(text: string, read: ReadonlySet<string>): readonly DoubtfulFile[] | null {
  const doubtful: DoubtfulFile[] = []
  for (const row of text.split('\n').filter((line) => line !== '')) {
    const [, kind, links, path, target] = LISTED.exec(row) ?? []
    if (path === undefined) return null
    if (kind === 'l') {
      if (!leadsToRead(path, target ?? '', read)) doubtful.push({ path, why: 'link' })
    } else if (kind === '-') {
      if (links !== '1') doubtful.push({ path, why: 'hard-link' })
    } else if (kind !== 'd') doubtful.push({ path, why: 'no-file' })
  }
  return doubtful
}

/** Locations of the links that `find -ls` lists; null where a line has another form. */
function linkedPlaces(text: string): readonly string[] | null {
  const rows = text.split('\n').filter((line) => line !== '')
  const paths = rows.map((row) => LISTED.exec(row)?.[3]?.replace(/\\([^0-9])/g, '$1') ?? null)
  return paths.includes(null) ? null : paths.filter((path) => path !== null)
}

/** Why keys in a home folder are not among those that were read; null where they are, if there are any. */
export type Unsearched = 'elsewhere' | 'link' | 'deep' | 'not-in-inventory'

/** Home folders in and one level below /home, and /root, are searched where no link is in the way. */
export function whyUnsearched(home: string, { links }: Pick<AuthorizedKeys, 'links'>): Unsearched | null {
  const path = home.replace(/(?<=.)\/$/, '')
  if (!/^\/(home|root)(\/|$)/.test(path) || /\/\.{0,2}(\/|$)/.test(path)) return 'elsewhere'
  const parts = path.split('/').slice(1)
  if (parts.length === 1) return null
  if (links === null) return 'not-in-inventory'
  const isLink = parts.some((_, at) => links.includes(`/${parts.slice(0, at + 1).join('/')}`))
  return isLink ? 'link' : parts.length > 3 ? 'deep' : null
}

/** A plain name in the same .ssh folder, of a file whose keys were read: a longer text may lead through links that no one examined. */
const leadsToRead = (path: string, target: string, read: ReadonlySet<string>): boolean =>
  /^authorized_keys2?$/.test(target) && read.has(path.replace(/[^/]*$/, target)) && !path.endsWith(`/${target}`)

// sshd(8), AUTHORIZED_KEYS FILE FORMAT: options hold no spaces except inside double quotes, so a key inside a command is not the key.
const KEY = /^((?:ssh-|ecdsa-|sk-)[a-zA-Z0-9@.-]+) +(AAAA[A-Za-z0-9+/=]+)(?=\s|$)/
const OPTIONS = /^(?:[^\s"]|"(?:[^"\\]|\\.)*")+\s+/

/**
 * What cloud-init puts before the keys in root’s file where root may not log in (disable_root, its default; DISABLE_USER_OPTS in
 * cloudinit/ssh_util.py): a command that names the account to use and ends. Older releases had no exit status.
 */
const NOTICE =
  /(?:^|,)command="echo 'Please login as the user \\"[^"'\\]{1,64}\\" rather than the user \\"[^"'\\]{1,64}\\"\.';echo;sleep 10(?:;exit 142)?"(?:,|\s|$)/

/** No other command, and no ports: such a key opens nothing. */
const refusesLogin = (text: string, names: readonly string[]): boolean =>
  NOTICE.test(text) &&
  names.filter((name) => name === 'command').length === 1 &&
  (names.includes('no-port-forwarding') || (names.includes('restrict') && !names.includes('port-forwarding')))

function readRow(row: string): { readonly key: AuthorizedKey; readonly refuses: boolean } | null {
  const nul = row.indexOf('\0')
  // sshd reads no longer lines either.
  if (nul < 1 || row.length > 16_384) return null
  const line = row.slice(nul + 1).trim()
  const options = KEY.test(line) ? '' : (OPTIONS.exec(line)?.[0] ?? '')
  const match = KEY.exec(line.slice(options.length))
  const key = readPublicKey(match?.[1] ?? '', match?.[2] ?? '')
  if (key === null) return null
  const names = optionNames(options)
  return { key: { path: row.slice(0, nul), ...key, options: names }, refuses: refusesLogin(options, names) }
}

// Option values are in double quotes and may hold commas and spaces.
function optionNames(text: string): readonly string[] {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, '').trim()
  return bare === ''
    ? []
    : bare
        .split(',')
        .map((option) => option.replace(/=.*/, '').trim().toLowerCase())
        .filter((name) => name !== '')
}

const FOLDER = /^(.*)\/\.ssh\/authorized_keys2?$/

/** The home folder that a key file is in, or null when it is elsewhere (a backup copy, for example). */
export const homeOfKeyFile = (path: string): string | null => FOLDER.exec(path)?.[1] ?? null
