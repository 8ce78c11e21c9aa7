import { rowStateWords } from '../../schemas/conclusion-words.ts'
import type { ExportFramework, ExportPlan, PreflightItem } from '../../schemas/ipc-packs.ts'
import type { RegisterView } from '../../schemas/ipc-register.ts'
import { deviatingWords } from '../models/finding-model.ts'
import type { Route } from '../models/routes.ts'
import {
  controlsWithDeviations,
  findingCounts,
  frameworkGroups,
  nodesLine,
  type PreflightLink,
  preflightLine,
  preflightLink,
  resultsLine,
  type StepProps,
} from '../models/seal-model.ts'
import { may } from '../models/team.ts'
import { plural, visible, when } from '../models/text.ts'
import { useAnswer } from '../state/bridge.ts'
import { changeExport, useExport } from '../state/export-store.ts'
import { go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Choice.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Whole } from '../ui/Whole.tsx'
import { Ask, Slowly } from './Ask.tsx'
import { SeverityMark } from './FindingParts.tsx'
import { ShowRun } from './RunChoice.tsx'
import { SortedTable, textColumn } from './WholeTable.tsx'

/** The selected ids after one is added or removed, in the order of the plan. */
const chosenIn = (
  all: readonly { readonly id: string }[],
  chosen: readonly string[],
  id: string,
  on: boolean,
): readonly string[] => all.map((one) => one.id).filter((one) => (one === id ? on : chosen.includes(one)))

/** Scope of the pack: nodes, frameworks, documents, risk acceptances and additional outputs. Every count opens its list. */
export function ExportScope({ plan, choices, onChange }: StepProps) {
  const register = useAnswer('register.get', { of: 'run' })
  const { usual, more } = frameworkGroups(plan)
  const tick = ({ id, title, kind }: ExportFramework) => (
    <Checkbox
      key={id}
      isSelected={choices.frameworks.includes(id)}
      onChange={(on) => onChange({ frameworks: chosenIn(plan.frameworks, choices.frameworks, id, on) })}
      {...(kind === 'own' ? { note: 'Custom framework' } : {})}
    >
      {visible(title)}
    </Checkbox>
  )
  return (
    <section aria-labelledby="scope" className="wizard-step">
      <ExportResults plan={plan} />
      <Preflight plan={plan} />
      <h2 id="scope">Scope of the pack</h2>
      <fieldset className="ticks">
        <legend>Frameworks in the report</legend>
        {usual.map(tick)}
      </fieldset>
      {more.length > 0 && (
        <Disclosure
          title="More frameworks"
          aside={`${more.filter(({ id }) => choices.frameworks.includes(id)).length} of ${more.length} selected`}
          startsOpen={more.some(({ id }) => choices.frameworks.includes(id))}
        >
          <p className="quiet">A proposed rule, and frameworks of which only related controls are listed.</p>
          <fieldset className="ticks">
            <legend>More frameworks in the report</legend>
            {more.map(tick)}
          </fieldset>
        </Disclosure>
      )}
      <fieldset className="ticks">
        <legend>Additional outputs</legend>
        {plan.also.map(({ id, title, note }) => (
          <Checkbox
            key={id}
            note={note}
            isSelected={choices.also.includes(id)}
            onChange={(on) => onChange({ also: chosenIn(plan.also, choices.also, id, on) })}
          >
            {title}
          </Checkbox>
        ))}
      </fieldset>
      <div className="ledger-list">
        <Disclosure title="Nodes with evidence" aside={nodesLine(plan)} startsOpen={plan.missing.length > 0}>
          {plan.missing.length === 0 ? (
            <p>
              Evidence was collected from every declared node: {plural(plan.captures, 'capture')}, stored unchanged.
            </p>
          ) : (
            <Missing plan={plan} />
          )}
        </Disclosure>
        <Disclosure title="Documents" aside={plural(plan.attachments, 'document')}>
          <Ask answer={register}>{(found) => <Attachments register={found} />}</Ask>
        </Disclosure>
        <Disclosure title="Risk acceptances" aside={plural(plan.acceptances, 'risk acceptance')}>
          <Ask answer={register}>{(found) => <Exceptions register={found} />}</Ask>
        </Disclosure>
      </div>
    </section>
  )
}

const Missing = ({ plan }: Pick<StepProps, 'plan'>) => (
  <SortedTable<ExportPlan['missing'][number]>
    caption="Declared nodes without evidence"
    columns={[
      textColumn('node', 'Node', ({ node }) => node, { isRowHeader: true }),
      textColumn('reason', 'Reason', ({ why }) => why),
    ]}
    rows={plan.missing}
    keyOf={({ node }) => node}
  />
)

