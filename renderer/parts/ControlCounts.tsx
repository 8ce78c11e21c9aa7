import { documentStateWords, serverStateWords } from '../../schemas/conclusion-words.ts'
import type { FrameworkView } from '../../schemas/ipc-results.ts'
import { SERVER_TONE } from '../models/control-tree.ts'
import { visible } from '../models/text.ts'
import { MarkedLine } from './Mark.tsx'

/** Controls of each framework by server part and document part, as the report counts them. Frameworks are never added up. */
export function ControlCounts({ frameworks }: { readonly frameworks: readonly FrameworkView[] }) {
  const counted = frameworks.filter(({ parts }) => parts.lines.length > 0)
  if (counted.length === 0) return null
  return (
    <section aria-labelledby="control-counts">
      <h2 id="control-counts">Controls by server part and document part</h2>
      {counted.map((framework) => (
        <Counts key={framework.id} framework={framework} />
      ))}
    </section>
  )
}

function Counts({ framework: { title, proposed, parts } }: { readonly framework: FrameworkView }) {
  return (
    <div className="scroll">
      <table className="claims">
        <caption>
          {visible(title)}
          {proposed && ' (proposed, not in effect)'}
        </caption>
        <thead>
          <tr>
            <th scope="col">Server part</th>
            {parts.documents.map((state) => (
              <th key={state} scope="col">
                {documentStateWords[state].label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {parts.lines.map(({ server, counts }) => (
            <tr key={server}>
              <th scope="row">
                <MarkedLine
                  mark={serverStateWords[server].mark}
                  tone={SERVER_TONE[server]}
                  label={serverStateWords[server].label}
                />
              </th>
              {parts.documents.map((state, place) => (
                <td key={state}>{counts[place]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
