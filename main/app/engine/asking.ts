import type { Desktop } from './context.ts'

/**
 * Requests the secrets of one run: one prompt at a time, and none after a person closed one. Otherwise a thousand nodes
 * could open a thousand prompts.
 */
export function askInTurn(ask: Desktop['ask']): Desktop['ask'] {
  let declined = false
  let last: Promise<unknown> = Promise.resolve()
  return (question) => {
    const answer = last.then(async () => {
      if (declined) return null
      const given = await ask(question)
      declined = given === null
      return given
    })
    last = answer.catch(() => undefined)
    return answer
  }
}
