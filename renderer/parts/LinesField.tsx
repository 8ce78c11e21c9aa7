import { useState } from 'react'
import { TextArea, type TextFieldProps } from '../ui/TextField.tsx'

export interface LinesFieldProps<T> extends Omit<TextFieldProps, 'value' | 'onChange'> {
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
