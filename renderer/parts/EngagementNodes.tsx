import type { EngagementForm } from '../../schemas/ipc-engagement.ts'
import { BLANK_FLOW, BLANK_STORE, linesOf, nodesIn } from '../engagement-model.ts'
import { useStore } from '../store.ts'
import { plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { OwnerFields, type SectionProps } from './EngagementWho.tsx'
import { LinesField } from './LinesField.tsx'
import { Repeated } from './Repeated.tsx'

/** ePHI locations and flows. */
export function EphiSection({ form: { ephi }, put }: SectionProps) {
  const change = (part: Partial<EngagementForm['ephi']>): void => put({ ephi: { ...ephi, ...part } })
  return (
    <>
      <h3>ePHI locations</h3>
      <Repeated
        word="store"
        items={ephi.stores}
        onChange={(stores) => change({ stores })}
        blank={BLANK_STORE}
        most={1000}
        none="None. Leave empty only if no ePHI is stored on these nodes."
        nameOf={({ name }) => name}
      >
        {(one, set) => (
          <>
            <div className="form-pair">
              <TextField label="Name" maxLength={200} value={one.name} onChange={(name) => set({ name })} />
              <TextField
                label="Path on the node"
                description="For example /data/ephi."
                mono
                maxLength={4096}
                value={one.path}
                onChange={(path) => set({ path })}
              />
            </div>
            <div className="form-pair">
              <TextArea label="Content" rows={2} maxLength={1000} value={one.what} onChange={(what) => set({ what })} />
              <LinesField
                label="Nodes"
                description="Nodes that store it, one per line."
                rows={2}
                mono
                value={one.nodes}
                onChange={(nodes) => set({ nodes })}
                read={nodesIn}
                write={linesOf}
              />
            </div>
          </>
        )}
      </Repeated>
      <h3>ePHI flows</h3>
      <Repeated
        word="flow"
        items={ephi.flows}
        onChange={(flows) => change({ flows })}
        blank={BLANK_FLOW}
        most={1000}
        none="No flows yet."
        nameOf={({ name }) => name}
      >
        {(one, set) => (
          <>
            <div className="form-pair">
              <TextField label="Name" maxLength={200} value={one.name} onChange={(name) => set({ name })} />
              <TextField
                label="Protection"
                maxLength={500}
                value={one.protection}
                onChange={(protection) => set({ protection })}
              />
            </div>
            <div className="form-pair">
              <TextField label="From" maxLength={300} value={one.from} onChange={(from) => set({ from })} />
              <TextField label="To" maxLength={300} value={one.to} onChange={(to) => set({ to })} />
            </div>
          </>
        )}
      </Repeated>
      <OwnerFields value={ephi} onChange={change} />
    </>
  )
}

/** The declared population and its source. */
export function PopulationSection({ form: { population }, put }: SectionProps) {
  const { fleet } = useStore()
  const change = (part: Partial<EngagementForm['population']>): void => put({ population: { ...population, ...part } })
  const inFleet = fleet?.nodes.map(({ name }) => name) ?? []
  return (
    <>
      <TextField
        label="Source of the list"
        description="For example an asset register. An independent list is stronger evidence than the list in this window."
        maxLength={500}
        value={population.source}
        onChange={(source) => change({ source })}
      />
      <LinesField
        label="Nodes"
        description={`One per line. ${plural(population.nodes.length, 'node')} declared.`}
        rows={8}
        mono
        value={population.nodes}
        onChange={(nodes) => change({ nodes })}
        read={nodesIn}
        write={linesOf}
      />
      {inFleet.length > 0 && (
        <div className="actions">
          <Button small onPress={() => change({ nodes: [...new Set([...population.nodes, ...inFleet])] })}>
            Add {plural(inFleet.length, 'node')} from the fleet file
          </Button>
        </div>
      )}
      <OwnerFields value={population} onChange={change} />
    </>
  )
}
