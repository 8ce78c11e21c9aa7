import type { CountedRows, DeviationCount, HomeResults, NotSeenLine } from '../../schemas/ipc-findings.ts'
import { collect } from '../actions.ts'
import { routeOf } from '../finding-model.ts'
import { go } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'

/** Where deviations are, what is in order, and what was not seen. */
export function HomeAside({ results }: { readonly results: HomeResults }) {
  const { byNode, inOrder, notSeen, deviations } = results
  const most = Math.max(...byNode.map(({ count }) => count), 1)
  return (
    <aside className="home-aside" aria-label="Where, in order, not seen">
      {byNode.length > 0 && (
        <section aria-labelledby="by-node">
          <h2 id="by-node">{plural(deviations, 'deviation')} by node</h2>
          <ul className="bars">
            {byNode.map((one) => (
              <Bar key={one.name} one={one} most={most} />
            ))}
          </ul>
        </section>
      )}
      {inOrder.length > 0 && (
        <section aria-labelledby="in-order">
          <h2 id="in-order">In order</h2>
          <ul className="plain-list">
            {inOrder.map(({ text, part, whole, counts }) => (
              <li key={text}>
                {text}:{' '}
                <Button kind="link" small onPress={() => go(routeOf(counts, 'run'))}>
                  {part} of {whole}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="not-seen">
        <h2 id="not-seen">Not seen</h2>
        <ul className="plain-list">
          {notSeen.map((line) => (
            <li key={line.text}>
              {visible(line.text)}. <Remedy line={line} />
            </li>
          ))}
        </ul>
      </section>
    </aside>
  )
}

const OPENS: Readonly<Record<DeviationCount['of'], (name: string) => CountedRows>> = {
  node: (name) => ({ rows: 'findings', severity: null, owner: null, node: name }),
  'other-nodes': () => ({ rows: 'nodes', state: 'all' }),
  inventory: () => ({ rows: 'population' }),
}

function Bar({ one: { of, name, count }, most }: { readonly one: DeviationCount; readonly most: number }) {
  return (
    <li className="bar-line">
      <span className="bar-name" title={name}>
        {visible(name)}
      </span>
      <span className="bar-track" aria-hidden="true">
        <span className="bar" style={{ inlineSize: `${(100 * count) / most}%` }} />
      </span>
      <Button
        kind="link"
        small
        label={`${plural(count, 'deviation')} on ${visible(name)}`}
        onPress={() => go(routeOf(OPENS[of](name), 'run'))}
      >
        {count}
      </Button>
    </li>
  )
}

const REMEDIES = {
  'collect-again': ['Try again', (node: string) => void collect('missing', [node])],
  'compare-host-key': ['Compare host key', () => go({ screen: 'nodes', part: 'keys' })],
  'edit-node': ['Set up sudo', (node: string) => go({ screen: 'nodes', edit: node })],
} as const

function Remedy({ line: { action, node } }: { readonly line: NotSeenLine }) {
  if (action === null || node === null) return null
  const [words, act] = REMEDIES[action]
  return (
    <Button kind="link" small label={`${words}: ${visible(node)}`} onPress={() => act(node)}>
      {words}
    </Button>
  )
}
