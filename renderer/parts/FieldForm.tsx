import { IconFileText, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { DeclarationsView, FieldProblem } from '../../schemas/ipc-declarations.ts'
import type { Field, Kind } from '../models/declaration-fields.ts'
import {
  cornersIn,
  cornersText,
  declaredPlaces,
  linesText,
  numberIn,
  numberText,
  problemAt,
} from '../models/declaration-model.ts'
import { trimmedLines, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Choice.tsx'
import { DateField } from '../ui/DateField.tsx'
import { TextArea, TextField, type TextFieldProps } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { FailureNote } from './Ask.tsx'
import { PlaceMap } from './PlaceMap.tsx'
import { Repeated } from './Repeated.tsx'

type Value = Readonly<Record<string, unknown>>
interface FormParts {
  readonly view: DeclarationsView
  readonly problems: readonly FieldProblem[]
  readonly isDisabled: boolean
}

interface FieldFormProps extends FormParts {
  readonly fields: readonly Field[]
  readonly value: Value
  readonly onChange: (value: Value) => void
  /** The path of `value` in its section. */
  readonly path?: readonly (string | number)[]
}

/** The fields of a declaration, drawn from their descriptions. A field that is emptied is removed from the value. */
export function FieldForm({ fields, value, onChange, path = [], ...parts }: FieldFormProps) {
  const put = (name: string, next: unknown): void => {
    const { [name]: _, ...rest } = value
    onChange(next === undefined || next === '' ? rest : { ...value, [name]: next })
  }
  return (
    <div className="field-form">
      {fields.map((field) => (
        <OneField
          key={field.name}
          {...parts}
          field={field}
          value={value[field.name]}
          path={[...path, field.name]}
          onChange={(next) => put(field.name, next)}
        />
      ))}
    </div>
  )
}

interface OneFieldProps extends FormParts {
  readonly field: Field
  readonly value: unknown
  readonly path: readonly (string | number)[]
  readonly onChange: (value: unknown) => void
}

function OneField(props: OneFieldProps) {
  const { field, value, path, onChange, view, problems, isDisabled } = props
  const { edit, label, help, isOptional = false } = field
  const words = {
    label,
    isDisabled,
    error: problemAt(problems, path, edit.kind === 'lines' || edit.kind === 'corners' || edit.kind === 'frameworks'),
    ...(help === undefined ? {} : { description: help }),
    ...(isOptional ? { isRequired: false } : {}),
  }
  const text = typeof value === 'string' ? value : ''
  switch (edit.kind) {
    case 'text':
      return <TextField {...words} mono={edit.mono === true} rows={edit.rows} value={text} onChange={onChange} />
    case 'number':
      return <TextField {...words} value={numberText(value)} onChange={(typed) => onChange(numberIn(typed))} />
    case 'day':
      return <DateField {...words} value={text} onChange={onChange} />
    case 'yes':
      return <YesField {...props} />
    case 'lines':
      return (
        <LinesField
          {...words}
          rows={3}
          mono={edit.mono === true}
          value={trimmedLines(linesText(value))}
          onChange={onChange}
          read={trimmedLines}
          write={(lines) => lines.join('\n')}
        />
      )
    case 'corners':
      return (
        <LinesField
          {...words}
          rows={3}
          mono
          value={cornersIn(cornersText(value))}
          onChange={onChange}
          read={cornersIn}
          write={cornersText}
        />
      )
    case 'choice':
    case 'yes-no':
    case 'threshold':
      return (
        <Select
          {...words}
          options={optionsOf(edit, view)}
          value={value === undefined ? '' : value === true ? 'yes' : value === false ? 'no' : text}
          onChange={(id) => onChange(edit.kind === 'yes-no' && id !== '' ? id === 'yes' : id)}
        />
      )
    case 'frameworks':
      return <FrameworksField {...props} />
    case 'file':
      return <FileField {...props} />
    case 'files':
      return <FilesField {...props} />
    case 'group':
      return <GroupField {...props} edit={edit} />
    case 'list':
      return <ListField {...props} edit={edit} />
  }
}

function optionsOf(edit: Kind, { thresholds }: DeclarationsView) {
  switch (edit.kind) {
    case 'choice':
      return [...(edit.blank === undefined ? [] : [{ id: '', title: edit.blank }]), ...edit.options]
    case 'yes-no':
      return [
        { id: '', title: edit.blank },
        { id: 'yes', title: 'Yes' },
        { id: 'no', title: 'No' },
      ]
    case 'threshold':
      return thresholds.map(({ id, title, values }) => ({
        id,
        title,
        note: `Baseline ${values.baseline}, CIS ${values.cis}, STIG ${values.stig}`,
      }))
    default:
      return []
  }
}

function YesField({ field: { label, help }, value, onChange, isDisabled, problems, path }: OneFieldProps) {
  const error = problemAt(problems, path)
  return (
    <div className="field">
      <Checkbox
        isSelected={value === true}
        isDisabled={isDisabled}
        onChange={(selected) => onChange(selected ? true : undefined)}
        {...(help === undefined ? {} : { note: help })}
      >
        {label}
      </Checkbox>
      {error !== undefined && <p className="field-error">{error}</p>}
    </div>
  )
}

function FrameworksField({ field, value, onChange, view, isDisabled, problems, path }: OneFieldProps) {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : []
  const error = problemAt(problems, path, true)
  const known = new Set(view.frameworks.map(({ id }) => id))
  const all = [
    ...view.frameworks,
    ...chosen.filter((id) => !known.has(id)).map((id) => ({ id, title: `${id} (unknown)` })),
  ]
  return (
    <fieldset className="field field-set">
      <legend className="label">{field.label}</legend>
      <p className="field-note">{field.help}</p>
      {all.map(({ id, title }) => (
        <Checkbox
          key={id}
          isDisabled={isDisabled}
          isSelected={chosen.includes(id)}
          onChange={(selected) => {
            const next = all.map((one) => one.id).filter((one) => (one === id ? selected : chosen.includes(one)))
            onChange(next.length === 0 ? undefined : next)
          }}
        >
          {visible(title)}
        </Checkbox>
      ))}
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  )
}

function FileField({ field, value, onChange, isDisabled, problems, path }: OneFieldProps) {
  const choose = useAction('declarations.choose-file')
  const error = problemAt(problems, path)
  const { label, help, isOptional = false } = field
  const pick = async (): Promise<void> => {
    const chosen = await choose.run(null)
    if (chosen !== null) onChange(chosen.file)
  }
  return (
    <fieldset className="field field-set">
      <legend className="label">
        {label}
        {isOptional && <span className="optional"> (optional)</span>}
      </legend>
      {help !== undefined && <p className="field-note">{help}</p>}
      {typeof value === 'string' && <p className="mono file-named">{visible(value)}</p>}
      <div className="actions">
        <Button
          small
          icon={IconFileText}
          isDisabled={isDisabled}
          busy={choose.busy}
          label={`Choose file: ${label}`}
          onPress={() => void pick()}
        >
          Choose file…
        </Button>
        {typeof value === 'string' && (
          <Button
            small
            kind="quiet"
            isDisabled={isDisabled}
            label={`Remove file: ${label}`}
            onPress={() => onChange(undefined)}
          >
            Remove file
          </Button>
        )}
      </div>
      {error !== undefined && <p className="field-error">{error}</p>}
      {choose.error !== null && <FailureNote error={choose.error} />}
    </fieldset>
  )
}

function FilesField({ field, value, onChange, isDisabled, problems, path }: OneFieldProps) {
  const choose = useAction('declarations.choose-file')
  const files = Array.isArray(value) ? (value as readonly string[]) : []
  const add = async (): Promise<void> => {
    const chosen = await choose.run(null)
    if (chosen !== null && !files.includes(chosen.file)) onChange([...files, chosen.file])
  }
  return (
    <fieldset className="field field-set">
      <legend className="label">{field.label}</legend>
      {field.help !== undefined && <p className="field-note">{field.help}</p>}
      <ul className="plain-list">
        {files.map((file, at) => {
          const error = problemAt(problems, [...path, at])
          return (
            <li key={file}>
              <span className="mono file-named">{visible(file)}</span>
              <Button
                small
                kind="quiet"
                isDisabled={isDisabled}
                label={`Remove file: ${visible(file)}`}
                onPress={() => onChange(files.length === 1 ? undefined : files.filter((one) => one !== file))}
              >
                Remove file
              </Button>
              {error !== undefined && <p className="field-error">{error}</p>}
            </li>
          )
        })}
      </ul>
      <div className="actions">
        <Button
          small
          icon={IconPlus}
          isDisabled={isDisabled}
          busy={choose.busy}
          label={`Add file: ${field.label}`}
          onPress={() => void add()}
        >
          Add file…
        </Button>
      </div>
      {choose.error !== null && <FailureNote error={choose.error} />}
    </fieldset>
  )
}

function GroupField({
  field,
  value,
  path,
  onChange,
  edit,
  ...parts
}: OneFieldProps & { readonly edit: Extract<Kind, { readonly kind: 'group' }> }) {
  const { view, problems, isDisabled } = parts
  const places = edit.presets === undefined ? [] : declaredPlaces(view)
  const error = problemAt(problems, path)
  const group = typeof value === 'object' && value !== null ? (value as Value) : null
  return (
    <fieldset className="field field-set">
      <legend className="label">{field.label}</legend>
      {field.help !== undefined && <p className="field-note">{field.help}</p>}
      {error !== undefined && <p className="field-error">{error}</p>}
      {places.length > 0 && (
        <Select
          label={`Copy from a declared place: ${field.label}`}
          hideLabel
          isDisabled={isDisabled}
          placeholder="Copy from a declared place"
          value={null}
          options={places.map(({ name, country, latitude, longitude, declaredBy }, at) => ({
            id: `${at}`,
            title: visible(name),
            note: visible(
              [country ?? '', `${latitude}, ${longitude}`, declaredBy].filter((one) => one !== '').join(' · '),
            ),
          }))}
          onChange={(id) => onChange({ ...places[Number(id)] })}
        />
      )}
      {group === null ? (
        <div className="actions">
          <Button small icon={IconPlus} isDisabled={isDisabled} onPress={() => onChange({})}>
            Declare {edit.word}
          </Button>
        </div>
      ) : (
        <>
          <FieldForm {...parts} fields={edit.fields} value={group} path={path} onChange={onChange} />
          {edit.presets === 'places' && !isDisabled && (
            <PlaceMap place={group} onChange={(point) => onChange({ ...group, ...point })} />
          )}
          <div className="actions">
            <Button small kind="quiet" isDisabled={isDisabled} onPress={() => onChange(undefined)}>
              Remove {edit.word}
            </Button>
          </div>
        </>
      )}
    </fieldset>
  )
}

/** More entries than a schema allows are reported when the section is saved. */
const MOST_ENTRIES = 5000

function ListField({
  field,
  value,
  path,
  onChange,
  edit,
  ...parts
}: OneFieldProps & { readonly edit: Extract<Kind, { readonly kind: 'list' }> }) {
  const items = Array.isArray(value) ? (value as readonly Value[]) : []
  const error = problemAt(parts.problems, path)
  const [first] = edit.fields
  return (
    <fieldset className="field field-set">
      <legend className="label">{field.label}</legend>
      {field.help !== undefined && <p className="field-note">{field.help}</p>}
      {error !== undefined && <p className="field-error">{error}</p>}
      <Repeated<Value>
        word={edit.word}
        items={items}
        onChange={(next) => onChange(next.length === 0 ? undefined : next)}
        blank={{}}
        most={MOST_ENTRIES}
        none={edit.none}
        isDisabled={parts.isDisabled}
        nameOf={(item) => visible(String(item[first?.name ?? ''] ?? ''))}
      >
        {(item, _, replace, at) => {
          const wrong = problemAt(parts.problems, [...path, at])
          return (
            <>
              {wrong !== undefined && <p className="field-error">{wrong}</p>}
              <FieldForm {...parts} fields={edit.fields} value={item} path={[...path, at]} onChange={replace} />
            </>
          )
        }}
      </Repeated>
    </fieldset>
  )
}

interface LinesFieldProps<T> extends Omit<TextFieldProps, 'value' | 'onChange'> {
  readonly value: readonly T[]
  readonly onChange: (value: readonly T[]) => void
  readonly read: (text: string) => readonly T[]
  readonly write: (value: readonly T[]) => string
  readonly rows?: number
}

/** A list as lines of text. Typed text is kept while it equals the value; a value from elsewhere replaces it. */
export function LinesField<T>({ value, onChange, read, write, ...rest }: LinesFieldProps<T>) {
  const [text, setText] = useState(() => write(value))
  const shown = JSON.stringify(read(text)) === JSON.stringify(value) ? text : write(value)
  return (
    <TextArea
      {...rest}
      value={shown}
      onChange={(next) => {
        setText(next)
        onChange(read(next))
      }}
    />
  )
}
