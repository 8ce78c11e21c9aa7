import { type ReactNode, useState } from 'react'
import type {
  Bounded,
  CaptureLine,
  ChangedLine,
  DriftView,
  EvidenceGroup,
  FlipGroup,
  FlipLine,
} from '../../schemas/ipc-history.ts'
import type { HardwareChange } from '../../schemas/types.ts'
import type { Verdict } from '../../schemas/words.ts'
import { captureLine, flipSteps, partMoveWords, partsTwice } from '../models/drift-model.ts'
import { plural, visible, when } from '../models/text.ts'
import { useAnswer } from '../state/bridge.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Slowly } from './Ask.tsx'
import { VerdictMark } from './Mark.tsx'
import { SortedTable, textColumn, type WholeColumn, WholeTable } from './WholeTable.tsx'

/** Nodes that one of the runs did not collect: one line each, instead of one per verdict. */
export function NotCompared({ view: { uncollected } }: { readonly view: DriftView }) {
  if (uncollected.total === 0) return null
  return (
    <section aria-labelledby="drift-uncollected" className="drift-list">
      <h2 id="drift-uncollected">
        Not compared <span className="drift-count number">{uncollected.total}</span>
      </h2>
      <p className="quiet">Nodes that one of the two runs did not collect, or collected partially.</p>
      <ul className="drift-nodes">
        {uncollected.rows.map(({ node, sentence }) => (
          <li key={node}>{visible(sentence)}</li>
        ))}
      </ul>
      {uncollected.rows.length < uncollected.total && (
        <p className="quiet">
          The first {uncollected.rows.length} of {uncollected.total} are shown.
        </p>
      )}
    </section>
  )
}

/** Changed results, each with its cause down to the changed lines. */
export function Flips({ view }: { readonly view: DriftView }) {
  const { flips, before, after } = view
  return (
    <section aria-labelledby="drift-flips" className="drift-list">
      <h2 id="drift-flips">
        Changed results <span className="drift-count number">{flips.results}</span>
      </h2>
      {flips.total === 0 ? (
        <p className="drift-none">No changed results.</p>
      ) : (
        <ul className="flips">
          {flips.rows.map((group) => (
            <Group key={group.id} group={group} before={before.run} after={after.run} />
          ))}
        </ul>
      )}
      {flips.rows.length < flips.total && (
        <p className="quiet">
          The first {flips.rows.length} of {flips.total} causes are shown.
        </p>
      )}
    </section>
  )
}

const VerdictWord = ({ verdict }: { readonly verdict: Verdict | null }) =>
  verdict === null ? <span className="quiet">No such check</span> : <VerdictMark verdict={verdict} />

interface GroupProps {
  readonly group: FlipGroup
  readonly before: string
  readonly after: string
}

function Group({ group, before, after }: GroupProps) {
  const { check, expected, sentence, finding, nodes } = group
  return (
    <li className="flip">
      <p className="flip-head">
        <strong>{visible(expected)}</strong>
        <span className="note mono">{visible(check)}</span>
      </p>
      <p className="flip-verdicts">
        <VerdictWord verdict={group.before} />
        <span aria-hidden="true">→</span>
        <span className="said">then</span>
        <VerdictWord verdict={group.after} />
        <span>on {plural(nodes.total, 'node')}</span>
      </p>
      <p>{visible(sentence)}</p>
      {finding !== null && <OpenFinding reference={finding} check={check} />}
      <div className="flip-nodes">
        {nodes.rows.map((node) => (
          <OnNode key={node} node={node} group={group} before={before} after={after} />
        ))}
      </div>
      {nodes.rows.length < nodes.total && (
        <p className="quiet">And {plural(nodes.total - nodes.rows.length, 'node')} more.</p>
      )}
    </li>
  )
}

function OnNode({ node, group, before, after }: GroupProps & { readonly node: string }) {
  const [open, setOpen] = useState(false)
  return (
    <Disclosure
      className="flip-node"
      title={
        <>
          {visible(node)}
          <span className="said">, cause of {visible(group.check)}</span>
        </>
      }
      aside="Show cause"
      isOpen={open}
      onToggle={setOpen}
    >
      {open && <Detail flip={{ ...group, node }} before={before} after={after} />}
    </Disclosure>
  )
}

