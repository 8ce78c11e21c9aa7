import { type RefObject, useEffect, useRef, useState } from 'react'

/** One rem in pixels: a virtual list counts in pixels, and text may be set larger. */
export const rem = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16

/** The current width of an element. */
export function useWidth<E extends HTMLElement>(): readonly [RefObject<E | null>, number] {
  const element = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (element.current === null) return
    const watch = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    watch.observe(element.current)
    return () => watch.disconnect()
  }, [])
  return [element, width]
}

/** Whether a wait has lasted for a time: what ends before it would only flicker. By default, it begins with the element. */
export function useLate(milliseconds: number, isWaiting = true): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    setLate(false)
    if (!isWaiting) return
    const timer = setTimeout(() => setLate(true), milliseconds)
    return () => clearTimeout(timer)
  }, [milliseconds, isWaiting])
  return isLate
}

/** Whole seconds since the element was first drawn. */
export function useSeconds(): number {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((count) => count + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  return seconds
}

/** Whether the page is being printed: only then are all rows drawn at once. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    const media = window.matchMedia('print')
    const onChange = (): void => setPrinting(media.matches)
    const before = (): void => setPrinting(true)
    const after = (): void => setPrinting(false)
    media.addEventListener('change', onChange)
    window.addEventListener('beforeprint', before)
    window.addEventListener('afterprint', after)
    return () => {
      media.removeEventListener('change', onChange)
      window.removeEventListener('beforeprint', before)
      window.removeEventListener('afterprint', after)
    }
  }, [])
  return printing
}
