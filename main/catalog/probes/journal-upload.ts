import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import type { LogTarget } from '../forwarding.ts'
import { grepIsComplete, lines } from '../read-text.ts'

export interface JournalUpload {
  readonly each: readonly LogTarget[]
}

/** journal-upload.conf(5): URL= is the receiver. An address with a password in it does not match and is not printed. */
export const journalUpload = defineProbe({
  id: 'journal.upload',
  title: 'System journal forwarding',
  why: 'Shows whether the journal leaves the server for another host, and whether that transport is encrypted.',
  commands: {
    lines: run([
      'grep',
      '-r',
      '-s',
      '-h',
      '-o',
      '-E',
      '^(URL=(https?://)?[A-Za-z0-9._-]+(:[0-9]+)?/?$|TrustedCertificateFile=(all|-)?)',
      '/etc/systemd/journal-upload.conf',
      '/etc/systemd/journal-upload.conf.d',
    ]),
  },
  parse(answers) {
    const { exitCode } = answers.lines
    if (!grepIsComplete(answers.lines) && !(exitCode === 2 && answers.lines.errorText === ''))
      return unknown('the settings of the journal’s upload could not be read')
    const found = lines(answers.lines.text)
    const unchecked = found.some((line) => /^TrustedCertificateFile=(all|-)/.test(line))
    const url = found
      .filter((line) => line.startsWith('URL='))
      .at(-1)
      ?.slice(4)
    if (url === undefined) return known<JournalUpload>({ each: [] })
    // Without a scheme it is https; the default port is that of systemd-journal-remote.
    const encrypted = !url.startsWith('http://')
    const port = /:(\d{1,5})\/?$/.exec(url)?.[1] ?? '19532'
    return known<JournalUpload>({
      each: [{ text: url, encrypted, authenticated: encrypted && !unchecked, port: Number(port) }],
    })
  },
})
