import type { ReactNode } from 'react'
import { LIMITS_CONTROLS, type Severity, severityWords } from '../../schemas/conclusion-words.ts'
import type { FindingRow, FindingView, Phrase } from '../../schemas/ipc-findings.ts'
import type { RemediationVariant } from '../../schemas/types.ts'
import { closedPhrases, fixedByWords, routeOf } from '../models/finding-model.ts'
import { day, sentence, visible, when } from '../models/text.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Fact } from '../ui/Fact.tsx'
import { Copy } from './Copy.tsx'

/** Criterion, effect, cause, recommendation and severity of a finding, each as the engine states it. */
export function Argument({ finding, children }: { readonly finding: FindingView; readonly children?: ReactNode }) {
  const { criterion, effect, cause, check, recommendation, severity, severityReasons, fixedBy } = finding
  const notes = [check, criterion.source].filter((text) => text !== '').join(' · ')
  return (
    <dl className="argument">
      <Fact term="Criterion">
        {[criterion.expected, ...criterion.thresholds].map(visible).join(' ')} <span className="quiet">{notes}</span>
      </Fact>
      <Fact term="Effect">{visible(effect.join(' '))}</Fact>
      <Fact term="Cause">
        {cause === null ? (
          <span className="quiet">Not shown by the evidence; stated by management.</span>
        ) : (
          visible(cause)
        )}
      </Fact>
      {children}
      <Fact term="Recommendation">
        {sentence(visible(recommendation.title))} <span className="quiet">Fixed by: {fixedByWords[fixedBy]}.</span>
        {recommendation.variants.map((variant) => (
          <Variant key={`${variant.title} ${variant.families.join()}`} variant={variant} />
        ))}
        {recommendation.sideEffects !== '' && (
          <span className="note">Side effects: {visible(recommendation.sideEffects)}</span>
        )}
      </Fact>
      <Fact term="Severity">
        {severityWords[severity]}
        {severityReasons.length === 0 ? ', as its check is rated.' : `. ${severityReasons.map(visible).join(' ')}`}
      </Fact>
    </dl>
  )
}

/** Systems that steps are for, in the order of the work order. */
const FAMILIES: Readonly<Record<RemediationVariant['families'][number], string>> = {
  debian: 'Debian and Ubuntu',
  rhel: 'RHEL, Rocky, AlmaLinux and Fedora',
  suse: 'SLES and openSUSE',
  any: 'Any distribution',
}

/** The steps of one alternative. They are for people: the window never executes them. */
function Variant({ variant }: { readonly variant: RemediationVariant }) {
  const {
    title,
    when,
    families,
    inputs = [],
    prepare = [],
    files = [],
    commands = [],
    ask = [],
    note,
    verify,
  } = variant
  const lines = [...prepare, ...files.map(({ path, content }) => `# ${path}\n${content.trimEnd()}`), ...commands]
  return (
    <Disclosure
      level={2}
      title={visible(title)}
      aside={<span className="quiet">{families.map((family) => FAMILIES[family]).join(', ')}</span>}
    >
      {when !== undefined && <p>Where: {visible(when)}</p>}
      {inputs.length > 0 && (
        <ul className="plain-list">
          {inputs.map(({ name, is }) => (
            <li key={name}>
              <span className="mono">{name}</span>: {visible(is)}
            </li>
          ))}
        </ul>
      )}
      {lines.length > 0 && (
        <div className="remedy-lines">
          <pre className="mono">{visible(lines.join('\n'))}</pre>
          <Copy text={lines.join('\n')} what={`the steps “${title}”`} />
        </div>
      )}
      {ask.map((one) => (
        <p key={one.for}>
          Ask the {one.of}: {visible(one.for)}
        </p>
      ))}
      {note !== undefined && <p className="quiet">{visible(note)}</p>}
      <p className="quiet">
        Verify:{' '}
        {verify.command === undefined ? (
          visible(verify.inspect ?? '')
        ) : (
          <span className="mono">{visible(verify.command)}</span>
        )}
        {'. '}Expected: {visible(verify.expected)}
      </p>
    </Disclosure>
  )
}

