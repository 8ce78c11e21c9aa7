import { useEffect, useRef, useState } from 'react'
import type { Bridge, Call, Input, Method, Output } from '../../schemas/ipc.ts'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import { showsEarlier } from './refreshing.ts'

declare global {
  interface Window {
    readonly barewitness: Bridge
  }
}

/** The bridge of a page in a browser, which has no preload script. */
let own: Bridge | null = null
export const setBridge = (bridge: Bridge): void => {
  own = bridge
}

const current = (): Bridge => own ?? window.barewitness

/** Subscribes to events of the engine. Returns a function that unsubscribes. */
export const onEvent: Bridge['onEvent'] = (listener) => current().onEvent(listener)

/** Calls the engine. Never rejects: a broken channel is returned as a failure. */
export const call: Call = async (method, input) => {
  try {
    return await current().call(method, input)
  } catch (thrown) {
    return { ok: false, error: { code: 'bug', detail: thrown instanceof Error ? thrown.message : 'unknown' } }
  }
}

export type Answer<T> =
  | { readonly state: 'waiting' }
  | { readonly state: 'here'; readonly value: T }
  | { readonly state: 'failed'; readonly error: CallFailure }

/** The catalog does not change while the program runs. */
const CONSTANT: readonly Method[] = ['catalog.get']
const constants = new Map<Method, Answer<never>>()

/** The result of one call, called again when its input or `version` changes. */
export function useAnswer<M extends Method>(method: M, input: Input<M>, version: unknown = null): Answer<Output<M>> {
  const [got, setGot] = useState<{ readonly asked: string; readonly answer: Answer<Output<M>> } | null>(null)
  const question = JSON.stringify(input)
  const asked = JSON.stringify([method, question, version])
  const constant: Answer<Output<M>> | undefined = constants.get(method)
  const isKnown = constant !== undefined
  useEffect(() => {
    if (isKnown) return
    let current = true
    void call(method, JSON.parse(question) as Input<M>).then((reply) => {
      if (!current) return
      const answer: Answer<Output<M>> = reply.ok
        ? { state: 'here', value: reply.value }
        : { state: 'failed', error: reply.error }
      if (reply.ok && CONSTANT.includes(method)) constants.set(method, answer as Answer<never>)
      setGot({ asked, answer })
    })
    return () => {
      current = false
    }
  }, [method, question, asked, isKnown])
  if (constant !== undefined) return constant
  // The result of an earlier input is never shown for this one, not even for one frame.
  return got?.asked === asked ? got.answer : { state: 'waiting' }
}

/**
 * Returns the last value while the same call is repeated, so that the text does not flicker. A failure is not kept.
 */
export function useKept<T>(answer: Answer<T>, question: string): Answer<T> {
  const kept = useRef<{ readonly question: string; readonly answer: Answer<T> } | null>(null)
  if (answer.state !== 'waiting') kept.current = answer.state === 'here' ? { question, answer } : null
  const earlier = answer.state === 'waiting' && kept.current?.question === question ? kept.current.answer : null
  const isEarlier = earlier !== null
  // The frame marks an earlier result as such once its repetition takes long enough for the result to be read.
  useEffect(() => (isEarlier ? showsEarlier() : undefined), [isEarlier])
  return earlier ?? answer
}

/** Combines two results: the first failure, or waiting until both have arrived. */
export function both<A, B>(a: Answer<A>, b: Answer<B>): Answer<readonly [A, B]> {
  if (a.state === 'failed') return a
  if (b.state === 'failed') return b
  return a.state === 'here' && b.state === 'here' ? { state: 'here', value: [a.value, b.value] } : { state: 'waiting' }
}
