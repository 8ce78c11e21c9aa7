import type { ReactElement } from 'react'
import { TooltipTrigger, Tooltip as Words } from 'react-aria-components'

/** More words for a control that has its own name already; never the only place where something is said. */
export function Tooltip({ words, children }: { readonly words: string; readonly children: ReactElement }) {
  return (
    <TooltipTrigger delay={600}>
      {children}
      <Words className="tooltip">{words}</Words>
    </TooltipTrigger>
  )
}
