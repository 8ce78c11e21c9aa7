import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import type { AssessmentView, CatalogView, CheckView, NodeView, ProbeView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { CheckResult } from '../../schemas/types.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import { documentsIn, heldLine } from '../models/document-model.ts'
import { claimSentence, ledgerOf, weightsOf } from '../models/ledger.ts'
import { type CheckOnNode, lacksDeclaration, whatWouldChange } from '../models/model.ts'
import { day, plural, visible } from '../models/text.ts'
import { type Action, useAction, useResults } from '../state/actions.ts'
import { go, recorded } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Fact } from '../ui/Fact.tsx'
import { Acceptances, useAcceptanceForm } from './Acceptances.tsx'
import { Ask, FailureNote } from './Ask.tsx'
import { DocumentRows } from './DocumentRows.tsx'
import { FormDialog } from './FormDialog.tsx'
import { Ledger } from './Ledger.tsx'
import { MarkedLine, VerdictMark } from './Mark.tsx'
import { useEntrySigning } from './SignEntry.tsx'

interface ClaimProps {
  readonly of: Source
  readonly node: string
  readonly one: CheckOnNode
  readonly view: AssessmentView
  readonly about: NodeView
  readonly catalog: CatalogView
}

const ACCEPTABLE: readonly CheckOnNode['verdict'][] = ['not-satisfied', 'inconclusive', 'not-tested']

/** One check result: verdict, observations, limitations, recommendation, method, risk acceptances. */
export function Claim({ of, node, one, view, about, catalog }: ClaimProps) {
  const [isAccepting, setAccepting] = useState(false)
  const [allow, setAllow] = useState<string | null>(null)
  const { check, finding, verdict } = one
  const weights = weightsOf(check.property === 'isolation' ? about.assessment.isolation : null)
  const sides = ledgerOf(finding?.observations ?? [], catalog.probes, weights)
  const accepted = about.riskAcceptances.filter((exception) => exception.check === check.id)
  const at = view.checks.findIndex(({ id }) => id === check.id)
  const alike = view.rows.filter(({ verdicts }) => verdicts[at] === verdict).map((row) => row.node)
  return (
    <article className="claim" aria-label={check.expected} data-pane tabIndex={-1}>
      <header className="claim-head">
        <VerdictMark verdict={verdict} />
        <h2>{check.expected}</h2>
        <p>{claimSentence(verdict, sides)}</p>
      </header>
      {(accepted.length > 0 || (of === 'run' && ACCEPTABLE.includes(verdict))) && (
        <div className="claim-acceptance">
          <Acceptances acceptances={accepted} of={of} />
          {of === 'run' && ACCEPTABLE.includes(verdict) && !accepted.some(({ status }) => status === 'in-force') && (
            <Button small onPress={() => setAccepting(true)}>
              Add risk acceptance…
            </Button>
          )}
        </div>
      )}
      <Ledger sides={sides} of={of} node={node} onAllow={of === 'run' ? setAllow : null} />
      <dl className="claim-notes">
        <Fact term="Limitations">{check.limitations}</Fact>
        <Fact term="Recommendation">
          <p>{whatWouldChange(one)}</p>
          {verdict === 'not-satisfied' && <FindingLink of={of} node={node} check={check.id} />}
          {of === 'run' && lacksDeclaration(one) && (
            <Button kind="link" onPress={() => go({ screen: 'declarations' })}>
              Open declarations
            </Button>
          )}
        </Fact>
        <Fact term="Related evidence">
          <UsualDocuments view={view} check={check.id} of={of} />
        </Fact>
        <Fact term="Method">
          <p>
            Check <span className="mono">{check.id}</span> · catalog {view.catalog.version} · digest{' '}
            <span className="mono source">{view.catalog.digest}</span> · rules engine {view.engine}
          </p>
          {about.assessment.synthetic !== null && <p>{visible(about.assessment.synthetic)}</p>}
          <Recheck of={of} run={view.run} node={node} check={check.id} finding={finding} />
        </Fact>
      </dl>
      {isAccepting && (
        <AcceptResult check={check} node={node} verdict={verdict} alike={alike} onClose={() => setAccepting(false)} />
      )}
      {allow !== null && (
        <AllowDialog
          node={node}
          probe={catalog.probes.find(({ id }) => id === allow) ?? null}
          onClose={() => setAllow(null)}
        />
      )}
    </article>
  )
}

