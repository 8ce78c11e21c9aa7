import type { Desktop } from './context.ts'

/**
 * Asks a person for the secrets of one run: one question at a time, and no more once they closed one. Without this, a thousand nodes
 * would put a thousand questions to somebody who has no answer.
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
