import type { TeamConfig } from '../../schemas/types.ts'
import { isSameJson } from '../core/canonical-json.ts'
import { fail, type Outcome, ok } from '../core/failure.ts'

type Programs = Pick<TeamConfig, 'collectors' | 'sealers'>

/**
 * The configuration with the collectors and sealers of another one, which is valid. Fails with input.refused where anything else differs, and
 * where an engagement would have its first collector or sealer: what serves these is opened at the start.
 */
export function withPrograms(running: TeamConfig, wanted: TeamConfig): Outcome<TeamConfig> {
  if (!isSameJson(withoutPrograms(running), withoutPrograms(wanted)))
    return fail('input.refused', 'more than collectors and sealers differs; start the server again')
  for (const list of ['collectors', 'sealers'] as const) {
    const known = new Set((running[list] ?? []).map(({ engagement }) => engagement))
    const added = wanted[list]?.find(({ engagement }) => !known.has(engagement))
    if (added !== undefined)
      return fail('input.refused', `${added.engagement} has no ${list} yet; start the server again`)
  }
  const { collectors = [], sealers = [] } = wanted
  return ok({ ...running, collectors, sealers })
}

const withoutPrograms = ({ collectors: _, sealers: __, ...rest }: TeamConfig): Omit<TeamConfig, keyof Programs> => rest
