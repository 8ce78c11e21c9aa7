import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { findingStatusWords, riskAreaWords } from '../../schemas/conclusion-words.ts'
import type { FindingEvidence, FindingView, ResponseView } from '../../schemas/ipc-findings.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { deviatingWords } from '../models/finding-model.ts'
import { directionWords } from '../models/ledger.ts'
import { day, plural, visible, when } from '../models/text.ts'
import { AcceptFindings } from '../parts/Acceptances.tsx'
import { Ask } from '../parts/Ask.tsx'
import { Copy } from '../parts/Copy.tsx'
import { Argument, ConcernedControls, ManagementResponse, NodeName, SeverityMark } from '../parts/FindingParts.tsx'
import { MarkedLine } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { OneResponse } from '../parts/ResponseFields.tsx'
import { useResults } from '../state/actions.ts'
import { go, replace } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Whole } from '../ui/Whole.tsx'

/** One finding: condition, criterion, effect, recommendation, and what was seen on each node. */
export function Finding({ of, reference }: { readonly of: Source; readonly reference: string }) {
  const answer = useResults('finding.get', { of, reference })
  return (
    <Ask answer={answer}>
      {(finding) =>
        finding === null ? (
          <Page title={`Finding ${reference}`}>
            <EmptyState
              title="Not among the findings of this run"
              action={<Button onPress={() => go({ screen: 'findings', of })}>Open findings</Button>}
            >
              A finding closes when a run shows no deviation any more.
            </EmptyState>
          </Page>
        ) : (
          <Shown key={finding.reference} finding={finding} />
        )
      }
    </Ask>
  )
}

/** Deviating nodes out of those tested, and the nodes that are not among them. */
function countsLine(finding: FindingView): string {
  const { refused, what, satisfiedNodes, inconclusive, notApplicableNodes, untestedNodes, firstSeen } = finding
  const noun = what === 'inventory' ? 'rows' : refused === 0 ? 'nodes tested' : 'nodes'
  return [
    `Deviating ${deviatingWords(finding, noun)}`,
    ...(satisfiedNodes === 0 ? [] : [`${satisfiedNodes} satisfied`]),
    ...(inconclusive === 0 ? [] : [`${inconclusive} inconclusive`]),
    ...(notApplicableNodes.length === 0 ? [] : [`${notApplicableNodes.length} not applicable`]),
    ...(untestedNodes.length === 0 ? [] : [`${plural(untestedNodes.length, 'node')} not tested`]),
    ...(firstSeen === null ? [] : [`first seen ${when(firstSeen)}`]),
  ].join(' · ')
}

function Shown({ finding }: { readonly finding: FindingView }) {
  const { of, reference, severity, riskArea, condition, limitations, check, responses, place, alsoCloses } = finding
  const [isAccepting, setAccepting] = useState(false)
  const current = responses.find(({ withdrawnAt }) => withdrawnAt === null) ?? null
  const step = (to: string | null): void => {
    if (to !== null) replace({ screen: 'finding', of, reference: to })
  }
  return (
    <Page
      title={visible(condition)}
      over={
        <>
          <SeverityMark severity={severity} />
          {riskAreaWords[riskArea]} · {reference}
        </>
      }
      under={countsLine(finding)}
      actions={
        <>
          <span className="quiet number">
            {place.at} of {place.all}
          </span>
          <Button
            small
            icon={IconChevronLeft}
            isDisabled={place.previous === null}
            onPress={() => step(place.previous)}
          >
            Previous
          </Button>
          <Button small icon={IconChevronRight} isDisabled={place.next === null} onPress={() => step(place.next)}>
            Next
          </Button>
          <Copy text={reference} what={`reference ${reference}`}>
            Copy reference
          </Copy>
        </>
      }
    >
      <div className="finding-columns">
        <div className="finding-main">
          <Argument finding={finding} />
          <section aria-labelledby="evidence">
            <h2 id="evidence">
              {finding.what === 'inventory' ? 'Rows of the provider inventory' : 'Evidence on each node'}
            </h2>
            {finding.evidence.map((one) => (
              <Evidence key={one.subject} finding={finding} one={one} />
            ))}
            <Further finding={finding} />
          </section>
          {limitations !== '' && (
            <p className="quiet">
              <strong>Limitations.</strong> {visible(limitations)}
            </p>
          )}
        </div>
        <aside className="finding-aside" aria-label="Response, controls and history">
          <section aria-labelledby="response">
            <h2 id="response">Management response</h2>
            {of === 'run' ? (
              <>
                <p className="note">{visible(finding.statusText)}</p>
                <OneResponse reference={reference} check={check} current={current} />
                {finding.what === 'nodes' && (
                  <Button kind="link" onPress={() => setAccepting(true)}>
                    Add risk acceptance…
                  </Button>
                )}
              </>
            ) : (
              <ManagementResponse finding={finding} />
            )}
          </section>
          <section aria-labelledby="concerned">
            <h2 id="concerned">Controls affected</h2>
            <ConcernedControls finding={finding} />
          </section>
          {alsoCloses.length > 0 && (
            <section aria-labelledby="also-closes">
              <h2 id="also-closes">Also closes</h2>
              <ul className="plain-list">
                {alsoCloses.map((one) => (
                  <li key={one.reference}>
                    <Button kind="link" onPress={() => go({ screen: 'finding', of, reference: one.reference })}>
                      <Whole text={one.condition} />
                    </Button>
                  </li>
                ))}
              </ul>
            </section>
          )}
          <History finding={finding} />
        </aside>
      </div>
      {isAccepting && (
        <AcceptFindings rows={[finding]} onDone={() => setAccepting(false)} onClose={() => setAccepting(false)} />
      )}
    </Page>
  )
}

