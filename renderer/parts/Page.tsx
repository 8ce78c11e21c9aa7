import { IconChevronLeft } from '@tabler/icons-react'
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react'
import { returnFocus } from '../state/return-focus.ts'
import { back, getState, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Whole } from '../ui/Whole.tsx'

interface PageProps {
  readonly title: string
  /** Above the title: the context of the page. */
  readonly over?: ReactNode
  /** Below the title: subject, time, counts. */
  readonly under?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

const InPage = createContext(false)

/** Gives content a heading if it replaces a whole screen, and none if it replaces a part of one. */
export function OwnPage({ title, children }: Pick<PageProps, 'title' | 'children'>) {
  return useContext(InPage) ? children : <Page title={title}>{children}</Page>
}

/**
 * A screen: its heading takes the focus when it opens, so that keyboard and screen reader start at the top. Going back restores
 * the previous focus.
 */
export function Page({ title, over, under, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { earlier } = useStore()
  useEffect(() => {
    // During the tour, the focus stays with its text.
    if (getState().tour === null) returnFocus(getState().route, heading.current)
  }, [])
  useEffect(() => {
    document.title = `${title} · Barewitness`
  }, [title])
  return (
    <>
      <header className="page-head">
        <div className="page-titles">
          {(earlier.length > 0 || over !== undefined) && (
            <div className="over">
              {earlier.length > 0 && (
                <Button kind="link" icon={IconChevronLeft} small onPress={back}>
                  Back
                </Button>
              )}
              {over !== undefined && <span>{over}</span>}
            </div>
          )}
          <h1 ref={heading} tabIndex={-1}>
            <Whole text={title} />
          </h1>
          {under !== undefined && <div className="under">{under}</div>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      <InPage value>{children}</InPage>
    </>
  )
}
