import { severityWords } from '../../schemas/conclusion-words.ts'
import type { ReviewFinding } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { useAnswer } from '../bridge.ts'
import { go } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { propertyOf } from '../worksheet-model.ts'
import { Ask } from './Ask.tsx'
import { ManagementResponse } from './ManagementResponse.tsx'
import { Page } from './Page.tsx'

/** The findings of the pack, the most severe first, with management’s responses and the deviating nodes. */
export function ReviewFindings({ view }: { readonly view: AssessmentView | null }) {
  const findings = useAnswer('review.findings', null)
  return (
    <Page
      title="Findings"
      under="Checks that are not satisfied, the most severe first. Management responses change no verdict."
    >
      <Ask answer={findings}>
        {(all) =>
          all.length === 0 || view === null ? (
            <p className="empty">The pack has no finding.</p>
          ) : (
            <>
              <p role="status">{countLine(all)}</p>
              <div className="scroll">
                <table className="review-findings">
                  <thead>
                    <tr>
                      <th scope="col">Severity</th>
                      <th scope="col">Finding</th>
                      <th scope="col">Deviating</th>
                      <th scope="col">Management response</th>
                    </tr>
                  </thead>
                  <tbody>
                    {all.map((finding) => (
                      <Row key={finding.reference} finding={finding} view={view} />
                    ))}
                  </tbody>
                </table>
              </div>
            </>
          )
        }
      </Ask>
    </Page>
  )
}

const countLine = (findings: readonly ReviewFinding[]): string => {
  const answered = findings.filter(({ response }) => response !== null).length
  const signed = findings.filter(({ response }) => response?.isSigned === true).length
  return `${plural(findings.length, 'finding')}; ${answered} with a management response, ${signed} digitally signed.`
}

const MOST_NODES = 6

function Row({ finding, view }: { readonly finding: ReviewFinding; readonly view: AssessmentView }) {
  const { reference, check, title, severity, subjects, tested, controls } = finding
  const property = propertyOf(view, check)
  const shown = subjects.slice(0, MOST_NODES)
  return (
    <tr>
      <td>{severityWords[severity]}</td>
      <th scope="row" className="source">
        {visible(title)}
        <span className="note">
          {reference} · {check}
          {controls.length > 0 && ` · ${controls.join(', ')}`}
        </span>
      </th>
      <td>
        {subjects.length} of {tested}
        <span className="acceptance-nodes note">
          {shown.map((subject) =>
            property === null ? (
              <span key={subject}>{visible(subject)}</span>
            ) : (
              <Button
                key={subject}
                kind="link"
                small
                label={`${visible(subject)}: evidence of ${reference}`}
                onPress={() => go({ screen: 'why', of: 'pack', node: subject, property, check })}
              >
                {visible(subject)}
              </Button>
            ),
          )}
          {subjects.length > MOST_NODES && `and ${subjects.length - MOST_NODES} more`}
        </span>
      </td>
      <td>
        <ManagementResponse finding={finding} />
      </td>
    </tr>
  )
}
