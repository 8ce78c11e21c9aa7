import type { AnyAuthMethod } from 'ssh2'
import { plain, quote } from '../../core/plain-text.ts'
import type { Login } from './login.ts'

/**
 * The steps of one login, in order: one key after the other; then, if the server requires more or there is no key, what
 * a person types. A prompt worded by a server is marked as such: otherwise it could request the passphrase of a signing
 * key. In unattended runs, `nobodyThere` receives the method that the server requested, and nothing is sent for it.
 */
export function loginSteps(
  { name, user: username }: { readonly name: string; readonly user: string },
  login: Login,
  pause: <T>(work: Promise<T>) => Promise<T>,
  nobodyThere: (method: string) => void = () => undefined,
) {
  const queue: AnyAuthMethod[] =
    login.agent === null
      ? login.keys.map((key) => ({ type: 'publickey', username, key }))
      : [{ type: 'agent', username, agent: only(login) }]
  const methods: string[] = []
  let last = ''
  let prompted = false
  let triedTyping = false
  const ask = login.ask
  const where = `The node ${plain(name)}, as ${plain(username)},`
  const question = async (text: string): Promise<string | null> => {
    prompted = true
    return ask === null ? null : await pause(ask(`${text}. What you type is sent to that node: `))
  }
  const interactive: AnyAuthMethod = {
    type: 'keyboard-interactive',
    username,
    prompt: (_name, _instructions, _lang, prompts, answer) =>
      void (async () => {
        const answers: string[] = []
        for (const { prompt } of prompts) {
          const typed = await question(`${where} asks: ${quote(prompt, 200)}`)
          if (typed === null) return nobodyThere('keyboard-interactive')
          answers.push(typed)
        }
        last = 'keyboard-interactive'
        answer(answers)
      })(),
  }
  const next = async (left: readonly string[] | null, partial: boolean): Promise<AnyAuthMethod | false> => {
    if (partial && last !== '') methods.push(last)
    const key = partial ? undefined : queue.shift()
    if (key !== undefined) return key
    if (ask === null || (login.keys.length > 0 && !partial && !triedTyping) || prompted) return false
    const offered = (method: string): boolean => left === null || left.includes(method)
    if (!triedTyping && offered('keyboard-interactive')) {
      triedTyping = true
      return interactive
    }
    triedTyping = true
    if (left?.includes('password') !== true) return false
    const password = await question(`${where} requests the password`)
    if (password === null) {
      nobodyThere('password')
      return false
    }
    last = 'password'
    return { type: 'password', username, password }
  }
  return {
    next,
    /** Called by the signer with the key in use. */
    used: (method: string): void => {
      last = method
    },
    method: (): string => [...methods, last].join(' + '),
    tried: (): string => last,
  }
}

/** The agent, reduced to the keys selected for use. */
function only(login: Login): NonNullable<Login['agent']> {
  const agent = login.agent
  return Object.assign(Object.create(agent), {
    getIdentities: (done: (problem: null, keys: unknown) => void) => done(null, [...login.keys]),
  })
}
