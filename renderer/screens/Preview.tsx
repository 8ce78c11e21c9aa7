import type { CommandLine } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { Ask } from '../parts/Ask.tsx'
import { Page } from '../parts/Page.tsx'
import { plural, shellLine } from '../text.ts'

const BY: Readonly<Record<CommandLine['by'], string>> = {
  user: 'as the login account',
  root: 'with administrator rights',
  'this-computer': 'measured from this computer',
}

/** Every command of a run, with its rights and its reason: for the approval of the server's owner. */
export function Preview() {
  const answer = useAnswer('run.preview', { nodes: [] })
  return (
    <Page
      title="What we will run"
      under="These exact commands and no others. Each only reads; nothing is written on a node."
      actions={
        <button type="button" onClick={() => window.print()}>
          Print for approval
        </button>
      }
    >
      <Ask answer={answer}>
        {({ nodes, questions }) => {
          const lines = questions.flatMap((question) => question.lines)
          return (
            <>
              <p>
                {plural(questions.length, 'question')}, {plural(lines.length, 'command')},{' '}
                {lines.filter(({ by }) => by === 'root').length} of them with administrator rights, on{' '}
                {plural(nodes.length, 'node')}.
              </p>
              <div className="scroll">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Question and reason</th>
                      <th scope="col">Command</th>
                      <th scope="col">Rights</th>
                      <th scope="col">Time limit</th>
                    </tr>
                  </thead>
                  {questions.map((question) => (
                    <tbody key={question.probe}>
                      {question.lines.map((line, index) => (
                        <tr key={line.name}>
                          {index === 0 && (
                            <th scope="rowgroup" rowSpan={question.lines.length} className="question">
                              {question.title}
                              <span className="note">{question.why}</span>
                            </th>
                          )}
                          <td className="mono source">{line.argv.length === 0 ? line.name : shellLine(line.argv)}</td>
                          <td>{BY[line.by]}</td>
                          <td className="number">{line.timeoutSeconds} s</td>
                        </tr>
                      ))}
                    </tbody>
                  ))}
                </table>
              </div>
            </>
          )
        }}
      </Ask>
    </Page>
  )
}
