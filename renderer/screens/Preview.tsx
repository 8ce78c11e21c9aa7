import { IconDeviceFloppy, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import type { CommandLine, QuestionView, RunPreview } from '../../schemas/ipc-views.ts'
import { plural, shellLine, visible } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { Page } from '../parts/Page.tsx'
import { useAction } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'

const BY: Readonly<Record<CommandLine['by'], string>> = {
  user: 'unprivileged',
  root: 'privileged (sudo)',
  'this-computer': 'measured from this computer',
}

type Rights = CommandLine['by'] | 'any'
const RIGHTS: readonly { readonly id: Rights; readonly title: string }[] = [
  { id: 'any', title: 'All privileges' },
  { id: 'user', title: 'Unprivileged' },
  { id: 'root', title: 'Privileged (sudo)' },
  { id: 'this-computer', title: 'Measured from this computer' },
]

/** Every command of a run with its privilege and purpose, for approval by the owner of the servers. */
export function Preview() {
  const answer = useAnswer('run.preview', { nodes: [] })
  const save = useAction('run.preview-save')
  const keep = async (): Promise<void> => {
    const saved = await save.run({ nodes: [] })
    if (saved !== null) announce(`List saved as ${visible(saved.file)}.`)
  }
  return (
    <Page
      title="Command preview"
      under="Exactly these commands run. All are read-only."
      actions={
        <>
          <Button icon={IconPrinter} onPress={() => window.print()}>
            Print list
          </Button>
          <Button icon={IconDeviceFloppy} busy={save.busy} onPress={() => void keep()}>
            Save list…
          </Button>
        </>
      }
    >
      {save.error !== null && <FailureNote error={save.error} />}
      <Ask answer={answer}>{(preview) => <Commands preview={preview} />}</Ask>
    </Page>
  )
}

const textOf = ({ argv, name }: CommandLine): string => (argv.length === 0 ? name : shellLine(argv))

function narrowed(questions: readonly QuestionView[], find: string, rights: Rights): readonly QuestionView[] {
  const asked = find.trim().toLowerCase()
  return questions.flatMap((question) => {
    const isMatch = `${question.title} ${question.why}`.toLowerCase().includes(asked)
    const lines = question.lines.filter(
      (line) => (rights === 'any' || line.by === rights) && (isMatch || textOf(line).toLowerCase().includes(asked)),
    )
    return lines.length === 0 ? [] : [{ ...question, lines }]
  })
}

function Commands({ preview: { nodes, questions } }: { readonly preview: RunPreview }) {
  const [find, setFind] = useState('')
  const [rights, setRights] = useState<Rights>('any')
  const all = questions.flatMap(({ lines }) => lines)
  // Measurements from this computer are not commands on a node, and progress counts commands.
  const measured = all.filter(({ by }) => by === 'this-computer').length
  const shown = narrowed(questions, find, rights)
  const count = shown.reduce((sum, { lines }) => sum + lines.length, 0)
  return (
    <>
      <p>
        {plural(questions.length, 'probe')} on {plural(nodes.length, 'node')}:{' '}
        {plural(all.length - measured, 'command')} each, {all.filter(({ by }) => by === 'root').length} of them
        privileged (sudo){measured === 0 ? '' : `, and ${plural(measured, 'measurement')} from this computer`}.
      </p>
      <div className="table-bar">
        <SearchField isFilter label="Find a command or purpose" value={find} onChange={setFind} />
        <Select hideLabel label="Privilege" value={rights} onChange={setRights} options={RIGHTS} />
        <span className="quiet number">
          {count === all.length ? '' : `${count} of ${plural(all.length, 'line')} shown`}
        </span>
      </div>
      {shown.length === 0 && <p className="empty">No matching commands.</p>}
      {shown.length > 0 && (
        <div className="scroll">
          <table className="commands">
            <thead>
              <tr>
                <th scope="col">Probe and purpose</th>
                <th scope="col">Command</th>
                <th scope="col">Privilege</th>
                <th scope="col">Time limit</th>
              </tr>
            </thead>
            {shown.map((question) => (
              <tbody key={question.probe}>
                {question.lines.map((line, index) => (
                  <tr key={line.name}>
                    {index === 0 && (
                      <th scope="rowgroup" rowSpan={question.lines.length} className="question">
                        {question.title}
                        <span className="note">{question.why}</span>
                        {question.leaves.map((text) => (
                          <span key={text} className="note">
                            Logged on the node: {text}
                          </span>
                        ))}
                      </th>
                    )}
                    <td className="mono source">{visible(textOf(line))}</td>
                    <td>{BY[line.by]}</td>
                    <td className="number whole">{line.timeoutSeconds} s</td>
                  </tr>
                ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
    </>
  )
}
