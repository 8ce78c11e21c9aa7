import { type ReactNode, useId } from 'react'
import { type FigureMark, type FigureTone, HATCHES, TINT } from '../../schemas/figure.ts'

type Mark = Extract<FigureMark, { is: 'area' }>
type Rings = Mark['rings']

/** An area of a figure: tint or hatching, then outline, both clipped to all of `within`. */
export function Area({ mark: { rings, within = [], tone, fill, outline } }: { readonly mark: Mark }) {
  const id = useId().replaceAll(':', '')
  const shape = pathOf(rings)
  return (
    <Within outlines={within} id={id}>
      {fill === 'solid' && (
        <path className={`figure-area figure-${tone} solid`} d={shape} fillRule="evenodd" fillOpacity={TINT} />
      )}
      {fill === 'hatched' && <Hatched id={`${id}-hatch`} shape={shape} tone={tone} />}
      {outline !== 'none' && (
        <path className={`figure-area figure-${tone} outlined${outline === 'dashed' ? ' dashed' : ''}`} d={shape} />
      )}
    </Within>
  )
}

/** Clips its children to the first outline, and the result to the others. */
function Within({
  outlines: [first, ...others],
  id,
  children,
}: {
  readonly outlines: readonly Rings[]
  readonly id: string
  readonly children: ReactNode
}) {
  if (first === undefined) return children
  const own = `${id}-${others.length}`
  return (
    <Within outlines={others} id={id}>
      <clipPath id={own}>
        <path d={pathOf(first)} clipRule="evenodd" />
      </clipPath>
      <g clipPath={`url(#${own})`}>{children}</g>
    </Within>
  )
}

function Hatched({ id, shape, tone }: { readonly id: string; readonly shape: string; readonly tone: FigureTone }) {
  const { degrees, apart, width } = HATCHES[tone]
  return (
    <>
      <pattern
        id={id}
        width={apart}
        height={apart}
        patternUnits="userSpaceOnUse"
        patternTransform={`rotate(${degrees})`}
      >
        <line className={`figure-hatch figure-${tone}`} x2={apart} y1={apart / 2} y2={apart / 2} strokeWidth={width} />
      </pattern>
      <path d={shape} fill={`url(#${id})`} fillRule="evenodd" />
    </>
  )
}

const pathOf = (rings: Rings): string =>
  rings.map((ring) => `M${ring.map(([x, y]) => `${x} ${y}`).join('L')}Z`).join('')