/** The controls in scope that the check decides, and whether closing the finding settles them. */
export function ConcernedControls({ finding: { of, concerns, limits } }: { readonly finding: FindingView }) {
  if (concerns.length === 0 && limits.length === 0) return <>Decides no control in scope.</>
  if (concerns.length === 0)
    return (
      <>
        {LIMITS_CONTROLS}
        <ul className="plain-list">
          {limits.map(({ framework, key, id, title }) => (
            <li key={`${framework} ${key}`}>
              <Button kind="link" onPress={() => go({ screen: 'control', of, framework, key })}>
                {visible(id)}
              </Button>{' '}
              {visible(title)}
            </li>
          ))}
        </ul>
      </>
    )
  return (
    <ul className="plain-list">
      {concerns.map(({ framework, key, id, title, isSettled }) => (
        <li key={`${framework} ${key}`}>
          <Button kind="link" onPress={() => go({ screen: 'control', of, framework, key })}>
            {visible(id)}
          </Button>{' '}
          {sentence(visible(title))}{' '}
          <span className="quiet">
            {isSettled ? 'Closing this finding settles the server part.' : 'Other items of the server part are open.'}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** A node of a finding. It opens the result with its captures; rows of the inventory have no result. */
export function NodeName({ finding, node }: { readonly finding: FindingView; readonly node: string }) {
  const { of, property, what, check } = finding
  if (property === null || what === 'inventory') return <span className="node-name">{visible(node)}</span>
  return (
    <Button
      kind="link"
      label={`${visible(node)}: show the captures`}
      onPress={() => go({ screen: 'why', of, node, property, check })}
    >
      {visible(node)}
    </Button>
  )
}

const RUNGS: Readonly<Record<Severity, number>> = { critical: 4, high: 3, medium: 2, low: 1, info: 0 }

/**
 * Four rungs that grow to the right. Those above the severity are outlines, so that the ladder can be read without
 * color.
 */
export const Ladder = ({ severity }: { readonly severity: Severity }) => (
  <svg className={`mark ladder severity-${severity}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    {[0, 1, 2, 3].map((rung) => (
      <rect
        key={rung}
        x={0.9 + rung * 3.8}
        y={11.2 - rung * 3.2}
        width="2.7"
        height={4 + rung * 3.2}
        fill={rung < RUNGS[severity] ? 'currentColor' : 'none'}
      />
    ))}
  </svg>
)

/** A severity as ladder and word. It never uses the mark of a verdict. */
export const SeverityMark = ({ severity }: { readonly severity: Severity }) => (
  <span className={`status severity-${severity}`}>
    <Ladder severity={severity} />
    <span>{severityWords[severity]}</span>
  </span>
)

/** What management states about a finding, and whether a person signed it. A response changes no verdict. */
export function ManagementResponse({ finding: { statusText, response, isOverdue } }: { readonly finding: FindingRow }) {
  if (response === null) return <p>None recorded. Status: {visible(statusText)}.</p>
  const { statedBy, statedAt, owner, due, plan, cause, isSigned } = response
  return (
    <>
      <p>
        {visible(statusText)}. Stated by {visible(statedBy)}, {when(statedAt)},{' '}
        {isSigned ? 'digitally signed' : 'not digitally signed'}.
      </p>
      <p>
        {owner === null ? 'Owner not assigned' : `Owner: ${visible(owner)}`}
        {due !== null && `, due ${day(due)}${isOverdue ? ' (overdue)' : ''}`}.
      </p>
      {plan !== null && <p>Plan: {visible(plan)}</p>}
      {cause !== null && <p>Cause: {visible(cause)}</p>}
    </>
  )
}

/** A sentence in which every number opens the rows of the run that it counts. */
export const Phrases = ({ phrases }: { readonly phrases: readonly Phrase[] }) => (
  <>
    {closedPhrases(phrases).map(({ text, counts, closing }, at) =>
      counts === null ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one sentence have no other name
        <span key={at}>{visible(text)}</span>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <span key={at} className="closed-phrase">
          <Button kind="link" onPress={() => go(routeOf(counts, 'run'))}>
            {visible(text)}
          </Button>
          {closing}
        </span>
      ),
    )}
  </>
)
