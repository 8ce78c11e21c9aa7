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

export const FieldLabel = ({ label, isRequired }: Pick<FieldWords, 'label' | 'isRequired'>) => (
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

/** One line of text. */
export function TextField({ label, description, error, mono = false, placeholder, ...rest }: TextFieldProps) {
  return (
    <Whole className="field" isInvalid={error !== undefined} validationBehavior="aria" spellCheck="false" {...rest}>
      <FieldLabel label={label} {...(rest.isRequired === undefined ? {} : { isRequired: rest.isRequired })} />
      <Input
        className={mono ? 'input mono' : 'input'}
        {...(placeholder === undefined ? {} : { placeholder })}
        autoComplete="off"
      />
      <FieldNotes description={description} error={error} />
    </Whole>
  )
}

/** Several lines of text. */
export function TextArea({
  label,
  description,
  error,
  mono = false,
  placeholder,
  rows = 3,
  ...rest
}: TextFieldProps & { readonly rows?: number }) {
  return (
    <Whole className="field" isInvalid={error !== undefined} validationBehavior="aria" spellCheck="false" {...rest}>
      <FieldLabel label={label} {...(rest.isRequired === undefined ? {} : { isRequired: rest.isRequired })} />
      <Lines
        className={mono ? 'input mono' : 'input'}
        rows={rows}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
      <FieldNotes description={description} error={error} />
    </Whole>
  )
}
