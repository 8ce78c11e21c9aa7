import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { unitBlocks } from '../read-text.ts'
import { REMOTE_AGENTS } from '../remote-agents.ts'

export interface AgentUnits {
  /** Units that the service manager knows, by the name requested. */
  readonly units: ReadonlyMap<string, { readonly active: boolean; readonly atBoot: boolean }>
}

const UNITS = REMOTE_AGENTS.flatMap(({ units }) => units)

/** systemctl(1) show prints every unit requested, those unknown with LoadState=not-found, and changes nothing. */
export const remoteAgents = defineProbe({
  id: 'access.remote-agents',
  title: 'Agents of providers and remote access products',
  why: 'Shows whether programs are installed through which a provider or another party can act on the server without logging in over SSH.',
  commands: {
    units: run([
      'systemctl',
      'show',
      '--property=LoadState,ActiveState,UnitFileState',
      ...UNITS.map((unit) => (unit.endsWith('.socket') ? unit : `${unit}.service`)),
    ]),
  },
  parse({ units }) {
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    const blocks = unitBlocks(units.text, UNITS.length)
    if (blocks === null) return unknown('the service manager reported other units than requested')
    return known<AgentUnits>({
      units: new Map(
        UNITS.flatMap((unit, index) => {
          const block = blocks[index]
          const state = block?.get('UnitFileState') ?? ''
          return block?.get('LoadState') === 'not-found'
            ? []
            : [
                [
                  unit,
                  {
                    active: /^(active|activating|reloading|refreshing)$/.test(block?.get('ActiveState') ?? ''),
                    atBoot: /^(enabled|alias|generated)/.test(state),
                  },
                ],
              ]
        }),
      ),
    })
  },
})
