import { buildTestApps, whyNoWindow } from './open-window.ts'

/** Before the tests of the window: what several files drive is built once. */
export default function setup(): void {
  if (whyNoWindow() === null) buildTestApps()
}
