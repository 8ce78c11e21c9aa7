import type { Icon as TablerIcon } from '@tabler/icons-react'

export type { TablerIcon }

/** One line icon. It stands beside words and is never the only sign, so assistive technology does not hear of it. */
export function Icon({ of: Drawn, size = 18 }: { readonly of: TablerIcon; readonly size?: number }) {
  return <Drawn className="icon" size={size} stroke={1.6} aria-hidden="true" focusable="false" />
}