function Evidence({ finding, one }: { readonly finding: FindingView; readonly one: FindingEvidence }) {
  const { subject, observedAt, isStale, acceptedUntil, observations, furtherObservations } = one
  return (
    <section className="node-evidence" aria-label={visible(subject)}>
      <h3>
        <NodeName finding={finding} node={subject} />
        <span className="note">
          {[
            observedAt === null ? '' : `observed ${when(observedAt)}`,
            isStale ? 'not retested since' : '',
            acceptedUntil === null ? '' : `risk accepted until ${day(acceptedUntil)}`,
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </span>
      </h3>
      <ul className="observations">
        {observations.map(({ direction, text }) => (
          <li key={`${direction} ${text}`}>
            <MarkedLine {...directionWords[direction]} />
            <span>{visible(text)}</span>
          </li>
        ))}
        {furtherObservations > 0 && (
          <li className="quiet">
            <span />
            <span>{plural(furtherObservations, 'further observation')} with the captures.</span>
          </li>
        )}
      </ul>
    </section>
  )
}

/** Names of further nodes, without their observations. */
function Further({ finding }: { readonly finding: FindingView }) {
  const { furtherNodes } = finding
  if (furtherNodes.length === 0) return null
  return (
    <>
      <h3>{plural(furtherNodes.length, 'further node')}</h3>
      <ul className="node-names">
        {furtherNodes.map((node) => (
          <li key={node}>
            <NodeName finding={finding} node={node} />
          </li>
        ))}
      </ul>
    </>
  )
}

function History({ finding: { firstSeen, lastSeen, responses } }: { readonly finding: FindingView }) {
  return (
    <section aria-labelledby="finding-history">
      <h2 id="finding-history">History</h2>
      <ul className="plain-list">
        {responses.map((one) => (
          <li key={one.id}>{responseLine(one)}</li>
        ))}
        {lastSeen !== null && lastSeen !== firstSeen && <li>{when(lastSeen)}: last seen.</li>}
        {firstSeen !== null && <li>{when(firstSeen)}: first seen.</li>}
      </ul>
    </section>
  )
}

const responseLine = ({ statedAt, statedBy, status, owner, due, isSigned, withdrawnAt }: ResponseView): string =>
  [
    `${when(statedAt)}: ${findingStatusWords[status].toLowerCase()}`,
    ...(owner === null ? [] : [`owner ${visible(owner)}`]),
    ...(due === null ? [] : [`due ${due}`]),
    `stated by ${visible(statedBy)}`,
    isSigned ? 'signed' : 'not signed',
    ...(withdrawnAt === null ? [] : [`withdrawn ${when(withdrawnAt)}`]),
  ].join(', ')
