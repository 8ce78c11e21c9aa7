import { useEffect, useState } from 'react'
import type { Bridge, Call, CallFailure, Input, Method, Output } from '../schemas/ipc.ts'

declare global {
  interface Window {
    readonly barewitness: Bridge
  }
}

/** Calls the engine. Never rejects: a broken channel is returned as a failure. */
export const call: Call = async (method, input) => {
  try {
    return await window.barewitness.call(method, input)
  } catch (thrown) {
    return { ok: false, error: { code: 'bug', detail: thrown instanceof Error ? thrown.message : 'unknown' } }
  }
}

export type Answer<T> =
  | { readonly state: 'waiting' }
  | { readonly state: 'here'; readonly value: T }
  | { readonly state: 'failed'; readonly error: CallFailure }

/** The result of one call, called again when its input or `version` changes. */
export function useAnswer<M extends Method>(method: M, input: Input<M>, version: unknown = null): Answer<Output<M>> {
  const [got, setGot] = useState<{ readonly asked: string; readonly answer: Answer<Output<M>> } | null>(null)
  const question = JSON.stringify(input)
  const asked = JSON.stringify([method, question, version])
  useEffect(() => {
    let current = true
    void call(method, JSON.parse(question) as Input<M>).then((reply) => {
      if (!current) return
      const answer: Answer<Output<M>> = reply.ok
        ? { state: 'here', value: reply.value }
        : { state: 'failed', error: reply.error }
      setGot({ asked, answer })
    })
    return () => {
      current = false
    }
  }, [method, question, asked])
  // The result of an earlier input is never shown for this one, not even for one frame.
  return got?.asked === asked ? got.answer : { state: 'waiting' }
}
