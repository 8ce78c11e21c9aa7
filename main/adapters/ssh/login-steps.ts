import type { AnyAuthMethod } from 'ssh2'
import { plain, quote } from '../../core/plain-text.ts'
import type { Login } from './login.ts'

/**
 * What one login may do, in order: one key after the other; then, if the server asks for more or we have no key, what a person types.
 * A server words its own question, so it is told apart from ours: without that it could ask for the passphrase of a signing key.
 * Where nobody is there to type, `nobodyThere` gets the method that the server asked by, and nothing is sent for it.
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
    const password = await question(`${where} asks for the password`)
    if (password === null) {
      nobodyThere('password')
      return false
    }
    last = 'password'
    return { type: 'password', username, password }
  }
  return {
    next,
    /** Told by the signer which key is being tried. */
    used: (method: string): void => {
      last = method
    },
    method: (): string => [...methods, last].join(' + '),
    tried: (): string => last,
  }
}

/** The agent, reduced to the keys that we mean to use. */
function only(login: Login): NonNullable<Login['agent']> {
  const agent = login.agent
  return Object.assign(Object.create(agent), {
    getIdentities: (done: (problem: null, keys: unknown) => void) => done(null, [...login.keys]),
  })
}
