import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface OtherSudoers {
  /** Rules of another program that makes root: sudo-rs reads /etc/sudoers-rs where it exists, doas its own file. */
  readonly files: readonly string[]
}

const FILES = ['/etc/sudoers-rs', '/etc/doas.conf', '/etc/doas.d'] as const

/** sudo-rs (default on Ubuntu from 25.10) and doas: rules that cvtsudoers does not read. Looked for by name only. */
export const sudoersOther = defineProbe({
  id: 'sudoers.other',
  title: 'Rules of other programs that grant root',
  why: 'Shows whether a program other than sudo, with its own rules, decides who may act as administrator.',
  commands: { files: run(['ls', '-1d', ...FILES]) },
  parse({ files }) {
    const absent = lines(files.errorText)
    const found = lines(files.text).filter((path) => path.startsWith('/etc/'))
    // Each of them is either listed or stated not to exist.
    if (
      !absent.every((said) => /No such file or directory$/.test(said)) ||
      found.length + absent.length !== FILES.length
    )
      return unknown('the files of other programs that make root could not be looked for')
    return known<OtherSudoers>({ files: found })
  },
})
