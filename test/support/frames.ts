import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Frames are drawn during an action; their intervals are printed and not asserted, because they depend on the machine. */
export async function framesWhile(page: Page, what: string, does: () => Promise<void>): Promise<void> {
  await page.evaluate(() => {
    const seen = window as unknown as { frames: number[] | null }
    const times: number[] = []
    seen.frames = times
    const next = (at: number): void => {
      if (seen.frames !== times) return
      times.push(at)
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })
  await does()
  const gaps = await page.evaluate(() => {
    const seen = window as unknown as { frames: number[] | null }
    const times = seen.frames ?? []
    seen.frames = null
    return times.slice(1).map((at, index) => at - (times[index] ?? at))
  })
  const sorted = gaps.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  console.info(
    `${what}: ${gaps.length} frames, median ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, longest ${at(1).toFixed(0)} ms`,
  )
  expect(gaps.length, what).toBeGreaterThan(3)
}