/** The finding of a deviation, which states the steps of its remedy; nothing where the result belongs to none. */
function FindingLink({ of, node, check }: { readonly of: Source; readonly node: string; readonly check: string }) {
  const answer = useResults('findings.get', { of, node })
  const found = answer.state === 'here' ? answer.value?.rows.find((row) => row.check === check) : undefined
  if (found === undefined) return null
  const { reference } = found
  return (
    <p className="claim-finding">
      Steps:{' '}
      <Button kind="link" onPress={() => go({ screen: 'finding', of, reference })}>
        Finding {reference}
      </Button>
    </p>
  )
}

/** How to allow a privileged probe on a node. */
function AllowDialog({
  node,
  probe,
  onClose,
}: {
  readonly node: string
  readonly probe: ProbeView | null
  readonly onClose: () => void
}) {
  const [saved, setSaved] = useState<string | null>(null)
  const save = useAction('run.sudoers-save')
  const write = async (): Promise<void> => {
    const written = await save.run({ node })
    if (written !== null) setSaved(written.file)
  }
  return (
    <Dialog
      title="Allow this privileged probe"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" onPress={() => go({ screen: 'preview' })}>
            Preview commands
          </Button>
          <Button onPress={() => go({ screen: 'nodes', edit: node })}>Edit {node}</Button>
        </>
      }
    >
      {probe !== null && (
        <p>
          <strong>{probe.title}.</strong> {probe.why}
        </p>
      )}
      <ol className="steps">
        <li>
          Save the sudoers file of {node}. It allows only the privileged commands of the collection.
          <div className="actions">
            <Button small icon={IconDownload} busy={save.busy} onPress={() => void write()}>
              Save sudoers file…
            </Button>
            {saved !== null && <span role="status">{visible(saved)} saved.</span>}
          </div>
          {save.error !== null && <FailureNote error={save.error} />}
        </li>
        <li>The owner of the server reviews the file and installs it on {node}.</li>
        <li>Turn on privileged checks for {node}, then collect the missing evidence.</li>
      </ol>
      <p className="quiet">Until then, the evidence counts as missing.</p>
    </Dialog>
  )
}

interface UsualDocumentsProps {
  readonly view: AssessmentView
  readonly check: string
  readonly of: Source
}

/** Evidence requests of all controls that the check is mapped to, each once. */
function UsualDocuments({ view, check, of }: UsualDocumentsProps) {
  const register = useResults('register.get', { of })
  const listed = documentsIn(
    view.frameworks.map((frame) => ({
      ...frame,
      controls: frame.controls.filter(({ mappings }) => mappings.some((one) => one.check === check)),
    })),
  )
  if (listed.length === 0) return <p className="quiet">No mapped control requires a document.</p>
  return (
    <Ask answer={register}>
      {(loaded) => (
        <Disclosure title="Documents required in addition" aside={heldLine(listed.map(({ document }) => document))}>
          <DocumentRows of={of} view={view} register={loaded} entries={listed} />
        </Disclosure>
      )}
    </Ask>
  )
}

interface RecheckProps {
  readonly of: Source
  readonly run: string
  readonly node: string
  readonly check: string
  readonly finding: CheckResult | null
}

type Comparison = { readonly same: boolean; readonly words: string } | null

/** Re-evaluates a result from the stored evidence, and shows whether it is identical. */
function Recheck({ of, run, node, check, finding }: RecheckProps) {
  const open = useAction('runs.open')
  const pack = useAction('pack.re-evaluate')
  const get = useAction('node.get')
  const [comparison, setComparison] = useState<Comparison>(null)
  const ask = async (): Promise<void> => {
    setComparison(null)
    setComparison(
      of === 'pack' ? await inPack(pack, node, check) : await inRun(open, get, { run, node, check, finding }),
    )
  }
  const error = open.error ?? pack.error ?? get.error
  return (
    <div className="recheck">
      <Button small busy={open.busy || pack.busy || get.busy} onPress={() => void ask()}>
        Re-evaluate from stored evidence
      </Button>
      <p role="status">
        {comparison !== null && (
          <MarkedLine
            mark={comparison.same ? 'ring-tick' : 'square-cross'}
            tone={comparison.same ? 'satisfied' : 'not-satisfied'}
            label={comparison.words}
          />
        )}
      </p>
      {error !== null && <FailureNote error={error} />}
    </div>
  )
}

