import type { EngagementView } from '../../schemas/ipc-engagement.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer, useKept } from '../bridge.ts'
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

/** The engagement and its population; read-only in a pack. */
export function Engagement({ of, part }: { readonly of: Source; readonly part: EngagementPart }) {
  const { runs, fleet } = useStore()
  // Another fleet has another engagement: nothing of the previous one is kept on the screen.
  const about = `${of} ${fleet?.name ?? ''} ${fleet?.demo === true}`
  const answer = useKept(useAnswer('engagement.get', { of }, runs), about)
  return (
    <Page
      title="Engagement"
      over={of === 'pack' ? 'As stated in the pack' : 'Scope and terms of one audit'}
      under="Entity, purpose, boundary, responsibilities and population. It changes no verdict."
    >
      <Ask answer={answer}>
        {(view) => (
          <Tabs<EngagementPart>
            label="Engagement sections"
            selected={part}
            onSelect={(chosen) => replace({ screen: 'engagement', of, part: chosen })}
            tabs={[
              { id: 'declared', title: 'Declared', content: <Declared key={about} of={of} view={view} /> },
              { id: 'population', title: 'Population', content: <Population of={of} engagement={view} /> },
              ...(of === 'run'
                ? [{ id: 'frameworks' as const, title: 'Custom frameworks', content: <Mappings /> }]
                : []),
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
    <EmptyState title="No engagement in this pack">
      The pack does not state the entity, the purpose or the source of its population.
    </EmptyState>
  ) : (
    <EngagementRead form={view.form} />
  )
}
