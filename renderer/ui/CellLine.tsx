export interface CellLineProps {
  readonly text: string
  readonly className?: string
}

/** One line of a cell. Where it is cut, its title has the whole. */
export const CellLine = ({ text, className }: CellLineProps) => (
  <span className={className === undefined ? 'cell-line' : `cell-line ${className}`} title={text}>
    {text}
  </span>
)