const wordOf = (verdict: Verdict | null): string => (verdict === null ? 'no result' : verdictWords[verdict].label)
const IDENTICAL = { same: true, words: 'Identical: same verdict, same observations.' } as const

async function inRun(
  open: Action<'runs.open'>,
  get: Action<'node.get'>,
  { run, node, check, finding }: Pick<RecheckProps, 'run' | 'node' | 'check' | 'finding'>,
): Promise<Comparison> {
  if ((await open.run({ run })) === null) return null
  const again = await get.run({ of: 'run', node })
  if (again === null) return null
  const found = again.assessment.results.find((one) => one.check === check) ?? null
  if (JSON.stringify(found) === JSON.stringify(finding)) return IDENTICAL
  const word = (one: CheckResult | null): string => wordOf(one?.verdict ?? 'not-tested')
  return {
    same: false,
    words:
      word(found) === word(finding)
        ? 'Different: same verdict, other observations.'
        : `Different: previously ${word(finding)}, now ${word(found)}.`,
  }
}

async function inPack(pack: Action<'pack.re-evaluate'>, node: string, check: string): Promise<Comparison> {
  const again = await pack.run(null)
  if (again === null) return null
  const other = again.report.differences.find((one) => one.node === node && one.check === check)
  return other === undefined
    ? IDENTICAL
    : { same: false, words: `Different: stated ${wordOf(other.stated)}, re-evaluated ${wordOf(other.derived)}.` }
}

interface AcceptResultProps {
  readonly check: CheckView
  readonly node: string
  readonly verdict: Verdict
  /** Every declared node with the same verdict for this check, including this one. */
  readonly alike: readonly string[]
  readonly onClose: () => void
}

/** Accepts the risk of one result, whatever its verdict, or requests its acceptance. The verdict does not change. */
function AcceptResult({ check, node, verdict, alike, onClose }: AcceptResultProps) {
  const accept = useAction('acceptances.accept')
  const request = useAction('acceptances.request')
  const [approval, setApproval] = useState<'given' | 'asked'>('given')
  const [scope, setScope] = useState<'node' | 'alike'>('node')
  const isGiven = approval === 'given'
  const { texts, until, submit, reasons, people } = useAcceptanceForm(isGiven)
  const signing = useEntrySigning(isGiven ? ['approver', 'requester'] : ['requester'])
  const nodes = scope === 'node' ? [node] : alike
  const send = async (): Promise<void> => {
    if (!submit()) return
    const { approvedBy, approverRole, ...asked } = texts
    const terms = { check: check.id, nodes, until, ...asked }
    const done = isGiven ? await accept.run({ ...terms, approvedBy, approverRole }) : await request.run(terms)
    if (done === null) return
    const entries = isGiven ? done.riskAcceptances : done.acceptanceRequests
    await signing.signRecorded(entries.at(-1)?.id)
    const what = isGiven ? 'Risk acceptance' : 'Acceptance request'
    recorded(`${what} recorded on ${plural(nodes.length, 'node')} until ${day(until)}.`)
    onClose()
  }
  return (
    <FormDialog
      title="Add risk acceptance"
      size="large"
      verb={isGiven ? 'Add risk acceptance' : 'Submit request'}
      action={{ busy: accept.busy || request.busy, error: accept.error ?? request.error }}
      onSubmit={send}
      onClose={onClose}
    >
      <p>
        {check.expected} <span className="note mono">{check.id}</span>
      </p>
      <p className="preview-line">
        {isGiven
          ? `The verdict remains “${verdictWords[verdict].label}”, marked as risk accepted.`
          : `The verdict remains “${verdictWords[verdict].label}”. A request has no effect until approved.`}
      </p>
      {reasons}
      <RadioGroup
        label="Approval"
        value={approval}
        onChange={setApproval}
        inline
        options={[
          { id: 'given', title: 'Already approved' },
          { id: 'asked', title: 'Request approval' },
        ]}
      />
      {people}
      {alike.length > 1 && (
        <RadioGroup
          label="Nodes"
          value={scope}
          onChange={setScope}
          options={[
            { id: 'node', title: `Only ${node}` },
            {
              id: 'alike',
              title: `All ${alike.length} nodes with the verdict “${verdictWords[verdict].label}” for this check`,
              note: alike.join(', '),
            },
          ]}
        />
      )}
      {signing.choice}
    </FormDialog>
  )
}
