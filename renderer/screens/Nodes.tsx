import { IconListDetails } from '@tabler/icons-react'
import { useState } from 'react'
import type { FleetView } from '../../schemas/ipc-views.ts'
import { HostKeys } from '../parts/HostKeys.tsx'
import { Importer } from '../parts/Importer.tsx'
import { NodeTable } from '../parts/NodeTable.tsx'
import { Page } from '../parts/Page.tsx'
import type { NodesPart } from '../routes.ts'
import { change, go, replace, say, useStore } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Tabs } from '../ui/Tabs.tsx'

/** The fleet: what is in scope, how more is added, and whose host keys are confirmed. */
export function Nodes({ part, edit }: { readonly part: NodesPart; readonly edit: string | null }) {
  const { fleet } = useStore()
  const [added, setAdded] = useState<ReadonlySet<string> | null>(null)
  const nodes = fleet?.nodes ?? []
  const show = (next: NodesPart): void => replace({ screen: 'nodes', part: next })
  const land = (after: FleetView, names: ReadonlySet<string>): void => {
    change({ fleet: after })
    setAdded(names)
    show('list')
    say(`${plural(names.size, 'node')} added, ${plural(after.nodes.length, 'node')} in scope now.`)
  }
  return (
    <Page
      title="Nodes"
      over={fleet === null ? 'No fleet yet' : `Fleet: ${visible(fleet.name)}`}
      under={`${plural(nodes.length, 'node')} in scope. Every declared node counts, also one that cannot be reached.`}
      actions={
        <Button icon={IconListDetails} onPress={() => go({ screen: 'preview' })}>
          What we will run
        </Button>
      }
    >
      <Tabs
        label="Parts of the fleet"
        selected={part}
        onSelect={show}
        tabs={[
          {
            id: 'list',
            title: 'In scope',
            count: nodes.length,
            content: (
              <NodeTable
                nodes={nodes}
                added={added}
                edit={edit}
                onAll={() => setAdded(null)}
                onImport={() => show('import')}
                onKeys={() => show('keys')}
              />
            ),
          },
          { id: 'import', title: 'Import', content: <Importer onAdded={land} /> },
          {
            id: 'keys',
            title: 'Host keys',
            content:
              nodes.length === 0 || fleet?.demo === true ? (
                <EmptyState title={nodes.length === 0 ? 'No nodes yet' : 'The demo fleet brings its own host keys'}>
                  {nodes.length === 0
                    ? 'Here will be each node’s host key, and who confirms it. Import nodes first.'
                    : 'No known_hosts file holds them. Importing your servers starts a fleet of your own.'}
                </EmptyState>
              ) : (
                <HostKeys key={nodes.map(({ name }) => name).join(' ')} nodes={nodes.map(({ name }) => name)} />
              ),
          },
        ]}
      />
    </Page>
  )
}
