import { type ReactNode, useId } from 'react'
import { type FigureMark, type FigureTone, HATCHES, type Figure as Picture, TINT } from '../../schemas/figure.ts'
import { visible } from '../models/text.ts'
import { Disclosure } from '../ui/Disclosure.tsx'

/** Rem per point of a figure, so that its smallest text is slightly below the small text size. */
const REM = 0.09

/** A figure with its caption, its legend, and a table of the same values. */
export function FigureView({ figure }: { readonly figure: Picture }) {
  const id = useId()
  const { title, caption, width, height, marks, legend } = figure
  return (
    <figure className="figure" aria-labelledby={`${id}-name`}>
      <figcaption>
        <span className="figure-title" id={`${id}-name`}>
          {title}
        </span>
        <span className="figure-caption">{visible(caption)}</span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a figure wider than the window is scrolled with the arrow keys */}
      <section className="figure-scroll" aria-label={`Figure: ${title}`} tabIndex={0}>
        <svg
          className="figure-picture"
          role="img"
          aria-labelledby={`${id}-title ${id}-desc`}
          viewBox={`0 0 ${width} ${height}`}
          width={`${width * REM}rem`}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-desc`}>{`${visible(caption)} The table below contains the same values.`}</desc>
          <Marks marks={marks} />
        </svg>
      </section>
      <ul className="figure-keys" aria-label="Legend">
        {legend.map(({ sample, text }) => (
          <li key={text}>
            <svg className="figure-sample" viewBox="0 0 24 10" aria-hidden="true" focusable="false">
              <Marks marks={sample} />
            </svg>
            <span>{text}</span>
          </li>
        ))}
      </ul>
      <Disclosure title="Show as table">
        <FigureTable figure={figure} />
      </Disclosure>
    </figure>
  )
}

function FigureTable({ figure: { title, table } }: { readonly figure: Picture }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table wider than the window is scrolled with the arrow keys
    <section className="figure-scroll" aria-label={`Table: ${title}`} tabIndex={0}>
      <table className="figure-table">
        <caption className="said">{title}</caption>
        <thead>
          <tr>
            {table.head.map((head) => (
              <th key={head} scope="col">
                {head === '' ? <span className="said">Item</span> : visible(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a figure never move, and two may be equal
            <FigureRow key={index} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

const FigureRow = ({ row: [name = '', ...cells] }: { readonly row: readonly string[] }) => (
  <tr>
    <th scope="row">{visible(name)}</th>
    {cells.map((cell, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: cells correspond to their columns
      <td key={index}>{visible(cell)}</td>
    ))}
  </tr>
)

/** The drawn part of a figure. */
export const Marks = ({ marks }: { readonly marks: readonly FigureMark[] }) =>
  marks.map((mark, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: marks are drawn in their order and never move
    <Mark key={index} mark={mark} />
  ))

function Mark({ mark }: { readonly mark: FigureMark }) {
  switch (mark.is) {
    case 'box':
      return <Box mark={mark} />
    case 'area':
      return <Area mark={mark} />
    case 'line':
      return (
        <polyline
          className={classes('figure-line', mark.tone, `weight-${mark.weight}`, mark.dashed && 'dashed')}
          points={mark.points.map(([x, y]) => `${x},${y}`).join(' ')}
        />
      )
    case 'text':
      return (
        <text
          className={classes(
            'figure-text',
            mark.tone,
            `size-${mark.size}`,
            mark.bold && 'bold',
            mark.mono && 'mono',
            mark.rimmed === true && 'rimmed',
          )}
          x={mark.x}
          y={mark.y}
          textAnchor={mark.anchor}
        >
          {mark.text}
        </text>
      )
  }
}

/** A filled box for a deviation has a cross, so that it can be distinguished without color. */
function Box({ mark }: { readonly mark: Extract<FigureMark, { is: 'box' }> }) {
  const { x, y, width, height, tone, filled } = mark
  const [inX, inY] = [width / 4, height / 4]
  const [left, right, top, bottom] = [x + inX, x + width - inX, y + inY, y + height - inY]
  return (
    <>
      <rect className={classes('figure-box', tone, filled && 'filled')} x={x} y={y} width={width} height={height} />
      {filled && tone === 'against' && (
        <path className="figure-cut" d={`M${left} ${top}L${right} ${bottom}M${right} ${top}L${left} ${bottom}`} />
      )}
    </>
  )
}

const classes = (base: string, tone: string, ...more: readonly (string | false)[]): string =>
  [base, `figure-${tone}`, ...more.filter((one) => one !== false)].join(' ')

type AreaMark = Extract<FigureMark, { is: 'area' }>
type Rings = AreaMark['rings']

/** An area of a figure: tint or hatching, then outline, both clipped to all of `within`. */
function Area({ mark: { rings, within = [], tone, fill, outline } }: { readonly mark: AreaMark }) {
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
