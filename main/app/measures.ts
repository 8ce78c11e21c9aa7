import { captureKey, type MeasureCommand, type Probe } from '../core/probe.ts'

/** Whether a probe needs this measurement, and no earlier attempt stored it. */
export const isOpen = (
  probes: readonly Probe<unknown>[],
  measure: MeasureCommand['measure'],
  skip: ReadonlySet<string>,
): boolean =>
  probes.some(({ id, commands }) =>
    Object.entries(commands).some(
      ([name, spec]) => spec.kind === 'measure' && spec.measure === measure && !skip.has(captureKey(id, name)),
    ),
  )
