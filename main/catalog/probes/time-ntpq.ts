import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface NtpPeers {
  /** Sources by what the service does with them: its one reference (*, o), used next to it (+), or not used. */
  readonly sources: readonly {
    readonly use: 'reference' | 'used' | 'unused'
    readonly stratum: number
    readonly offsetMilliseconds: number
  }[]
}

/**
 * ntpq(8) -pn, of the reference implementation and of ntpsec: a line of headings, a line of equal signs, and one line for each source; its
 * first character states how it is used, and offset is in milliseconds. It asks the service on this server only.
 */
export const timeNtpq = defineProbe({
  id: 'time.ntpq',
  title: 'Time service ntpd',
  why: 'Shows the clock offset from its time sources and whether they respond.',
  ignoredInDrift: {
    why: 'The clock is corrected continuously, against one source or another.',
    normalize: () => null,
  },
  commands: { peers: run(['ntpq', '-pn']) },
  parse({ peers }) {
    const all = lines(peers.text)
    const head = all.findIndex((line) => /^=+\s*$/.test(line))
    if (peers.exitCode !== 0 || head < 0) return unknown('the time service did not respond')
    const rows = all.slice(head + 1).map(readSource)
    if (rows.includes(null)) return unknown('the output of ntpq has an unexpected format')
    return known<NtpPeers>({ sources: rows.filter((row) => row !== null) })
  },
})

function readSource(line: string): NtpPeers['sources'][number] | null {
  const words = line.slice(1).trim().split(/\s+/)
  const [stratum, offset] = [words[2] ?? '', words.at(-2) ?? '']
  if (words.length !== 10 || !/^\d{1,2}$/.test(stratum) || !/^[+-]?\d{1,12}(\.\d{1,9})?$/.test(offset)) return null
  const mark = line[0] ?? ' '
  return {
    use: mark === '*' || mark === 'o' ? 'reference' : mark === '+' ? 'used' : 'unused',
    stratum: Number(stratum),
    offsetMilliseconds: Math.abs(Number(offset)),
  }
}
