import type { EngagementForm } from '../../schemas/ipc-engagement.ts'
import { BLANK_FLOW, BLANK_STORE, linesOf, nodesIn } from '../engagement-model.ts'
import { useStore } from '../store.ts'
import { plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { OwnerFields, type SectionProps } from './EngagementWho.tsx'
import { LinesField } from './LinesField.tsx'
import { Repeated } from './Repeated.tsx'

/** Where ePHI is kept on the nodes, and which ways it takes. */
export function EphiSection({ form: { ephi }, put }: SectionProps) {
  const change = (part: Partial<EngagementForm['ephi']>): void => put({ ephi: { ...ephi, ...part } })
  return (
    <>
      <h3>Where it is kept</h3>
      <Repeated
        word="store"
        items={ephi.stores}
        onChange={(stores) => change({ stores })}
        blank={BLANK_STORE}
        most={1000}
        none="No store is named. Say so only where no ePHI is kept on these nodes."
        nameOf={({ name }) => name}
      >
        {(one, set) => (
          <>
            <div className="form-pair">
              <TextField label="Name" maxLength={200} value={one.name} onChange={(name) => set({ name })} />
              <TextField
                label="Path on the node"
                description="Such as /data/ephi."
                mono
                maxLength={4096}
                value={one.path}
                onChange={(path) => set({ path })}
              />
            </div>
            <div className="form-pair">
              <TextArea
                label="What it holds"
                rows={2}
                maxLength={1000}
                value={one.what}
                onChange={(what) => set({ what })}
              />
              <LinesField
                label="Nodes"
                description="Those that hold it, one a line."
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
      <h3>Which ways it takes</h3>
      <Repeated
        word="flow"
        items={ephi.flows}
        onChange={(flows) => change({ flows })}
        blank={BLANK_FLOW}
        most={1000}
        none="No flow is named yet."
        nameOf={({ name }) => name}
      >
        {(one, set) => (
          <>
            <div className="form-pair">
              <TextField label="Name" maxLength={200} value={one.name} onChange={(name) => set({ name })} />
              <TextField
                label="How it is protected"
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

/** Every node that is meant to be covered, and where that list comes from. */
export function PopulationSection({ form: { population }, put }: SectionProps) {
  const { fleet } = useStore()
  const change = (part: Partial<EngagementForm['population']>): void => put({ population: { ...population, ...part } })
  const enrolled = fleet?.nodes.map(({ name }) => name) ?? []
  return (
    <>
      <TextField
        label="Where the list comes from"
        description="Such as an asset register. A list from elsewhere shows more than the one in this window."
        maxLength={500}
        value={population.source}
        onChange={(source) => change({ source })}
      />
      <LinesField
        label="Nodes"
        description={`One a line. ${plural(population.nodes.length, 'node')} declared.`}
        rows={8}
        mono
        value={population.nodes}
        onChange={(nodes) => change({ nodes })}
        read={nodesIn}
        write={linesOf}
      />
      {enrolled.length > 0 && (
        <div className="actions">
          <Button small onPress={() => change({ nodes: [...new Set([...population.nodes, ...enrolled])] })}>
            Add the {plural(enrolled.length, 'enrolled node')}
          </Button>
        </div>
      )}
      <OwnerFields value={population} onChange={change} />
    </>
  )
}
