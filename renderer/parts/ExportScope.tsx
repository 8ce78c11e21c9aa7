import type { RegisterView } from '../../schemas/ipc-packs.ts'
import { useAnswer } from '../bridge.ts'
import { nodesLine, type StepProps } from '../seal-model.ts'
import { plural, visible, when } from '../text.ts'
import { Checkbox } from '../ui/Choice.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Ask } from './Ask.tsx'

/** What goes in: which nodes, which frameworks, and what people added. Every count opens its list. */
export function ExportScope({ plan, choices, onChange }: StepProps) {
  const register = useAnswer('register.get', { of: 'run' })
  const toggle = (id: (typeof choices.frameworks)[number], on: boolean): void =>
    onChange({
      frameworks: plan.frameworks
        .map((framework) => framework.id)
        .filter((one) => (one === id ? on : choices.frameworks.includes(one))),
    })
  return (
    <section aria-labelledby="scope" className="wizard-step">
      <h2 id="scope">What goes into the pack</h2>
      <fieldset className="ticks">
        <legend>Frameworks in the report</legend>
        {plan.frameworks.map(({ id, title }) => (
          <Checkbox key={id} isSelected={choices.frameworks.includes(id)} onChange={(on) => toggle(id, on)}>
            {title}
          </Checkbox>
        ))}
      </fieldset>
      <div className="ledger-list">
        <Disclosure title="Nodes with evidence" aside={nodesLine(plan)} startsOpen={plan.missing.length > 0}>
          {plan.missing.length === 0 ? (
            <p>Every declared node gave evidence. {plural(plan.captures, 'answer')} were kept as they came.</p>
          ) : (
            <Missing plan={plan} />
          )}
        </Disclosure>
        <Disclosure title="Attachments" aside={plural(plan.attachments, 'attachment')}>
          <Ask answer={register}>{(found) => <Attachments register={found} />}</Ask>
        </Disclosure>
        <Disclosure title="Accepted exceptions" aside={plural(plan.exceptions, 'exception')}>
          <Ask answer={register}>{(found) => <Exceptions register={found} />}</Ask>
        </Disclosure>
      </div>
    </section>
  )
}

const Missing = ({ plan }: Pick<StepProps, 'plan'>) => (
  <div className="scroll">
    <table>
      <caption>Declared nodes without evidence</caption>
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {plan.missing.map(({ node, why }) => (
          <tr key={node}>
            <th scope="row">{visible(node)}</th>
            <td>{visible(why)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function Attachments({ register: { attachments } }: { readonly register: RegisterView }) {
  const held = attachments.filter(({ standing }) => standing !== 'withdrawn')
  if (held.length === 0)
    return <p>None. Records that no server can show, such as contracts and policies, can be attached to a control.</p>
  return (
    <ul className="plain-list">
      {held.map(({ id, name, shows, owner, validUntil, standing }) => (
        <li key={id}>
          <strong>{visible(name)}</strong> {visible(shows)}
          <span className="note">
            {visible(owner)}
            {validUntil !== null && `, ${standing === 'expired' ? 'was valid' : 'valid'} until ${when(validUntil)}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Exceptions({ register: { exceptions } }: { readonly register: RegisterView }) {
  const held = exceptions.filter(({ standing }) => standing !== 'withdrawn')
  if (held.length === 0) return <p>None. No finding of this fleet is accepted by anybody.</p>
  return (
    <ul className="plain-list">
      {held.map(({ id, check, nodes, owner, expiresAt, standing }) => (
        <li key={id}>
          <span className="mono">{visible(check)}</span> on {plural(nodes.length, 'node')}
          <span className="note">
            {visible(owner)}, {standing === 'expired' ? 'ended' : 'until'} {when(expiresAt)}
          </span>
        </li>
      ))}
    </ul>
  )
}
