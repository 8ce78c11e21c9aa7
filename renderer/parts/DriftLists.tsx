import type { ReactNode } from 'react'
import type { Bounded, ChangedLine, DriftView, EvidenceGroup } from '../../schemas/ipc-history.ts'
import type { HardwareChange } from '../../schemas/types.ts'
import { partMoveWords } from '../drift-model.ts'
import { plural, visible, when } from '../text.ts'
import { Disclosure } from '../ui/Disclosure.tsx'

/** Changes in evidence, rules and scope, always separate, and hardware changes; each list states when nothing changed. */
export function DriftLists({ view }: { readonly view: DriftView }) {
  const { evidence, rules, scope, moves, twice } = view
  return (
    <>
      <List
        id="drift-evidence"
        title="Evidence"
        about="Changed captures. Values that change on an unmodified host are omitted."
        list={evidence}
      >
        {evidence.rows.map((group) => (
          <Group key={group.id} group={group} />
        ))}
      </List>
      <List
        id="drift-rules"
        title="Rules"
        about="Changes in Barewitness, its probes, its checks and the threshold profile."
        list={rules}
      >
        <Lines caption="Changed rules" lines={rules.rows} />
      </List>
      <List id="drift-scope" title="Scope" about="Changes in the declared nodes and their declarations." list={scope}>
        <Lines caption="Changed declarations" lines={scope.rows} />
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
          list={twice}
        >
          <ul className="drift-nodes">
            {twice.rows.map(({ part, value, nodes, at }) => (
              <li key={`${part} ${value} ${at.run}`}>
                <strong>{visible(part)}</strong> <span className="mono source">{visible(value)}</span>
                <span className="note">
                  on {nodes.map(visible).join(', ')}, in the run of {when(at.at)}
                </span>
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

function Group({ group: { title, nodes } }: { readonly group: EvidenceGroup }) {
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

const Lines = ({ caption, lines }: { readonly caption: string; readonly lines: readonly ChangedLine[] }) => (
  <div className="scroll">
    <table>
      <caption className="said">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Item</th>
          <th scope="col">Node</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ id, title, node, before, after }) => (
          <tr key={id}>
            <th scope="row">{visible(title)}</th>
            <td>{node === null ? <span className="quiet">all</span> : visible(node)}</td>
            <td className="source">{before === null ? <span className="quiet">–</span> : visible(before)}</td>
            <td className="source">{after === null ? <span className="quiet">–</span> : visible(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Moves = ({ moves }: { readonly moves: readonly HardwareChange[] }) => (
  <div className="scroll">
    <table>
      <caption className="said">Hardware changes</caption>
      <thead>
        <tr>
          <th scope="col">Component</th>
          <th scope="col">Serial number, address or key</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {moves.map((move) => (
          <tr key={`${move.kind} ${move.part} ${move.value} ${move.from} ${move.to}`}>
            <th scope="row">{visible(move.part)}</th>
            <td className="mono source">{visible(move.value)}</td>
            <td>{partMoveWords(move)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
