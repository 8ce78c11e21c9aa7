import { categoryWords } from '../../schemas/conclusion-words.ts'
import { signOffWords } from '../../schemas/engagement-words.ts'
import type { EngagementForm } from '../../schemas/ipc-engagement.ts'
import type { SignOff } from '../../schemas/types.ts'
import {
  BLANK_OUTSIDE,
  BLANK_PERSON,
  ELECTIVE,
  electedIn,
  linesIn,
  linesOf,
  type Owned,
  withCategory,
  withOwner,
} from '../engagement-model.ts'
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
