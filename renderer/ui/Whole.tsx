import { unbroken, visible } from '../models/text.ts'

/** A text in which no line ends within a name that has hyphens. Invisible characters are shown. */
export const Whole = ({ text }: { readonly text: string }) =>
  unbroken(visible(text)).map(({ text: part, isWhole }, place) =>
    isWhole ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the runs of a text never move
      <span key={place} className="whole">
        {part}
      </span>
    ) : (
      part
    ),
  )