const OpenFinding = ({ reference, check }: { readonly reference: string; readonly check: string }) => (
  <p>
    <Button
      kind="link"
      label={`Open finding ${reference}, ${visible(check)}`}
      onPress={() => go({ screen: 'finding', of: 'run', reference })}
    >
      Open finding {reference}
    </Button>
  </p>
)

function Detail({
  flip: { node, check, sentence },
  before,
  after,
}: {
  readonly flip: Pick<FlipLine, 'node' | 'check' | 'sentence'>
  readonly before: string
  readonly after: string
}) {
  const answer = useAnswer('history.flip', { before, after, node, check })
  return (
    <Slowly answer={answer} does="Re-evaluating both recordings">
      {(detail) => (
        <>
          {detail.flip.sentence !== sentence && <p>{visible(detail.flip.sentence)}</p>}
          <ol className="flip-steps">
            {flipSteps(detail).map(({ title, verdict, turns }) => (
              <li key={title}>
                {title}: {turns ? <strong>{verdict}</strong> : verdict}
                {turns && <span className="quiet"> (this step changes the result)</span>}
              </li>
            ))}
          </ol>
          {detail.captures.length === 0 ? (
            <p className="quiet">No capture used by this check differs.</p>
          ) : (
            detail.captures.map((capture) => (
              <Capture key={`${capture.probe} ${capture.command} ${capture.stream}`} capture={capture} />
            ))
          )}
        </>
      )}
    </Slowly>
  )
}

/** Lines begin with a sign, so that they differ not only by color. */
function Capture({ capture }: { readonly capture: CaptureLine }) {
  const { title, probe, command, stream, removed, added, before, after } = capture
  return (
    <div className="flip-capture">
      <p>
        <strong>{visible(title)}</strong> <span className="mono">{visible(`${probe}/${command}, ${stream}`)}</span>
      </p>
      <p className="quiet">{captureLine(capture)}</p>
      {removed.length + added.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: lines wider than the window are scrolled with the arrow keys
        <section className="flip-lines mono" tabIndex={0} aria-label={`Changed lines in ${visible(title)}`}>
          {removed.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be equal, and none moves
            <p key={`gone ${index}`} className="gone">
              <span className="said">removed: </span>
              <span aria-hidden="true">− </span>
              {visible(line)}
            </p>
          ))}
          {added.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be equal, and none moves
            <p key={`new ${index}`} className="new">
              <span className="said">added: </span>
              <span aria-hidden="true">+ </span>
              {visible(line)}
            </p>
          ))}
        </section>
      )}
      <p className="note mono fingerprint">
        {before ?? plural(0, 'byte')} → {after ?? plural(0, 'byte')}
      </p>
    </div>
  )
}

/**
 * Changes in evidence, rules and scope, always separately, and hardware changes. Each list states if nothing changed.
 */
export function DriftLists({ view }: { readonly view: DriftView }) {
  const { evidence, rules, scope, moves, twice } = view
  const parts = partsTwice(twice)
  return (
    <>
      <List
        id="drift-evidence"
        title="Evidence"
        about="Changed captures. Values that change on an unmodified node are omitted."
        list={evidence}
      >
        {evidence.rows.map((group) => (
          <DriftGroup key={group.id} group={group} />
        ))}
      </List>
      <List
        id="drift-rules"
        title="Rules"
        about="Changes in Barewitness, its probes, its checks and the threshold profile."
        list={rules}
      >
        <Lines table="changed-rules" caption="Changed rules" lines={rules.rows} />
      </List>
      <List id="drift-scope" title="Scope" about="Changes in the declared nodes and their declarations." list={scope}>
        <Lines table="changed-declarations" caption="Changed declarations" lines={scope.rows} />
      </List>
      <List
        id="drift-moves"
        title="Hardware changes"
        about="Components identified by serial number or fixed address, and host keys."
        list={moves}
        none="No hardware changes"
      >
        <Moves moves={moves.rows} />
      </List>
      {twice.total > 0 && (
        <List
          id="drift-twice"
          title="Duplicate serial numbers"
          about="A component cannot be in two nodes: the serial number was copied, or one node answers for another."
          list={parts}
        >
          <ul className="drift-nodes">
            {parts.rows.map(({ part, value, runs }) => (
              <li key={`${part} ${value}`}>
                <strong>{visible(part)}</strong> <span className="mono source">{visible(value)}</span>
                {runs.map(({ nodes, at }) => (
                  <span key={at.run} className="note">
                    on {nodes.map(visible).join(', ')}, in the run of {when(at.at)}
                  </span>
                ))}
              </li>
            ))}
          </ul>
        </List>
      )}
    </>
  )
}

