import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

/** One command as sudo's own log file has it. */
export interface SudoEntry {
  /** "Nov 20 09:11:58", in the node's zone; with a year where sudo is set to write it. */
  readonly when: string
  readonly user: string
  /** What sudo reports about it when it did not run it, such as "a password is required"; null for a command that was run. */
  readonly refused: string | null
  readonly runAs: string
  /** The program with its folder, then its arguments as sudo joined them. Long entries are wrapped, so the number of spaces is lost. */
  readonly command: string
}
export interface SudoLog {
  /** Null where the file does not exist. */
  readonly entries: readonly SudoEntry[] | null
}

/** The file that our own sudoers drop-in names (main/core/sudoers.ts), and so nothing but what this login ran through sudo. */
export const SUDO_LOG = '/var/log/sudo-barewitness.log'
const MOST_BYTES = 393_216

/**
 * sudoers(5), "LOG FORMAT": "date : user : [reason ;] [TTY=… ;] PWD=… ; USER=… ; COMMAND=…", wrapped at loglinelen with four spaces.
 * sudo writes the line before it runs the command, so this command's own line is the last one.
 */
export const sudoLog = defineProbe({
  id: 'sudo.log',
  title: 'sudo log of this collection',
  why: 'sudo keeps its own log of the commands that this login runs as root. It can be compared with the commands of this collection.',
  ignoredInDrift: {
    why: 'sudo logs every request, including this collection’s; only whether there is such a log is compared.',
    normalize: ({ entries }: SudoLog) => ({ isThere: entries !== null }),
  },
  commands: {
    entries: runAsRoot(['tail', '-c', String(MOST_BYTES), SUDO_LOG], { needsPath: [SUDO_LOG], maxBytes: 524288 }),
  },
  parse({ entries }) {
    if (isAbsent(entries)) return known<SudoLog>({ entries: null })
    if (entries.exitCode !== 0) return unknown('the log of sudo could not be read')
    const isCut = entries.bytes.length >= MOST_BYTES
    const joined = lines(entries.text).reduce<string[]>((all, line) => {
      if (/^ {4}\S/.test(line)) all.push(`${all.pop() ?? ''} ${line.slice(4)}`)
      else all.push(line)
      return all
    }, [])
    const read = joined.map(readEntry)
    // The first line of a cut response is a part of an entry.
    if (read.slice(isCut ? 1 : 0).includes(null)) return unknown('the log of sudo has an unexpected format')
    return known<SudoLog>({ entries: read.filter((entry) => entry !== null) })
  },
})

const HEAD = /^([A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}(?: \d{4})?) : ([^\s:]{1,256}) : /

function readEntry(line: string): SudoEntry | null {
  const head = HEAD.exec(line)
  const end = line.indexOf('COMMAND=')
  if (head === null || end < 0) return null
  const fields = line.slice(head[0].length, end).split(' ; ')
  const reason = fields.find((field) => field.trim() !== '' && !/^\s*[A-Z]{1,10}=/.test(field))
  const runAs = fields.find((field) => field.startsWith('USER='))
  return {
    when: head[1] ?? '',
    user: head[2] ?? '',
    refused: reason?.trim() ?? null,
    runAs: runAs?.slice(5).trim() ?? 'root',
    command: line.slice(end + 'COMMAND='.length).trim(),
  }
}
