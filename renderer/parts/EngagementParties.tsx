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
} from '../models/engagement-model.ts'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { bound, TextArea, TextField } from '../ui/Field.tsx'
import { OwnerFields, type SectionProps } from './EngagementWho.tsx'
import { LinesField } from './FieldForm.tsx'
import { Repeated } from './Repeated.tsx'

const ROWS_NOTE = 'One per line, framework first, for example soc2:CC6.4 or hipaa:164.310(a)(1).'

/** Responsibilities by area. */
export function ResponsibilitySection({ form, put }: SectionProps) {
  return (
    <Repeated
      word="area"
      items={form.responsibilities}
      onChange={(responsibilities) => put({ responsibilities })}
      blank={blankArea(form)}
      most={100}
      none="No areas yet."
      nameOf={({ area }) => area}
    >
      {(one, set) => (
        <>
          <TextField
            label="Area"
            description="For example firmware, physical access or backups."
            maxLength={200}
            {...bound(one, set, 'area')}
          />
          <div className="form-pair">
            <TextArea
              label="Provider’s responsibility"
              description="Enter a dash for none."
              rows={2}
              maxLength={1000}
              {...bound(one, set, 'provider')}
            />
            <TextArea
              label="Customer’s responsibility"
              description="Enter a dash for none."
              rows={2}
              maxLength={1000}
              {...bound(one, set, 'customer')}
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

/** Subservice organizations whose controls are also needed. */
export function SubserviceSection({ form, put }: SectionProps) {
  return (
    <Repeated
      word="organization"
      items={form.subserviceOrganizations}
      onChange={(subserviceOrganizations) => put({ subserviceOrganizations })}
      blank={blankOrganization(form)}
      most={50}
      none="No organizations yet."
      nameOf={({ name }) => name}
    >
      {(one, set) => (
        <>
          <div className="form-pair">
            <TextField label="Name" maxLength={200} {...bound(one, set, 'name')} />
            <TextField label="Description" maxLength={1000} {...bound(one, set, 'services')} />
          </div>
          <RadioGroup label="Method" {...bound(one, set, 'method')} options={METHODS} />
          <Checkbox
            isSelected={one.report !== null}
            onChange={(there) => set({ report: there ? NO_REPORT : null })}
            note="Add the report under Documents."
          >
            Report available
          </Checkbox>
          {one.report !== null && <ReportFields report={one.report} onChange={(report) => set({ report })} />}
          <h3>Controls of the organization</h3>
          <Repeated
            word="control"
            items={one.controls}
            onChange={(controls) => set({ controls })}
            blank={BLANK_SUBSERVICE_CONTROL}
            most={200}
            none="No controls yet."
            nameOf={({ text }) => text}
          >
            {(control, change) => (
              <div className="form-pair">
                <TextArea label="Description" rows={2} maxLength={1000} {...bound(control, change, 'text')} />
                <LinesField
                  label="Related controls"
                  description={ROWS_NOTE}
                  rows={2}
                  mono
                  {...bound(control, change, 'controls')}
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
  const { bridgedUntil } = report
  const put = (part: Partial<Report>): void => onChange({ ...report, ...part })
  return (
    <>
      <TextField label="Report title" maxLength={300} {...bound(report, put, 'title')} />
      <div className="form-pair">
        <DateField label="From" {...bound(report, put, 'from')} />
        <DateField label="To" {...bound(report, put, 'to')} />
      </div>
      <Checkbox isSelected={bridgedUntil !== null} onChange={(bridged) => put({ bridgedUntil: bridged ? '' : null })}>
        Bridge letter available
      </Checkbox>
      {bridgedUntil !== null && (
        <DateField label="Bridge letter until" value={bridgedUntil} onChange={(next) => put({ bridgedUntil: next })} />
      )}
    </>
  )
}

/** Complementary user entity controls in a provider’s report. */
export function UserEntitySection({ form, put }: SectionProps) {
  return (
    <Repeated
      word="control"
      items={form.complementaryUserEntityControls}
      onChange={(complementaryUserEntityControls) => put({ complementaryUserEntityControls })}
      blank={blankUserControl(form)}
      most={300}
      none="No controls yet."
      nameOf={({ id, text }) => `${id} ${text}`.trim()}
    >
      {(one, set) => (
        <>
          <div className="form-pair">
            <TextField label="Number in the report" maxLength={60} {...bound(one, set, 'id')} />
            <TextField label="Report of" maxLength={200} {...bound(one, set, 'of')} />
          </div>
          <TextArea label="Requirement, in your own words" rows={2} maxLength={1000} {...bound(one, set, 'text')} />
          <div className="form-pair">
            <LinesField
              label="Related controls"
              description={ROWS_NOTE}
              rows={2}
              mono
              {...bound(one, set, 'controls')}
              read={rowsIn}
              write={rowsText}
            />
            <LinesField
              label="Related checks"
              description="One per line, by check id as on the result’s page, for example access.sshd.root-login."
              rows={2}
              mono
              {...bound(one, set, 'checks')}
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
