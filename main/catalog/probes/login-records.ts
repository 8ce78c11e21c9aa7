import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface LoginRecords {
  readonly logins: readonly { readonly user: string; readonly from: string }[]
  /** The oldest moment the file reaches back to, in the node's own words. */
  readonly since: string
}

/** last(1). The file rotates, so the first line says how far back it reaches; newer distributions have replaced the tool. */
export const loginRecords = defineProbe({
  id: 'login.records',
  title: 'Recent logins',
  why: 'Shows who logged in lately and from where, as far as the server still remembers.',
  commands: { logins: run(['last', '-w', '-F', '-n', '200']) },
  parse({ logins }) {
    const [, since] = /^\S+ begins (.+)$/m.exec(logins.text) ?? []
    if (logins.exitCode !== 0 || since === undefined) return unknown('there is no record of logins')
    const rows = lines(logins.text).filter((line) => !/^\S+ begins /.test(line))
    return known<LoginRecords>({
      since,
      logins: rows.flatMap((row) => {
        const [user = '', terminal = '', from = ''] = row.split(/\s+/)
        return user === 'reboot' || user === 'shutdown' || user === 'runlevel' || terminal === ''
          ? []
          : [{ user, from }]
      }),
    })
  },
})
