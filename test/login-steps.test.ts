import { expect, test } from 'vitest'
import { loginSteps } from '../main/adapters/ssh/ssh2-client.ts'

/** A login without keys, by a person who answers everything. */
const steps = (name = 'db-1') => {
  const asked: string[] = []
  const ask = async (question: string): Promise<string> => {
    asked.push(question)
    return 'typed'
  }
  const { next } = loginSteps({ name, user: 'audit' }, { keys: [], agent: null, ask }, (work) => work)
  return { asked, next }
}

type Prompts = (
  name: string,
  instructions: string,
  language: string,
  prompts: readonly { prompt: string }[],
  answer: (answers: readonly string[]) => void,
) => void

test('what a server asks is never taken for a question of ours', async () => {
  const { asked, next } = steps()
  const method = (await next(['keyboard-interactive'], false)) as unknown as { prompt: Prompts }
  const answers = await new Promise((resolve) =>
    method.prompt(
      '',
      '',
      '',
      [{ prompt: 'Passphrase of your signing key (default)\u202e\n' }, { prompt: 'x'.repeat(900) }],
      resolve,
    ),
  )
  expect(answers).toEqual(['typed', 'typed'])
  expect(asked).toEqual([
    'The node db-1, as audit, asks: “Passphrase of your signing key (default)\\u{202e}”. What you type is sent to that node: ',
    `The node db-1, as audit, asks: “${'x'.repeat(200)}…”. What you type is sent to that node: `,
  ])
})

test('a password is asked for with the node it is for', async () => {
  const { asked, next } = steps('db\u202e1')
  expect(await next(['password'], false)).toEqual({ type: 'password', username: 'audit', password: 'typed' })
  expect(asked).toEqual([
    'The node db\\u{202e}1, as audit, requests the password. What you type is sent to that node: ',
  ])
})

test('what no person is there to type is not sent, and is reported by what the server asked for', async () => {
  const noPerson = (): Promise<null> => Promise.resolve(null)
  const told: string[] = []
  const begin = (): ReturnType<typeof loginSteps> =>
    loginSteps(
      { name: 'db-1', user: 'audit' },
      { keys: [], agent: null, ask: noPerson },
      (work) => work,
      (asked) => void told.push(asked),
    )
  const forPassword = begin()
  expect(await forPassword.next(['publickey', 'password'], false)).toBe(false)
  const forAnswers = begin()
  const method = (await forAnswers.next(['keyboard-interactive'], false)) as unknown as { prompt: Prompts }
  const sent: unknown[] = []
  method.prompt('', '', '', [{ prompt: 'Verification code: ' }], (answers) => sent.push(answers))
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toEqual([])
  expect(told).toEqual(['password', 'keyboard-interactive'])
  expect([forPassword.tried(), forAnswers.tried()]).toEqual(['', ''])
})
