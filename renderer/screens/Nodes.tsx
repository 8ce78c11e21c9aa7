import { IconListDetails } from '@tabler/icons-react'
import { useState } from 'react'
import type { FleetView } from '../../schemas/ipc-views.ts'
import { HostKeys } from '../parts/HostKeys.tsx'
import { Importer } from '../parts/Importer.tsx'
import { NodeTable } from '../parts/NodeTable.tsx'
import { Page } from '../parts/Page.tsx'
import type { NodesPart } from '../routes.ts'
import { announce, change, go, replace, useStore } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Tabs } from '../ui/Tabs.tsx'

/** The fleet: nodes in scope, import, and host keys. */
export function Nodes({ part, edit }: { readonly part: NodesPart; readonly edit: string | null }) {
  const { fleet } = useStore()
  const [added, setAdded] = useState<ReadonlySet<string> | null>(null)
  const nodes = fleet?.nodes ?? []
  const show = (next: NodesPart): void => replace({ screen: 'nodes', part: next })
  const land = (after: FleetView, names: ReadonlySet<string>): void => {
    change({ fleet: after })
    setAdded(names)
    show('list')
    announce(`${plural(names.size, 'node')} added; ${plural(after.nodes.length, 'node')} in scope.`)
  }
  return (
    <Page
      title="Nodes"
      over={fleet === null ? 'No fleet yet' : `Fleet: ${visible(fleet.name)}`}
      under={`${plural(nodes.length, 'node')} in scope. Every declared node is counted, including unreachable nodes.`}
      actions={
        <Button icon={IconListDetails} onPress={() => go({ screen: 'preview' })}>
          Preview commands
        </Button>
      }
    >
      <Tabs
        label="Fleet sections"
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
                <EmptyState title={nodes.length === 0 ? 'No nodes yet' : 'The demo fleet includes its host keys'}>
                  {nodes.length === 0
                    ? 'Import nodes to verify their host keys.'
                    : 'Its host keys are not in a known_hosts file. Import your servers to start your own fleet.'}
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
