import { IconDownload, IconFolderOpen } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import type {
  DeclarationsView,
  DeclaredPart,
  FileProblem,
  FleetChange,
  FleetFilePreview,
  SavedFleet,
} from '../../schemas/ipc-declarations.ts'
import { memberLabel, valueText } from '../models/declaration-forms.ts'
import { draftsOf, draftWords, FLEET_SECTION_NAMES } from '../models/declaration-model.ts'
import type { DeclarationsPart } from '../models/routes.ts'
import { plural, visible } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { DeclaredNodes } from '../parts/DeclaredNodes.tsx'
import { Page } from '../parts/Page.tsx'
import { SectionEditor } from '../parts/SectionEditor.tsx'
import { useTable } from '../parts/TableTools.tsx'
import { useAction } from '../state/actions.ts'
import { useAnswer, useKept } from '../state/bridge.ts'
import { announce, change, go, recorded, refreshFleet, replace, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { CellLine, CellLines, type GridColumn, GridTable } from '../ui/GridTable.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { Tabs } from '../ui/Tabs.tsx'

interface DeclarationsProps {
  readonly part: DeclarationsPart
  /** Nodes that are selected first; null for none. */
  readonly nodes: readonly string[] | null
}

/** The declarations of the fleet file, of the fleet and of each node. Its list of nodes is on another screen. */
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

/** Sections with unsaved input, on any tab and for any nodes. */
function Unsaved({ view }: { readonly view: DeclarationsView }) {
  const drafts = draftsOf(view.fleet.name)
  if (drafts.length === 0) return null
  return <Notice kind="warning" title="Changes not saved yet." means={draftWords(drafts)} />
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

interface FleetFileProps {
  readonly view: DeclarationsView | null
  /** The fleet was replaced. */
  readonly onOpened: () => void
}

/** The fleet as a file: opened with a preview of what it changes, and saved for the command line. */
function FleetFile({ view, onOpened }: FleetFileProps) {
  const [preview, setPreview] = useState<FleetFilePreview | null>(null)
  const [saved, setSaved] = useState<SavedFleet | null>(null)
  const choose = useAction('fleet.open-choose')
  const accept = useAction('fleet.open-accept')
  const save = useAction('fleet.save-file')
  const open = async (): Promise<void> => {
    setSaved(null)
    const found = await choose.run(null)
    if (found === null) return
    setPreview(found)
    announce(
      found.problems.length > 0
        ? `${plural(found.problems.length, 'problem')} in ${found.file}.`
        : `${plural(found.changes.length, 'change')} in ${found.file}.`,
    )
  }
  const use = async (handle: string): Promise<void> => {
    const fleet = await accept.run({ handle })
    if (fleet === null) return
    setPreview(null)
    change({ fleet })
    recorded(`Fleet file opened: ${plural(fleet.nodes.length, 'node')} in scope.`)
    onOpened()
  }
  const write = async (): Promise<void> => {
    setPreview(null)
    setSaved(await save.run(null))
  }
  const error = choose.error ?? accept.error ?? save.error
  return (
    <>
      <div className="ways">
        <section aria-labelledby="open-fleet">
          <h2 id="open-fleet">Open a fleet file</h2>
          <p>YAML or JSON, as the command line reads it. Every change is listed before the fleet is replaced.</p>
          <Button icon={IconFolderOpen} busy={choose.busy} onPress={() => void open()}>
            Open fleet file…
          </Button>
        </section>
        <section aria-labelledby="save-fleet">
          <h2 id="save-fleet">Save the fleet file</h2>
          <p>
            Nodes and declarations. Engagement, provider profile and custom frameworks are files in a folder next to it.
            The command line reads the same fleet from it.
          </p>
          <Button
            icon={IconDownload}
            busy={save.busy}
            isDisabled={view === null || view.demo}
            onPress={() => void write()}
          >
            Save fleet file…
          </Button>
        </section>
      </div>
      {error !== null && <FailureNote error={error} />}
      {saved !== null && (
        <Notice
          title={`${visible(saved.file)} saved.`}
          {...(saved.named.length === 0
            ? {}
            : { means: `Also written, and named in it: ${saved.named.map((file) => visible(file)).join(', ')}.` })}
          {...(saved.withoutDraft
            ? { next: 'The draft of the engagement is not in use yet, and not in the file.' }
            : {})}
        />
      )}
      {preview !== null && (
        <Preview
          preview={preview}
          busy={accept.busy}
          onUse={(handle) => void use(handle)}
          onDiscard={() => setPreview(null)}
        />
      )}
    </>
  )
}

const PARTS: Readonly<Record<DeclaredPart, string>> = {
  engagement: 'engagement',
  provider: 'provider profile',
  mappings: 'custom frameworks',
}

interface PreviewProps {
  readonly preview: FleetFilePreview
  readonly busy: boolean
  readonly onUse: (handle: string) => void
  readonly onDiscard: () => void
}

function Preview({
  preview: { handle, file, name, nodes, problems, changes, includes, removes },
  busy,
  onUse,
  onDiscard,
}: PreviewProps) {
  const table = useTable('fleet-changes', CHANGE_COLUMNS, changes)
  return (
    <section aria-labelledby="fleet-preview">
      <h2 id="fleet-preview">{visible(file)}</h2>
      {handle === null ? (
        <Notice
          kind="failure"
          interrupts
          title={`${plural(problems.length, 'problem')}. The file cannot be used.`}
          means="The current fleet is unchanged."
        />
      ) : (
        <Notice
          title={`Fleet ${visible(name ?? '')}: ${plural(nodes, 'node')}, ${plural(changes.length, 'change')}.`}
          means={[
            changes.length === 0
              ? 'The file declares the current fleet.'
              : 'It replaces the current fleet; a copy is kept.',
            includes.length === 0 ? '' : `It also replaces: ${includes.map((what) => PARTS[what]).join(', ')}.`,
            removes.length === 0
              ? ''
              : `What it does not name is removed: ${removes.map((what) => PARTS[what]).join(', ')}. Copies are kept.`,
          ]
            .filter((text) => text !== '')
            .join(' ')}
        />
      )}
      <div className="actions">
        {handle !== null && (
          <Button kind="primary" busy={busy} onPress={() => onUse(handle)}>
            Replace fleet
          </Button>
        )}
        <Button onPress={onDiscard}>Discard preview</Button>
      </div>
      {problems.length > 0 && (
        <GridTable
          label="Problems"
          columns={PROBLEM_COLUMNS}
          rows={problems}
          keyOf={({ line, column, field, text }) => `${line} ${column} ${field} ${text}`}
          rowHeight={3}
          leaves={26}
          empty={null}
        />
      )}
      {changes.length > 0 && (
        <>
          <div className="table-bar">{table.tools}</div>
          <GridTable
            label="Changes"
            {...table.grid}
            keyOf={({ node, member }) => `${node ?? ''} ${member ?? ''}`}
            rowHeight={3}
            leaves={28}
            empty={null}
          />
        </>
      )}
    </section>
  )
}

const PROBLEM_COLUMNS: readonly GridColumn<FileProblem>[] = [
  {
    id: 'line',
    title: 'Line',
    width: 5,
    minWidth: 5,
    cell: ({ line }) => <span className="number">{line ?? ''}</span>,
  },
  {
    id: 'field',
    title: 'Field',
    isRowHeader: true,
    width: '1fr',
    minWidth: 9,
    cell: ({ field }) => <CellLine className="mono" text={visible(field === '' ? 'the document' : field)} />,
  },
  { id: 'text', title: 'Problem', width: '3fr', minWidth: 14, cell: ({ text }) => <CellLines text={visible(text)} /> },
]

const KINDS: Readonly<Record<FleetChange['kind'], string>> = { added: 'Added', removed: 'Removed', changed: 'Changed' }

const declarationOf = (member: FleetChange['member']): string => (member === null ? 'Node' : memberLabel(member))
const shownOf = (member: FleetChange['member'], value: string): string =>
  member === null ? value : valueText(member, value)

const CHANGE_COLUMNS: readonly GridColumn<FleetChange>[] = [
  {
    id: 'what',
    title: 'Declaration',
    isRowHeader: true,
    width: '2fr',
    minWidth: 10,
    text: ({ node, member }) => `${declarationOf(member)}, ${node ?? 'All nodes'}`,
    cell: ({ node, member }) => (
      <>
        <CellLine text={declarationOf(member)} />
        <CellLine className="node-note" text={visible(node ?? 'All nodes')} />
      </>
    ),
  },
  {
    id: 'kind',
    title: 'Change',
    width: 7,
    minWidth: 7,
    text: ({ kind }) => KINDS[kind],
    cell: ({ kind }) => <CellLine text={KINDS[kind]} />,
  },
  {
    id: 'before',
    title: 'Before',
    width: '2fr',
    minWidth: 8,
    text: ({ member, before }) => shownOf(member, before),
    cell: ({ member, before }) => <CellLines text={visible(shownOf(member, before))} />,
  },
  {
    id: 'after',
    title: 'After',
    width: '2fr',
    minWidth: 8,
    text: ({ member, after }) => shownOf(member, after),
    cell: ({ member, after }) => <CellLines text={visible(shownOf(member, after))} />,
  },
]
