import { quote } from '../../core/plain-text.ts'
import { type Answer, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { parseSshdSettings, type SshdSettings } from './sshd-effective.ts'

/** The settings that one kind of login meets, Match blocks applied. */
export interface SshdContext extends SshdSettings {
  readonly user: 'root' | 'nobody'
  /** An address that represents all of its kind: 192.0.2.254 (RFC 5737) for public ones, 10.0.0.1 (RFC 1918) for private ones. */
  readonly address: string
}

export interface SshdContexts {
  readonly contexts: readonly SshdContext[]
}

const PUBLIC = '192.0.2.254'
const PRIVATE = '10.0.0.1'

// A name that no node has; Match Group does not fit it (servconf.c, match_cfg_line_group). Versions before 8.1 want all three words.
const ask = (user: string, address: string) =>
  runAsRoot(['sshd', '-T', '-C', `user=${user},host=${address},addr=${address}`])

/**
 * `sshd -T -C` (sshd(8)) prints what applies to one connection, Match blocks among it. Which accounts and addresses a node's blocks name is
 * known only once it has been queried, and commands are never made from its responses: so these four and no others.
 */
export const sshdContexts = defineProbe({
  id: 'sshd.contexts',
  title: 'SSH server settings by type of login',
  why: 'Match blocks change settings for some users or addresses; the server’s test mode shows the settings for root and for an unknown user.',
  commands: {
    rootPublic: ask('root', PUBLIC),
    rootPrivate: ask('root', PRIVATE),
    nobodyPublic: ask('barewitness-nobody', PUBLIC),
    nobodyPrivate: ask('barewitness-nobody', PRIVATE),
  },
  parse(answers) {
    const contexts: SshdContext[] = []
    for (const [user, address, answer] of [
      ['root', PUBLIC, answers.rootPublic],
      ['root', PRIVATE, answers.rootPrivate],
      ['nobody', PUBLIC, answers.nobodyPublic],
      ['nobody', PRIVATE, answers.nobodyPrivate],
    ] as const) {
      const read = settingsOf(answer)
      if (!read.ok) return read
      contexts.push({ user, address, settings: read.fact.settings })
    }
    return known<SshdContexts>({ contexts })
  },
})

function settingsOf({ exitCode, text, errorText }: Answer): Parsed<SshdSettings> {
  if (exitCode === 0) return parseSshdSettings(text)
  const said = errorText.split('\n').find((line) => line.trim() !== '') ?? 'no message'
  return unknown(`not collected: sshd did not print its settings: ${quote(said)}`)
}
