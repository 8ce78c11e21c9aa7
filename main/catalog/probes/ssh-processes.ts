import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'

/** A process of an SSH server, by its command line. */
export interface SshProcess {
  readonly pid: number
  /** It serves a person who is connected, as its title states; its command line is not shown then. */
  readonly isSession: boolean
  /** Program and arguments, split at spaces; empty for a session. */
  readonly words: readonly string[]
  /** False where the title does not show its end, so that arguments may be missing. */
  readonly isWhole: boolean
}

export interface SshProcesses {
  readonly processes: readonly SshProcess[]
}

/** A command line longer than this is cut, and counts as not read. */
const MAX_LINE = 8192

/**
 * Command lines of the SSH servers that run (ps(1)): options there go before the configuration file (sshd(8), -o and -f). Only processes of
 * these three names are listed, so that no other program's arguments are read; values of SetEnv and ForceCommand are masked before storage.
 */
export const sshProcesses = defineProbe({
  id: 'ssh.processes',
  title: 'Command lines of running SSH servers',
  why: 'Options on an SSH server’s command line override its configuration file. Only processes named sshd, dropbear or tinysshd are listed, with their arguments.',
  ignoredInDrift: {
    why: 'Process IDs change, users connect and disconnect, and the title of a server counts logins in progress.',
    normalize: ({ processes }: SshProcesses) => ({
      servers: inOrder(
        processes.filter(({ isSession }) => !isSession).map(({ words, isWhole }) => ({ words, isWhole })),
      ),
    }),
  },
  commands: { processes: runAsRoot(['ps', '-ww', '-C', 'sshd,dropbear,tinysshd', '-o', 'pid=,args=']) },
  parse({ processes: { exitCode, text, errorText } }) {
    // procps ends with 1 where no process has such a name.
    if (exitCode > 1 || errorText.trim() !== '') return unknown(`ps did not list processes: ${quote(errorText)}`)
    const rows = lines(text).map(readRow)
    const read = rows.filter((row) => row !== null)
    return read.length === rows.length
      ? known<SshProcesses>({ processes: read })
      : unknown('a line of the output of ps is not a process')
  },
})

/**
 * OpenSSH's titles (sshd.c, setproctitle): "sshd: COMMAND LINE [listener] 0 of 10-100 startups" since 8.2; for sessions "sshd: anna@pts/0",
 * "sshd: anna [priv]" or "sshd: [accepted]".
 */
const LISTENER = /^sshd: (.+) \[listener\] \d+ of \d+-\d+ startups$/
const SESSION = /^sshd: (?:[^/ []\S*(?: \[[a-z]+\])?|\[[a-z]+\])$/

function readRow(row: string): SshProcess | null {
  const [, number, args] = /^ *(\d{1,10}) (.+)$/.exec(row) ?? []
  if (number === undefined || args === undefined) return null
  const pid = Number(number)
  const listener = LISTENER.exec(args)?.[1]
  // A title that lacks its end was cut: it stands where arguments and environment stood.
  if (args.startsWith('sshd: ') && listener === undefined)
    return { pid, isSession: SESSION.test(args), words: [], isWhole: false }
  return {
    pid,
    isSession: false,
    words: (listener ?? args).split(' ').filter((word) => word !== ''),
    isWhole: args.length <= MAX_LINE,
  }
}
