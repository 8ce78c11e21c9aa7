import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface SessionTimeout {
  /** Values assigned to TMOUT in the files that shells read at login, in seconds; null for one that is no plain number. */
  readonly shell: readonly { readonly path: string; readonly seconds: number | null }[]
  /** Whether a line marks TMOUT read-only, so that a session cannot change it. */
  readonly readOnly: boolean
  /** StopIdleSessionSec of logind.conf(5) in seconds, where set to a plain number of seconds or minutes. */
  readonly logindSeconds: number | null
}

/** TMOUT (bash(1)): an interactive shell ends after so many seconds at its prompt. SUSE keeps the distribution's part below /usr/etc. */
export const sessionTimeout = defineProbe({
  id: 'session.timeout',
  title: 'Idle limits of shells and sessions',
  why: 'Shows whether an unattended terminal session ends automatically.',
  commands: {
    shell: run([
      'grep',
      '-d',
      'skip',
      '-H',
      '-E',
      '^[^#]*TMOUT',
      '/etc/profile',
      glob('/etc/profile.d/*'),
      glob('/etc/bash*rc'),
      '/usr/etc/profile',
      glob('/usr/etc/profile.d/*'),
    ]),
    logind: run([
      'grep',
      '-H',
      '-E',
      '^[[:space:]]*StopIdleSessionSec',
      '/etc/systemd/logind.conf',
      glob('/etc/systemd/logind.conf.d/*.conf'),
    ]),
  },
  parse({ shell, logind }) {
    if (!grepIsComplete(shell)) return unknown('not every file that shells read at login could be read')
    const found = foundLines(shell.text)
    const limits = foundLines(logind.text).map(({ line }) => inSeconds(line.replace(/^[^=]*=/, '')))
    return known<SessionTimeout>({
      shell: found.flatMap(({ path, line }) =>
        [...line.matchAll(/\bTMOUT=["']?([^\s;"'&|]*)/g)].map(([, value = '']) => ({
          path,
          seconds: plainNumber(value),
        })),
      ),
      readOnly: found.some(({ line }) => line.split(/[;#]/).some(marksReadOnly)),
      logindSeconds: logind.exitCode === 0 ? (limits.at(-1) ?? null) : null,
    })
  },
})

const marksReadOnly = (part: string): boolean =>
  /\bTMOUT\b/.test(part) && /\breadonly\b|\b(declare|typeset) +-[a-z]*r/.test(part)

const plainNumber = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null)

// systemd.time(7), the units that make sense here.
function inSeconds(text: string): number | null {
  const [, number, unit = 's'] = /^(\d{1,9}) {0,8}(s|sec|min|m|h)?$/.exec(text.slice(0, 256).trim()) ?? []
  const factor = unit === 'h' ? 3600 : unit.startsWith('m') ? 60 : 1
  return number === undefined ? null : Number(number) * factor
}
