import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface SudoProgram {
  /** sudo-rs is the other implementation, the default of Ubuntu from 25.10 on. */
  readonly name: 'sudo' | 'sudo-rs'
  /** As it states itself: digits and dots, and the `p` of a patch level. */
  readonly version: string
  /** Whether /bin and /sbin are only other names of folders under /usr. */
  readonly hasMergedFolders: boolean
}

/** sudo(8) and sudo-rs(8), -V: the first line names the program. stat(1), %N: a link is quoted with its target. */
export const sudoProgram = defineProbe({
  id: 'sudo.program',
  title: 'The sudo program and program locations',
  why: 'Determines which form of sudo rules this server reads, and where the programs that need root are located.',
  commands: {
    version: run(['sudo', '-V']),
    folders: run(['stat', '-c', '%N', '/bin', '/sbin']),
  },
  parse({ version, folders }) {
    const first = lines(version.text)[0] ?? ''
    const found = /^(?:Sudo version |sudo(-rs) )(\d{1,4}(?:\.\d{1,4}){1,3}(?:p\d{1,3})?)(?![\w.])/.exec(first)
    if (version.exitCode !== 0 || found === null) return unknown('the version of sudo could not be read')
    // Quoted, unquoted by busybox, and with the quotes of a UTF-8 locale.
    const linked = lines(folders.text).filter((line) => /^\W?\/s?bin\W? -> \W?\/?usr\/s?bin\W?$/.test(line))
    return known<SudoProgram>({
      name: found[1] === undefined ? 'sudo' : 'sudo-rs',
      version: found[2] ?? '',
      hasMergedFolders: folders.exitCode === 0 && linked.length === 2,
    })
  },
})
