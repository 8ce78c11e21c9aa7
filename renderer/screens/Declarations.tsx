import { useEffect, useState } from 'react'
import type { DeclarationsView } from '../../schemas/ipc-declarations.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { formOf } from '../declaration-forms.ts'
import { draftsOf, FLEET_SECTION_NAMES } from '../declaration-model.ts'
import { Ask } from '../parts/Ask.tsx'
import { DeclaredNodes } from '../parts/DeclaredNodes.tsx'
import { FleetFile } from '../parts/FleetFile.tsx'
import { Page } from '../parts/Page.tsx'
import { SectionEditor } from '../parts/SectionEditor.tsx'
import type { DeclarationsPart } from '../routes.ts'
import { go, refreshFleet, replace, useStore } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Tabs } from '../ui/Tabs.tsx'

export interface DeclarationsProps {
  readonly part: DeclarationsPart
  /** Nodes that are selected first; null for none. */
  readonly nodes: readonly string[] | null
}

/** What the fleet file declares besides its list of nodes: of the fleet, and of each node. */
export function Declarations({ part, nodes }: DeclarationsProps) {
  const { fleet, runs } = useStore()
  const [opened, setOpened] = useState(0)
  const about = `${fleet?.name ?? ''} ${fleet?.demo === true} ${fleet?.nodes.length ?? 0}`
  const answer = useKept(useAnswer('declarations.get', null, `${about} ${runs} ${opened}`), about)
  return (
    <Page
      title="Declarations"
      over={fleet === null ? 'No fleet yet' : `Fleet: ${visible(fleet.name)}`}
      under="What the evidence is compared with. A saved section applies from the next collection."
    >
      <Ask answer={answer}>
        {(view) => (
          <Declared key={about} first={view} part={part} nodes={nodes} onOpened={() => setOpened(opened + 1)} />
        )}
      </Ask>
    </Page>
  )
}

interface DeclaredProps extends DeclarationsProps {
  readonly first: DeclarationsView | null
  readonly onOpened: () => void
}

function Declared({ first, part, nodes, onOpened }: DeclaredProps) {
  const [view, setView] = useState(first)
  const [, setDrafts] = useState(0)
  useEffect(() => setView(first), [first])
  const saved = (next: DeclarationsView): void => {
    setView(next)
    void refreshFleet()
  }
  const drafted = (): void => setDrafts((count) => count + 1)
  const none = (
    <EmptyState
      title="No nodes yet"
      action={<Button onPress={() => go({ screen: 'nodes', part: 'import' })}>Import nodes</Button>}
    >
      Import nodes, or open a fleet file. Declarations are of a fleet with at least one node.
    </EmptyState>
  )
  return (
    <>
      {view !== null && <Unsaved view={view} />}
      {view?.demo === true && (
        <Notice
          title="The demo fleet cannot be changed."
          means="Its declarations are shown as they are. Import your servers to declare your own."
        />
      )}
      <Tabs<DeclarationsPart>
        label="Declarations"
        selected={part}
        onSelect={(chosen) => replace({ screen: 'declarations', part: chosen })}
        tabs={[
          {
            id: 'fleet',
            title: 'All nodes',
            content:
              view === null ? (
                none
              ) : (
                <div className="engagement">
                  {FLEET_SECTION_NAMES.map((section) => (
                    <SectionEditor
                      key={section}
                      view={view}
                      section={section}
                      nodes={[]}
                      onSaved={saved}
                      onDraft={drafted}
                    />
                  ))}
                  <Elsewhere />
                </div>
              ),
          },
          {
            id: 'nodes',
            title: 'Single nodes',
            content:
              view === null ? none : <DeclaredNodes view={view} first={nodes} onSaved={saved} onDraft={drafted} />,
          },
          { id: 'file', title: 'Fleet file', content: <FleetFile view={view} onOpened={onOpened} /> },
        ]}
      />
    </>
  )
}

/** Sections with input that is not saved, on whichever tab and for whichever nodes. */
function Unsaved({ view }: { readonly view: DeclarationsView }) {
  const drafts = draftsOf(view.fleet.name)
  if (drafts.length === 0) return null
  return (
    <Notice
      kind="warning"
      title="Changes not saved yet."
      means={drafts
        .map(({ section, nodes }) =>
          nodes.length === 0
            ? formOf(section).title
            : `${formOf(section).title} of ${visible(nodes.length > 3 ? `${nodes.length} nodes` : nodes.join(', '))}`,
        )
        .join('; ')}
    />
  )
}

/** Declarations with a screen of their own. */
function Elsewhere() {
  return (
    <section className="elsewhere" aria-labelledby="elsewhere">
      <h2 id="elsewhere">On other screens</h2>
      <ul className="plain-list">
        <li>
          <Button kind="link" onPress={() => go({ screen: 'engagement', of: 'run' })}>
            Engagement
          </Button>
          : entity, SOC 2 categories, boundary, responsibilities, ePHI map, population.
        </li>
        <li>
          <Button kind="link" onPress={() => go({ screen: 'engagement', of: 'run', part: 'frameworks' })}>
            Custom frameworks
          </Button>
          : mappings of your own.
        </li>
        <li>
          <Button kind="link" onPress={() => go({ screen: 'claims', of: 'run' })}>
            Provider claims
          </Button>
          : profile of the provider.
        </li>
        <li>
          <Button kind="link" onPress={() => go({ screen: 'settings', part: 'time-stamping' })}>
            Time-stamping
          </Button>
          : authority for exports from this window.
        </li>
      </ul>
    </section>
  )
}