function List<T>({
  id,
  title,
  about,
  list,
  none = 'Nothing changed',
  children,
}: {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly list: Bounded<T>
  readonly none?: string
  readonly children: ReactNode
}) {
  return (
    <section aria-labelledby={id} className="drift-list">
      <h2 id={id}>
        {title} <span className="drift-count number">{list.total}</span>
      </h2>
      <p className="quiet">{about}</p>
      {list.total === 0 ? <p className="drift-none">{none}.</p> : children}
      {list.rows.length < list.total && (
        <p className="quiet">
          The first {list.rows.length} of {list.total} are shown.
        </p>
      )}
    </section>
  )
}

const IS_WORDS = { changed: 'changed', lost: 'no longer captured', came: 'now captured' } as const

function DriftGroup({ group: { title, nodes } }: { readonly group: EvidenceGroup }) {
  return (
    <Disclosure title={visible(title)} aside={plural(nodes.total, 'node')} startsOpen={nodes.total <= 3}>
      <ul className="drift-nodes">
        {nodes.rows.map(({ node, is, before, after }) => (
          <li key={node}>
            <strong>{visible(node)}</strong> {IS_WORDS[is]}
            {(before !== null || after !== null) && (
              <span className="note source">
                {before === null ? 'nothing' : visible(before)} → {after === null ? 'nothing' : visible(after)}
              </span>
            )}
          </li>
        ))}
      </ul>
      {nodes.rows.length < nodes.total && (
        <p className="quiet">And {plural(nodes.total - nodes.rows.length, 'node')} more.</p>
      )}
    </Disclosure>
  )
}

const LINE_COLUMNS: readonly WholeColumn<ChangedLine>[] = [
  textColumn('item', 'Item', ({ title }) => title, { isRowHeader: true }),
  {
    id: 'node',
    title: 'Node',
    text: ({ node }) => node ?? 'all',
    cell: ({ node }) => (node === null ? <span className="quiet">all</span> : visible(node)),
  },
  {
    id: 'before',
    title: 'Before',
    cellClass: 'source',
    text: ({ before }) => before,
    cell: ({ before }) => (before === null ? <span className="quiet">–</span> : visible(before)),
  },
  {
    id: 'after',
    title: 'After',
    cellClass: 'source',
    text: ({ after }) => after,
    cell: ({ after }) => (after === null ? <span className="quiet">–</span> : visible(after)),
  },
]

interface LinesProps {
  readonly table: string
  readonly caption: string
  readonly lines: readonly ChangedLine[]
}

const Lines = ({ table, caption, lines }: LinesProps) => (
  <WholeTable
    table={table}
    caption={<span className="said">{caption}</span>}
    columns={LINE_COLUMNS}
    rows={lines}
    keyOf={({ id }) => id}
  />
)

const Moves = ({ moves }: { readonly moves: readonly HardwareChange[] }) => (
  <SortedTable<HardwareChange>
    caption={<span className="said">Hardware changes</span>}
    columns={[
      textColumn('part', 'Component', ({ part }) => part, { isRowHeader: true }),
      textColumn('value', 'Serial number, address or key', ({ value }) => value, { cellClass: 'mono source' }),
      textColumn('change', 'Change', partMoveWords),
    ]}
    rows={moves}
    keyOf={({ kind, part, value, from, to }) => `${kind} ${part} ${value} ${from} ${to}`}
  />
)
