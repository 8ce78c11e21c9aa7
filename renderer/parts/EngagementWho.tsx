import { categoryWords } from '../../schemas/conclusion-words.ts'
import { signOffWords } from '../../schemas/engagement-words.ts'
import type { EngagementForm } from '../../schemas/ipc-engagement.ts'
import type { SignOff } from '../../schemas/types.ts'
import {
  BLANK_FLOW,
  BLANK_OUTSIDE,
  BLANK_PERSON,
  BLANK_STORE,
  ELECTIVE,
  electedIn,
  linesIn,
  linesOf,
  nodesIn,
  notIn,
  type Owned,
  withCategory,
  withOwner,
} from '../models/engagement-model.ts'
import { plural } from '../models/text.ts'
import { announce, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { bound, TextArea, TextField } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { LinesField } from './FieldForm.tsx'
import { Repeated } from './Repeated.tsx'

export interface SectionProps {
  readonly form: EngagementForm
  readonly put: (part: Partial<EngagementForm>) => void
}

/** Owner and date of a section. */
export function OwnerFields({ value, onChange }: { readonly value: Owned; readonly onChange: (part: Owned) => void }) {
  const { owner, on } = value
  return (
    <div className="form-pair">
      <TextField
        label="Owner"
        description="Responsible for this section."
        maxLength={200}
        value={owner}
        onChange={(next) => onChange({ owner: next, on })}
      />
      <DateField label="Date" value={on} onChange={(next) => onChange({ owner, on: next })} />
    </div>
  )
}

/** Entity, audience, purpose and reporting basis. */
export function WhoSection({ form, put }: SectionProps) {
  const { reportingBasis, fieldwork, distribution, owner, on } = form
  return (
    <>
      <TextField
        label="Entity"
        description="The organization under examination."
        maxLength={300}
        {...bound(form, put, 'entity')}
      />
      <TextField
        label="Audience"
        description="Readers of the report."
        maxLength={500}
        {...bound(form, put, 'audience')}
      />
      <TextArea label="Purpose" rows={2} maxLength={1000} {...bound(form, put, 'purpose')} />
      <RadioGroup
        label="Reporting basis"
        inline
        value={reportingBasis.kind}
        onChange={(kind) => {
          if (kind === reportingBasis.kind) return
          const first = reportingBasis.kind === 'date' ? reportingBasis.date : reportingBasis.from
          put({ reportingBasis: kind === 'date' ? { kind, date: first } : { kind, from: first, to: '' } })
        }}
        options={[
          { id: 'date', title: 'As of a date (Type 1)' },
          { id: 'period', title: 'Over a period (Type 2)', note: 'The planned period. One run covers one date only.' },
        ]}
      />
      {reportingBasis.kind === 'date' ? (
        <DateField
          label="As of"
          value={reportingBasis.date}
          onChange={(date) => put({ reportingBasis: { kind: 'date', date } })}
        />
      ) : (
        <div className="form-pair">
          <DateField
            label="Start date"
            value={reportingBasis.from}
            onChange={(from) => put({ reportingBasis: { ...reportingBasis, from } })}
          />
          <DateField
            label="End date"
            value={reportingBasis.to}
            onChange={(to) => put({ reportingBasis: { ...reportingBasis, to } })}
          />
        </div>
      )}
      <DateField
        label="First day of fieldwork"
        description="Optional. Overview counts the days until then. It changes no result."
        value={fieldwork ?? ''}
        onChange={(next) => put({ fieldwork: next === '' ? null : next })}
      />
      <fieldset>
        <legend>SOC 2 categories</legend>
        <Checkbox isSelected isDisabled onChange={() => undefined} note="Always in scope.">
          {categoryWords.security}
        </Checkbox>
        {ELECTIVE.map((category) => (
          <Checkbox
            key={category}
            isSelected={electedIn(form).includes(category)}
            onChange={(elected) => put({ categories: withCategory(form, category, elected) })}
          >
            {categoryWords[category]}
          </Checkbox>
        ))}
        <p className="field-note">
          Counts and evidence requests cover elected categories only. Criteria of other categories are listed as not in
          scope.
        </p>
      </fieldset>
      <RadioGroup
        label="Status"
        inline
        {...bound(form, put, 'status')}
        options={[
          { id: 'draft', title: 'Draft' },
          { id: 'final', title: 'Final' },
        ]}
      />
      <Checkbox
        isSelected={distribution !== null}
        onChange={(limited) => put({ distribution: limited ? '' : null })}
        note="Printed on the first page of the report."
      >
        Restrict distribution
      </Checkbox>
      {distribution !== null && (
        <TextField
          label="Distribution"
          maxLength={500}
          value={distribution}
          onChange={(next) => put({ distribution: next })}
        />
      )}
      <OwnerFields value={{ owner, on }} onChange={(next) => put({ ...withOwner(form, next.owner), on: next.on })} />
    </>
  )
}

/** System description, sites and exclusions. */
export function BoundarySection({ form: { boundary }, put }: SectionProps) {
  const change = (part: Partial<EngagementForm['boundary']>): void => put({ boundary: { ...boundary, ...part } })
  return (
    <>
      <TextArea
        label="System description"
        description="Purpose and components."
        maxLength={2000}
        {...bound(boundary, change, 'system')}
      />
      <div className="form-pair">
        <LinesField
          label="Services"
          description="One per line."
          {...bound(boundary, change, 'services')}
          read={linesIn}
          write={linesOf}
        />
        <LinesField
          label="Sites"
          description="One per line."
          {...bound(boundary, change, 'sites')}
          read={linesIn}
          write={linesOf}
        />
      </div>
      <h3>Exclusions</h3>
      <Repeated
        word="item"
        items={boundary.outside}
        onChange={(outside) => change({ outside })}
        blank={BLANK_OUTSIDE}
        most={100}
        none="No exclusions."
        nameOf={({ what }) => what}
      >
        {(one, set) => (
          <div className="form-pair">
            <TextField label="Item" maxLength={300} {...bound(one, set, 'what')} />
            <TextField label="Rationale" maxLength={1000} {...bound(one, set, 'why')} />
          </div>
        )}
      </Repeated>
      <OwnerFields value={boundary} onChange={change} />
    </>
  )
}

const ROLES = (Object.keys(signOffWords) as SignOff['role'][]).map((id) => ({ id, title: signOffWords[id] }))

/** Preparer, reviewer and approver. */
export function SignOffSection({ form: { signOff }, put }: SectionProps) {
  return (
    <Repeated
      word="person"
      items={signOff}
      onChange={(next) => put({ signOff: next })}
      blank={BLANK_PERSON}
      most={20}
      none="No persons yet. The report leaves space for signatures."
      nameOf={({ name }) => name}
    >
      {(one, set) => (
        <>
          <div className="form-pair">
            <TextField label="Name" maxLength={200} {...bound(one, set, 'name')} />
            <TextField label="Title" maxLength={200} {...bound(one, set, 'title')} />
          </div>
          <Select label="Role" options={ROLES} {...bound(one, set, 'role')} />
          <Checkbox isSelected={one.on !== null} onChange={(signed) => set({ on: signed ? '' : null })}>
            Already signed
          </Checkbox>
          {one.on !== null && <DateField label="Signed on" value={one.on} onChange={(on) => set({ on })} />}
        </>
      )}
    </Repeated>
  )
}

/** The declared population and its source. */
export function PopulationSection({ form: { population }, put }: SectionProps) {
  const { fleet } = useStore()
  const change = (part: Partial<EngagementForm['population']>): void => put({ population: { ...population, ...part } })
  const inFleet = fleet?.nodes.map(({ name }) => name) ?? []
  const lacking = notIn(population.nodes, inFleet)
  return (
    <>
      <TextField
        label="Source of the list"
        description="For example an asset register. An independent list is stronger evidence than the list in this window."
        maxLength={500}
        {...bound(population, change, 'source')}
      />
      <LinesField
        label="Nodes"
        description={`One per line. ${plural(population.nodes.length, 'node')} declared.`}
        rows={8}
        mono
        {...bound(population, change, 'nodes')}
        read={nodesIn}
        write={linesOf}
      />
      {lacking.length > 0 && (
        <div className="actions">
          <Button
            small
            onPress={({ target }) => {
              // The button goes with what it adds, which would lose the focus.
              target.closest('section')?.querySelector('textarea')?.focus()
              change({ nodes: [...population.nodes, ...lacking] })
              announce(`${plural(lacking.length, 'node')} added.`)
            }}
          >
            Add {plural(lacking.length, 'node')} from the fleet file
          </Button>
        </div>
      )}
      {inFleet.length > 0 && lacking.length === 0 && <p className="quiet">Every node of the fleet file is listed.</p>}
      <OwnerFields value={population} onChange={change} />
    </>
  )
}

/** ePHI locations and flows. */
export function EphiSection({ form: { ephi }, put }: SectionProps) {
  const change = (part: Partial<EngagementForm['ephi']>): void => put({ ephi: { ...ephi, ...part } })
  return (
    <>
      <h3>ePHI locations</h3>
      <Repeated
        word="store"
        items={ephi.stores}
        onChange={(stores) => change({ stores })}
        blank={BLANK_STORE}
        most={1000}
        none="None. Leave empty only if no ePHI is stored on these nodes."
        nameOf={({ name }) => name}
      >
        {(one, set) => (
          <>
            <div className="form-pair">
              <TextField label="Name" maxLength={200} {...bound(one, set, 'name')} />
              <TextField
                label="Path on the node"
                description="For example /data/ephi."
                mono
                maxLength={4096}
                {...bound(one, set, 'path')}
              />
            </div>
            <div className="form-pair">
              <TextArea label="Content" rows={2} maxLength={1000} {...bound(one, set, 'what')} />
              <LinesField
                label="Nodes"
                description="Nodes that store it, one per line."
                rows={2}
                mono
                {...bound(one, set, 'nodes')}
                read={nodesIn}
                write={linesOf}
              />
            </div>
          </>
        )}
      </Repeated>
      <h3>ePHI flows</h3>
      <Repeated
        word="flow"
        items={ephi.flows}
        onChange={(flows) => change({ flows })}
        blank={BLANK_FLOW}
        most={1000}
        none="No flows yet."
        nameOf={({ name }) => name}
      >
        {(one, set) => (
          <>
            <div className="form-pair">
              <TextField label="Name" maxLength={200} {...bound(one, set, 'name')} />
              <TextField label="Protection" maxLength={500} {...bound(one, set, 'protection')} />
            </div>
            <div className="form-pair">
              <TextField label="From" maxLength={300} {...bound(one, set, 'from')} />
              <TextField label="To" maxLength={300} {...bound(one, set, 'to')} />
            </div>
          </>
        )}
      </Repeated>
      <OwnerFields value={ephi} onChange={change} />
    </>
  )
}
