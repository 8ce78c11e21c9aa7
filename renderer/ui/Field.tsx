import type { ReactNode } from 'react'
import { FieldError, Input, Label, TextArea as Lines, Text, TextField as Whole } from 'react-aria-components'

/** Common properties of fields. */
export interface FieldWords {
  readonly label: string
  readonly description?: ReactNode
  /** The problem and its correction; undefined when valid. */
  readonly error?: string | undefined
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
}

interface FieldLabelProps {
  readonly label: string
  readonly isRequired?: boolean | undefined
}

export const FieldLabel = ({ label, isRequired }: FieldLabelProps) => (
  <Label className="label">
    {label}
    {isRequired === false && <span className="optional"> (optional)</span>}
  </Label>
)

export const FieldNotes = ({ description, error }: Pick<FieldWords, 'description' | 'error'>) => (
  <>
    {description !== undefined && (
      <Text slot="description" className="field-note">
        {description}
      </Text>
    )}
    <FieldError className="field-error">{error}</FieldError>
  </>
)

/** What a field needs in order to edit one member of a form. */
export const bound = <T extends object, K extends keyof T>(
  form: T,
  put: (part: Partial<Pick<T, K>>) => void,
  name: K,
) => ({
  value: form[name],
  onChange: (value: T[K]): void => put({ [name]: value } as unknown as Partial<Pick<T, K>>),
})

export interface TextFieldProps extends FieldWords {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly maxLength?: number
  /** For text that is compared character by character. */
  readonly mono?: boolean
  readonly autoFocus?: boolean
  readonly isReadOnly?: boolean
}

interface TextAreaProps extends TextFieldProps {
  readonly rows?: number | undefined
}

/** One line of text, or several with `rows`. */
export function TextField({ label, description, error, mono = false, placeholder, rows, ...rest }: TextAreaProps) {
  const input = { className: mono ? 'input mono' : 'input', ...(placeholder === undefined ? {} : { placeholder }) }
  return (
    <Whole className="field" isInvalid={error !== undefined} validationBehavior="aria" spellCheck="false" {...rest}>
      <FieldLabel label={label} isRequired={rest.isRequired} />
      {rows === undefined ? <Input {...input} autoComplete="off" /> : <Lines {...input} rows={rows} />}
      <FieldNotes description={description} error={error} />
    </Whole>
  )
}

/** Several lines of text. */
export const TextArea = ({ rows = 3, ...field }: TextAreaProps) => <TextField {...field} rows={rows} />
