import type { Icon as TablerIcon } from '@tabler/icons-react'

export type { TablerIcon }

/** A line icon. It always accompanies text, so it is hidden from assistive technology. */
export function Icon({ of: Drawn, size = 18 }: { readonly of: TablerIcon; readonly size?: number }) {
  return <Drawn className="icon" size={size} stroke={1.6} aria-hidden="true" focusable="false" />
}
