import { defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { loginRecords } from '../probes/login-records.ts'
import { count, named, supports } from '../steps.ts'

export const auditLoginRecords = defineCheck({
  id: 'audit.login-records',
  property: 'audit',
  expected: 'The node keeps a record of logins.',
  ends: 'recorded',
  limitations:
    'The record reaches back only as far as its file does, root can alter it, and logins without a terminal may be missing. Failed attempts are not in it. No expectation is set.',
  requires: { records: loginRecords },
  evaluate({ records }) {
    const users = [...new Set(records.logins.map(({ user }) => user))]
    return {
      verdict: 'informational',
      observations: [
        supports(`The record begins ${quote(records.since)}.`, loginRecords),
        users.length === 0
          ? supports('It holds no login.', loginRecords)
          : supports(
              `${count(records.logins.length, 'login')} among the last 200 entries, by ${named(users)}.`,
              loginRecords,
            ),
      ],
    }
  },
})
