/** Settings on the command line of a listening sshd, which take precedence over its configuration file. */
export interface SshdStart {
  /** The configuration file it names (-f); null where it reads the default one. */
  readonly file: string | null
  /** Keywords of sshd_config(5) that it sets, in lower case and in today's spelling. */
  readonly sets: ReadonlySet<string>
}

/** sshd(8): options with a value, and the keyword that some of them set. */
const WITH_VALUE: Readonly<Record<string, string | null>> = {
  C: null,
  E: null,
  b: null,
  c: 'hostcertificate',
  f: null,
  g: 'logingracetime',
  h: 'hostkey',
  k: null,
  o: null,
  p: 'port',
  u: null,
}

/** Options without one that change nothing of what clients meet: foreground, log to stderr, address family, quiet, no re-execution. */
const PLAIN: ReadonlySet<string> = new Set(['D', 'e', 'q', '4', '6', 'r'])

/** Older names of keywords that sshd -T prints under newer ones (servconf.c). */
const RENAMED: Readonly<Record<string, string>> = {
  challengeresponseauthentication: 'kbdinteractiveauthentication',
  skeyauthentication: 'kbdinteractiveauthentication',
  dsaauthentication: 'pubkeyauthentication',
  pubkeyacceptedkeytypes: 'pubkeyacceptedalgorithms',
  hostbasedacceptedkeytypes: 'hostbasedacceptedalgorithms',
  keepalive: 'tcpkeepalive',
  authorizedkeysfile2: 'authorizedkeysfile',
}

/**
 * Parses the arguments of sshd as ps(1) prints them, split at spaces, without the program itself. Null where a word
 * is unknown, so that nothing may be concluded: an option of another version, or a masked value. The value of -o may have spaces, as that of
 * AuthorizedKeysCommand; where one of its words begins with “-”, it is read as options, of which none takes another as its value.
 */
export function readSshdStart(words: readonly string[]): SshdStart | null {
  const sets = new Set<string>()
  let file: string | null = null
  if (words.some((word) => word.includes('[redacted:'))) return null
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (!/^-[A-Za-z0-9]/.test(word)) return null
    for (let at = 1; at < word.length; at += 1) {
      const option = word.charAt(at)
      if (PLAIN.has(option)) continue
      const keyword = WITH_VALUE[option]
      if (keyword === undefined) return null
      const value = word.slice(at + 1) || left.shift()
      if (value === undefined || value.startsWith('-')) return null
      if (keyword !== null) sets.add(keyword)
      if (option === 'f') file = value
      if (option === 'o') {
        const [, name, rest] = /^([A-Za-z0-9]+)(=.+)?$/.exec(value) ?? []
        if (name === undefined) return null
        // "-o Keyword value" in quotation marks comes as several words.
        if (rest === undefined && isOption(left[0])) return null
        while (left.length > 0 && !isOption(left[0])) left.shift()
        const key = name.toLowerCase()
        sets.add(RENAMED[key] ?? key)
      }
      break
    }
  }
  return { file, sets }
}

/** Whether a word begins an option; so does the end of the line. */
const isOption = (word: string | undefined): boolean => word?.startsWith('-') ?? true
