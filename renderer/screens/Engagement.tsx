import type { EngagementView } from '../../schemas/ipc-engagement.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { useKept } from '../kept.ts'
import { Ask } from '../parts/Ask.tsx'
import { EngagementEditor } from '../parts/EngagementEditor.tsx'
import { EngagementRead } from '../parts/EngagementRead.tsx'
import { Mappings } from '../parts/Mappings.tsx'
import { Page } from '../parts/Page.tsx'
import { Population } from '../parts/Population.tsx'
import type { EngagementPart } from '../routes.ts'
import { replace, useStore } from '../store.ts'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Tabs } from '../ui/Tabs.tsx'

/** What people declare before an audit, and the nodes it covers. In a pack it is only read. */
export function Engagement({ of, part }: { readonly of: Source; readonly part: EngagementPart }) {
  const { runs, fleet } = useStore()
  // Another fleet has another engagement: nothing of the one before is kept on the screen.
  const about = `${of} ${fleet?.name ?? ''} ${fleet?.demo === true}`
  const answer = useKept(useAnswer('engagement.get', { of }, runs), about)
  return (
    <Page
      title="Engagement"
      over={of === 'pack' ? 'As stated in the pack' : 'What is declared before an audit'}
      under="Who asked for the evidence, what it is about, and whom it covers. It changes no verdict."
    >
      <Ask answer={answer}>
        {(view) => (
          <Tabs<EngagementPart>
            label="Parts of the engagement"
            selected={part}
            onSelect={(chosen) => replace({ screen: 'engagement', of, part: chosen })}
            tabs={[
              { id: 'declared', title: 'Declared', content: <Declared key={about} of={of} view={view} /> },
              { id: 'population', title: 'Population', content: <Population of={of} engagement={view} /> },
              ...(of === 'run' ? [{ id: 'frameworks' as const, title: 'Your frameworks', content: <Mappings /> }] : []),
            ]}
          />
        )}
      </Ask>
    </Page>
  )
}

function Declared({ of, view }: { readonly of: Source; readonly view: EngagementView }) {
  if (of === 'run') return <EngagementEditor first={view} />
  return view.form === null ? (
    <EmptyState title="No engagement is stated in this pack">
      So it does not say for whom the evidence was collected, nor where its list of nodes comes from.
    </EmptyState>
  ) : (
    <EngagementRead form={view.form} />
  )
}
