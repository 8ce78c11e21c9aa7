import { Input, TextArea as Lines, TextField as Whole } from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldWords } from './Field.tsx'

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
