import { IconPlus } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { replacedAt, without } from '../engagement-model.ts'
import { Button } from '../ui/Button.tsx'

export interface RepeatedProps<T> {
  /** What the list is of, one of them: "area". */
  readonly word: string
  readonly items: readonly T[]
  readonly onChange: (items: readonly T[]) => void
  readonly blank: T
  readonly most: number
  /** What stands here while the list is empty. */
  readonly none: string
  /** What an entry calls itself, for the name of the button that takes it out. */
  readonly nameOf: (item: T) => string
  readonly children: (item: T, put: (part: Partial<T>) => void) => ReactNode
}

const firstUp = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

/** Entries of the same fields, added and taken out one by one. A new entry takes the focus. */
export function Repeated<T extends object>({
  word,
  items,
  onChange,
  blank,
  most,
  none,
  nameOf,
  children,
}: RepeatedProps<T>) {
  const list = useRef<HTMLOListElement>(null)
  const added = useRef(false)
  const count = items.length
  useEffect(() => {
    if (!added.current || count === 0) return
    added.current = false
    list.current?.querySelector<HTMLElement>(':scope > li:last-child :is(input, textarea)')?.focus()
  }, [count])
  return (
    <div className="repeated">
      {count === 0 && <p className="quiet">{none}</p>}
      <ol ref={list} className="repeated-list">
        {items.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity but their place
          <li key={at}>
            <fieldset className="repeated-entry">
              <legend>
                {firstUp(word)} {at + 1}
              </legend>
              {children(item, (part) => onChange(replacedAt(items, at, { ...item, ...part })))}
              <Button
                small
                kind="quiet"
                label={`Take out ${word} ${at + 1}${nameOf(item) === '' ? '' : `: ${nameOf(item)}`}`}
                onPress={() => onChange(without(items, at))}
              >
                Take out {word}
              </Button>
            </fieldset>
          </li>
        ))}
      </ol>
      <Button
        small
        icon={IconPlus}
        isDisabled={count >= most}
        onPress={() => {
          added.current = true
          onChange([...items, blank])
        }}
      >
        Add {word}
      </Button>
    </div>
  )
}
