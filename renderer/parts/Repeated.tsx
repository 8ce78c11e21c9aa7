import { IconPlus } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { replacedAt, without } from '../models/engagement-model.ts'
import { firstUp } from '../models/text.ts'
import { Button } from '../ui/Button.tsx'

interface RepeatedProps<T> {
  /** The singular of the entries, such as "area". */
  readonly word: string
  readonly items: readonly T[]
  readonly onChange: (items: readonly T[]) => void
  readonly blank: T
  readonly most: number
  /** Text while the list is empty. */
  readonly none: string
  /** The name of an entry, for the label of its remove button. */
  readonly nameOf: (item: T) => string
  readonly isDisabled?: boolean
  /** `put` changes members of the entry; `replace` replaces it. */
  readonly children: (item: T, put: (part: Partial<T>) => void, replace: (item: T) => void, at: number) => ReactNode
}

/** Entries with the same fields, added and removed one by one. A new entry takes the focus. */
export function Repeated<T extends object>({
  word,
  items,
  onChange,
  blank,
  most,
  none,
  nameOf,
  isDisabled = false,
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
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity except their position
          <li key={at}>
            <fieldset className="repeated-entry">
              <legend>
                {firstUp(word)} {at + 1}
              </legend>
              {children(
                item,
                (part) => onChange(replacedAt(items, at, { ...item, ...part })),
                (next) => onChange(replacedAt(items, at, next)),
                at,
              )}
              <Button
                small
                kind="quiet"
                isDisabled={isDisabled}
                label={`Remove ${word} ${at + 1}${nameOf(item) === '' ? '' : `: ${nameOf(item)}`}`}
                onPress={() => onChange(without(items, at))}
              >
                Remove {word}
              </Button>
            </fieldset>
          </li>
        ))}
      </ol>
      <Button
        small
        icon={IconPlus}
        isDisabled={isDisabled || count >= most}
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
