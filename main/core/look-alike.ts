import type { Mapping } from '../../schemas/types.ts'

type Named = Pick<Mapping, 'id' | 'title'>

/**
 * Whether an id resembles that of a framework of ours, or a title that of one we map in full, regardless of the
 * alphabet. Of other frameworks we have only some rows, by id, and a customer may well load the whole.
 */
export function imitated(
  { id, title }: Named,
  frameworks: readonly (Named & { readonly controls: readonly { readonly level: string }[] })[],
): 'id' | 'title' | null {
  const [ownId, ownTitle] = [lookOf(id), lookOf(title)]
  if (frameworks.some((ours) => lookOf(ours.id) === ownId)) return 'id'
  const whole = frameworks.filter(({ controls }) => controls.some(({ level }) => level !== 'related'))
  return ownTitle.length >= SHORTEST_TITLE &&
    whole.some(({ title: ours }) => lookOf(ours).startsWith(ownTitle) || ownTitle.startsWith(lookOf(ours)))
    ? 'title'
    : null
}

const SHORTEST_TITLE = 4
/** Letters of other alphabets, and digits, that look like the Latin letter below them (UTS #39, confusables). */
const ALIKE = 'авекмнорстухіѕјԁӏαβεικνορτυχ015'
const LATIN = 'abekmhopctyxisjdlabeikvoptuxols'
const LOOKS: ReadonlyMap<string, string> = new Map([...ALIKE].map((letter, at) => [letter, LATIN[at] ?? letter]))

const lookOf = (text: string): string =>
  [...text.normalize('NFKD').toLowerCase()]
    .map((letter) => LOOKS.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('i', 'l')
