import type { ReactNode } from 'react'
import { FieldError, Label, Text } from 'react-aria-components'

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
