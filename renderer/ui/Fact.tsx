import type { ReactNode } from 'react'
import { Whole } from './Whole.tsx'

interface FactProps {
  readonly term: string
  /** Class of the description. */
  readonly className?: string
  readonly children: ReactNode
}

/** One term of a `dl` with its description. */
export const Fact = ({ term, className, children }: FactProps) => (
  <div>
    <dt>
      <Whole text={term} />
    </dt>
    <dd className={className}>{children}</dd>
  </div>
)
