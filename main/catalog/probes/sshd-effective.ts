import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'

/** The settings sshd would use, by lower-case keyword; a keyword that repeats (port, hostkey, acceptenv) has several values. */
export interface SshdSettings {
  readonly settings: ReadonlyMap<string, readonly string[]>
}

/**
 * `sshd -T` prints the merged configuration, one `keyword value` per line (sshd(8), test mode). It needs root because it loads
 * the host keys, and /run/sshd must exist; `Match` blocks are not applied without `-C`.
 */
export const sshdEffective = defineProbe({
  id: 'sshd.effective',
  title: 'Effective settings of the SSH server',
  why: 'The SSH server merges several files and built-in defaults; only its own test mode shows the effective settings.',
  commands: { settings: runAsRoot(['sshd', '-T']) },
  parse: ({ settings }) =>
    settings.exitCode === 0
      ? parseSshdSettings(settings.text)
      : unknown(`not collected: sshd did not print its settings: ${quote(firstLine(settings.errorText))}`),
})

/** Reads `sshd -T` output. Fails when a line is not `keyword value`, or when keywords that sshd always prints are missing. */
export function parseSshdSettings(text: string): Parsed<SshdSettings> {
  const settings = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const parts = /^([A-Za-z][A-Za-z0-9]*)(?:[ \t]+(.*))?$/.exec(line.trimEnd())
    const keyword = parts?.[1]?.toLowerCase()
    if (keyword === undefined) return unknown(`a line of the output is not a setting: ${quote(line)}`)
    const values = settings.get(keyword)
    if (values === undefined) settings.set(keyword, [parts?.[2] ?? ''])
    else values.push(parts?.[2] ?? '')
  }
  const missing = ['port', 'permitrootlogin', 'ciphers'].filter((keyword) => !settings.has(keyword))
  return missing.length === 0 ? known({ settings }) : unknown(`the output lacks ${missing.join(', ')}`)
}

const firstLine = (text: string): string => text.split('\n').find((line) => line.trim() !== '') ?? 'no message'
