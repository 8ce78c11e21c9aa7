import { subserviceMethodWords } from '../../schemas/engagement-words.ts'
import type { SubserviceOrganization } from '../../schemas/types.ts'
import {
  BLANK_SUBSERVICE_CONTROL,
  blankArea,
  blankOrganization,
  blankUserControl,
  linesIn,
  linesOf,
  rowsIn,
  rowsText,
} from '../engagement-model.ts'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { TextArea, TextField } from '../ui/TextField.tsx'
import { OwnerFields, type SectionProps } from './EngagementWho.tsx'
import { LinesField } from './LinesField.tsx'
import { Repeated } from './Repeated.tsx'

const ROWS_NOTE = 'One a line, framework first, such as soc2 CC6.4 or hipaa 164.310(a)(1).'

/** Who does what, area by area. */
export function ResponsibilitySection({ form, put }: SectionProps) {
  return (
    <Repeated
      word="area"
      items={form.responsibilities}
      onChange={(responsibilities) => put({ responsibilities })}
      blank={blankArea(form)}
      most={100}
      none="No area is split yet."
      nameOf={({ area }) => area}
    >
      {(one, set) => (
        <>
          <TextField
            label="Area"
            description="Such as firmware, physical access or backups."
            maxLength={200}
            value={one.area}
            onChange={(area) => set({ area })}
          />
          <div className="form-pair">
            <TextArea
              label="What the provider does"
              description="A dash stands for nothing."
              rows={2}
              maxLength={1000}
              value={one.provider}
              onChange={(provider) => set({ provider })}
            />
            <TextArea
              label="What the customer does"
              description="A dash stands for nothing."
              rows={2}
              maxLength={1000}
              value={one.customer}
              onChange={(customer) => set({ customer })}
            />
          </div>
          <OwnerFields value={one} onChange={set} />
        </>
      )}
    </Repeated>
  )
}

const METHODS = (Object.keys(subserviceMethodWords) as SubserviceOrganization['method'][]).map((id) => ({
  id,
  title: subserviceMethodWords[id].label,
  note: subserviceMethodWords[id].meaning,
}))
const NO_REPORT = { title: '', from: '', to: '', bridgedUntil: null }

/** Organizations whose controls are needed besides. */
export function SubserviceSection({ form, put }: SectionProps) {
  return (
    <Repeated
      word="organization"
      items={form.subserviceOrganizations}
      onChange={(subserviceOrganizations) => put({ subserviceOrganizations })}
      blank={blankOrganization(form)}
      most={50}
      none="No organization is named yet."
      nameOf={({ name }) => name}
    >
      {(one, set) => (
        <>
          <div className="form-pair">
            <TextField label="Name" maxLength={200} value={one.name} onChange={(name) => set({ name })} />
            <TextField
              label="What it does"
              maxLength={1000}
              value={one.services}
              onChange={(services) => set({ services })}
            />
          </div>
          <RadioGroup
            label="How its controls are treated"
            value={one.method}
            onChange={(method) => set({ method })}
            options={METHODS}
          />
          <Checkbox
            isSelected={one.report !== null}
            onChange={(there) => set({ report: there ? NO_REPORT : null })}
            note="Attach the report itself under Documents."
          >
            A report of it is at hand
          </Checkbox>
          {one.report !== null && <ReportFields report={one.report} onChange={(report) => set({ report })} />}
          <h3>Controls that are theirs to run</h3>
          <Repeated
            word="control"
            items={one.controls}
            onChange={(controls) => set({ controls })}
            blank={BLANK_SUBSERVICE_CONTROL}
            most={200}
            none="No control is named yet."
            nameOf={({ says }) => says}
          >
            {({ says, rows }, change) => (
              <div className="form-pair">
                <TextArea
                  label="What it does"
                  rows={2}
                  maxLength={1000}
                  value={says}
                  onChange={(next) => change({ says: next })}
                />
                <LinesField
                  label="Rows that it bears on"
                  description={ROWS_NOTE}
                  rows={2}
                  mono
                  value={rows}
                  onChange={(next) => change({ rows: next })}
                  read={rowsIn}
                  write={rowsText}
                />
              </div>
            )}
          </Repeated>
          <OwnerFields value={one} onChange={set} />
        </>
      )}
    </Repeated>
  )
}

type Report = NonNullable<SubserviceOrganization['report']>

function ReportFields({ report, onChange }: { readonly report: Report; readonly onChange: (report: Report) => void }) {
  const { title, from, to, bridgedUntil } = report
  return (
    <>
      <TextField
        label="Title of the report"
        maxLength={300}
        value={title}
        onChange={(next) => onChange({ ...report, title: next })}
      />
      <div className="form-pair">
        <DateField label="From" value={from} onChange={(next) => onChange({ ...report, from: next })} />
        <DateField label="To" value={to} onChange={(next) => onChange({ ...report, to: next })} />
      </div>
      <Checkbox
        isSelected={bridgedUntil !== null}
        onChange={(bridged) => onChange({ ...report, bridgedUntil: bridged ? '' : null })}
      >
        A bridge letter reaches further
      </Checkbox>
      {bridgedUntil !== null && (
        <DateField
          label="Bridged until"
          value={bridgedUntil}
          onChange={(next) => onChange({ ...report, bridgedUntil: next })}
        />
      )}
    </>
  )
}

/** What a provider's report expects of its customers. */
export function UserEntitySection({ form, put }: SectionProps) {
  return (
    <Repeated
      word="control"
      items={form.userEntityControls}
      onChange={(userEntityControls) => put({ userEntityControls })}
      blank={blankUserControl(form)}
      most={300}
      none="No control is named yet."
      nameOf={({ id, says }) => `${id} ${says}`.trim()}
    >
      {(one, set) => (
        <>
          <div className="form-pair">
            <TextField label="Number in the report" maxLength={60} value={one.id} onChange={(id) => set({ id })} />
            <TextField label="Whose report" maxLength={200} value={one.of} onChange={(of) => set({ of })} />
          </div>
          <TextArea
            label="What it asks, in your words"
            rows={2}
            maxLength={1000}
            value={one.says}
            onChange={(says) => set({ says })}
          />
          <div className="form-pair">
            <LinesField
              label="Rows that it bears on"
              description={ROWS_NOTE}
              rows={2}
              mono
              value={one.rows}
              onChange={(rows) => set({ rows })}
              read={rowsIn}
              write={rowsText}
            />
            <LinesField
              label="Checks that bear on it"
              description="One a line, by the name that Why shows, such as access.sshd.root-login."
              rows={2}
              mono
              value={one.checks}
              onChange={(checks) => set({ checks })}
              read={linesIn}
              write={linesOf}
            />
          </div>
          <OwnerFields value={one} onChange={set} />
        </>
      )}
    </Repeated>
  )
}
