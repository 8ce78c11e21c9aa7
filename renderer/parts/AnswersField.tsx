import type { AssessmentView, EvidenceRequestView } from '../../schemas/ipc-results.ts'
import { verdictWords } from '../../schemas/words.ts'
import { answerable, answerableNodes, type attachLacks, type DocumentForm, mayAnswer } from '../attach-model.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Choice.tsx'

export interface AnswersFieldProps {
  readonly view: AssessmentView
  readonly request: EvidenceRequestView | null
  readonly form: DocumentForm
  readonly lacks: ReturnType<typeof attachLacks>
  readonly put: (part: Partial<DocumentForm>) => void
}

/** Alternative evidence: the results that an inspected document answers, of those that its request allows. */
export function AnswersField({ view, request, form, lacks, put }: AnswersFieldProps) {
  const some = answerable(view, request)
  if (some.length === 0 || !mayAnswer(form)) return null
  const nodes = answerableNodes(some, form.checks)
  const toggled = (values: readonly string[], value: string, on: boolean): readonly string[] =>
    on ? [...values, value] : values.filter((one) => one !== value)
  const setChecks = (checks: readonly string[]): void => {
    const left = new Set(answerableNodes(some, checks))
    put({ checks, nodes: form.nodes.filter((node) => left.has(node)) })
  }
  return (
    <>
      <Checkbox
        isSelected={form.answers}
        onChange={(answers) => put({ answers })}
        note="The observed results are unchanged. Controls count them as answered by this document."
      >
        Use as alternative evidence for check results
      </Checkbox>
      {form.answers && (
        <div className="form-pair answers">
          <fieldset>
            <legend>Checks</legend>
            {some.map(({ check, answers, nodes: found }) => (
              <Checkbox
                key={check.id}
                isSelected={form.checks.includes(check.id)}
                onChange={(on) => setChecks(toggled(form.checks, check.id, on))}
                note={`${check.id}: ${plural(found.length, 'node')}${answers === 'undecided' ? ', inconclusive or not tested results only' : ''}`}
              >
                {check.expected}
              </Checkbox>
            ))}
            {lacks.checks !== undefined && <p className="field-error">{lacks.checks}</p>}
          </fieldset>
          <fieldset>
            <legend>
              Nodes: {form.nodes.length} of {nodes.length}
            </legend>
            {nodes.length > 1 && (
              <Button small kind="quiet" onPress={() => put({ nodes })}>
                Select all nodes
              </Button>
            )}
            <div className="answers-nodes">
              {nodes.map((node) => (
                <Checkbox
                  key={node}
                  isSelected={form.nodes.includes(node)}
                  onChange={(on) => put({ nodes: toggled(form.nodes, node, on) })}
                  note={some
                    .filter(({ check }) => form.checks.includes(check.id))
                    .flatMap(({ check, nodes: found }) =>
                      found
                        .filter((one) => one.node === node)
                        .map(({ verdict }) => `${check.id}: ${verdictWords[verdict].label}`),
                    )
                    .join('; ')}
                >
                  {visible(node)}
                </Checkbox>
              ))}
            </div>
            {lacks.nodes !== undefined && <p className="field-error">{lacks.nodes}</p>}
          </fieldset>
        </div>
      )}
    </>
  )
}
