import { type ReactNode, useEffect, useRef } from 'react'
import { back, useStore } from '../store.ts'

export interface PageProps {
  readonly title: string
  /** Above the title: what this page belongs to. */
  readonly over?: ReactNode
  /** Below the title: what, when, how many. */
  readonly under?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A screen: its heading takes the focus when it opens, so that keyboard and screen reader start where the eye does. */
export function Page({ title, over, under, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { earlier } = useStore()
  useEffect(() => {
    document.title = `${title} · Barewitness`
    heading.current?.focus()
  }, [title])
  return (
    <>
      <header className="page-head">
        <div className="page-titles">
          <p className="over">
            {earlier.length > 0 && (
              <button type="button" className="link" onClick={back}>
                ‹ Back
              </button>
            )}
            {over !== undefined && <span>{over}</span>}
          </p>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {under !== undefined && <p className="under">{under}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}