function Attachments({ register: { documents } }: { readonly register: RegisterView }) {
  const held = documents.filter(({ status }) => status !== 'withdrawn')
  if (held.length === 0) return <p>None. Add contracts, policies and other documents from a control’s page.</p>
  return (
    <ul className="plain-list">
      {held.map(({ id, name, summary, owner, validUntil, status }) => (
        <li key={id}>
          <strong>{visible(name)}</strong> {visible(summary)}
          <span className="note">
            {visible(owner)}
            {validUntil !== null && `, ${status === 'expired' ? 'was valid' : 'valid'} until ${when(validUntil)}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Exceptions({ register: { riskAcceptances } }: { readonly register: RegisterView }) {
  const held = riskAcceptances.filter(({ status }) => status !== 'withdrawn')
  if (held.length === 0) return <p>No risk acceptances.</p>
  return (
    <ul className="plain-list">
      {held.map(({ id, check, nodes, owner, expiresAt, status }) => (
        <li key={id}>
          <span className="mono">{visible(check)}</span> on {plural(nodes.length, 'node')}
          <span className="note">
            {visible(owner)}, {status === 'expired' ? 'ended' : 'until'} {when(expiresAt)}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Open items before an export, each with a link to where it is resolved. */
function Preflight({ plan: { run, isShown } }: Pick<StepProps, 'plan'>) {
  const { runs } = useStore()
  const { identitiesMade } = useExport()
  const answer = useAnswer('export.preflight', isShown ? null : { run }, `${runs} ${identitiesMade}`)
  return (
    <section aria-labelledby="preflight" className="preflight">
      <h2 id="preflight">Before you export</h2>
      <Slowly answer={answer} does="Checking what is open">
        {(items) => <Items items={items} run={run} isShown={isShown} />}
      </Slowly>
    </section>
  )
}

interface ItemsProps extends Pick<ExportPlan, 'run' | 'isShown'> {
  readonly items: readonly PreflightItem[]
}

function Items({ items, run, isShown }: ItemsProps) {
  const mayShow = may('runs.open')
  const open = items.filter(({ state }) => state !== 'done')
  const done = items.filter(({ state }) => state === 'done')
  return (
    <>
      <p>{preflightLine(items)}</p>
      {open.length > 0 && (
        <ul className="preflight-items">
          {open.map((item) => (
            <Item key={item.id} item={item} run={run} link={preflightLink(item.id, { isShown, mayShow })} />
          ))}
        </ul>
      )}
      {open.some(({ id }) => preflightLink(id, { isShown, mayShow }) === null) && (
        <p className="quiet">
          An item without a link concerns this run; the screens of the server show the latest run to everyone.
        </p>
      )}
      {done.length > 0 && (
        <Disclosure title="Complete" aside={done.length}>
          <ul className="plain-list">
            {done.map(({ id, title }) => (
              <li key={id}>{title}</li>
            ))}
          </ul>
        </Disclosure>
      )}
    </>
  )
}

interface ItemProps {
  readonly item: PreflightItem
  readonly run: string
  readonly link: PreflightLink | null
}

function Item({ item: { state, title, text }, run, link }: ItemProps) {
  return (
    <li className="preflight-item">
      <p>
        <strong>{title}</strong>
        {state === 'blocks' && <span className="preflight-required">Required before sealing</span>}
        <span className="note">{visible(text)}</span>
      </p>
      {link !== null && <ItemLink run={run} link={link} />}
    </li>
  )
}

function ItemLink({ run, link: { title, to, showsRun } }: { readonly run: string; readonly link: PreflightLink }) {
  if (showsRun && to !== 'seal') return <ShowRun small {...{ run, to, title }} />
  return (
    <Button small onPress={() => (to === 'seal' ? changeExport({ step: to }) : go(to))}>
      {title}
    </Button>
  )
}

interface ExportResultsProps {
  readonly plan: ExportPlan
}

/** The results of the run before it is sealed. An earlier run is shown on no other screen until it is opened. */
function ExportResults({ plan }: ExportResultsProps) {
  const { results, isShown } = plan
  return (
    <section aria-labelledby="export-results" className="export-results">
      <h2 id="export-results">Results of this run</h2>
      <p>{resultsLine(plan)}</p>
      <div className="ledger-list">
        <Disclosure title="Findings" aside={findingCounts(results)} startsOpen={!isShown}>
          <Findings plan={plan} />
        </Disclosure>
        <Disclosure
          title={`Controls: ${rowStateWords.deviations.label.toLowerCase()}`}
          aside={plural(results.frameworks.length, 'framework')}
        >
          <ul className="plain-list">
            {results.frameworks.map((one) => (
              <li key={one.id}>{visible(controlsWithDeviations(one))}</li>
            ))}
          </ul>
        </Disclosure>
      </div>
      <OpenFindings plan={plan} />
    </section>
  )
}

function Findings({ plan: { results, isShown, declared, missing } }: ExportResultsProps) {
  const { findings } = results
  if (findings.length === 0)
    return <p>{missing.length === declared ? 'No node was tested.' : 'No findings on the nodes tested.'}</p>
  return (
    <SortedTable
      caption="The most severe first"
      columns={[
        { id: 'severity', title: 'Severity', cell: ({ severity }) => <SeverityMark severity={severity} /> },
        {
          id: 'condition',
          title: 'Condition found',
          isRowHeader: true,
          cell: ({ reference, condition }) => (
            <>
              {isShown ? (
                <Button kind="link" onPress={() => go({ screen: 'finding', of: 'run', reference })}>
                  <Whole text={condition} />
                </Button>
              ) : (
                <Whole text={condition} />
              )}
              <span className="note">{reference}</span>
            </>
          ),
        },
        textColumn('nodes', 'Deviating, of tested', deviatingWords, { cellClass: 'number' }),
      ]}
      rows={findings}
      keyOf={({ reference }) => reference}
    />
  )
}

/**
 * Opens the findings of the run. An earlier run first becomes the one that is shown, which is not possible where
 * everyone sees one run.
 */
function OpenFindings({ plan: { run, isShown } }: ExportResultsProps) {
  const to: Route = { screen: 'findings', of: 'run' }
  if (!isShown)
    return may('runs.open') ? <ShowRun title="Show this run and open its findings" {...{ run, to }} /> : null
  return (
    <div className="actions">
      <Button onPress={() => go(to)}>Open findings</Button>
    </div>
  )
}
