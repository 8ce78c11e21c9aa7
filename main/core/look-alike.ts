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
/**
 * Letters of other alphabets, and digits, that look like a Latin letter (UTS #39, confusables), in the case in which they do: those of Cyrillic,
 * Greek, Armenian, Coptic, Cherokee and Lisu, Latin small capitals and letters with a stroke.
 */
const ALIKE: Readonly<Record<string, string>> = {
  a: 'аαΑꭺᎪꓮᴀɑⲁ',
  b: 'вβΒᏴꓐʙ',
  c: 'сϲᏟꓚᴄⲥ',
  d: 'ԁᎠꓓᴅđð',
  e: 'еεΕᎬꓰᴇєҽ',
  h: 'нΗһհᎻꓧʜⲏħ',
  i: 'іιΙӏᎥꓲɪıⲓɩ',
  j: 'јϳᎫꓙᴊ',
  k: 'кκΚᏦꓗᴋⲕ',
  l: '1Ꮮꓡʟłլǀ',
  m: 'мΜᎷꓟᴍⲙ',
  n: 'ηΝꓠɴոռ',
  o: '0оοօσᴏꓳⲟø',
  p: 'рρΡᏢꓑᴘⲣƿ',
  r: 'гᎡꓣʀⲅ',
  s: '5ѕᏚꓢꜱՏ',
  t: 'тτΤᎢꓔᴛⲧŧ',
  u: 'υμսᴜꓴՍʋ',
  v: 'νѵᏙꓦᴠ',
  x: 'хχΧꓫⲭ',
  y: 'уγΥүᎩꓬʏⲩү',
  z: 'ΖᏃꓜᴢ',
}
const LOOKS: ReadonlyMap<string, string> = new Map(
  Object.entries(ALIKE).flatMap(([latin, letters]) => [...letters].map((letter) => [letter, latin] as const)),
)

/** A letter as it is seen: by itself, or by its small or capital form. */
const seenAs = (letter: string): string => {
  const small = letter.toLowerCase()
  return LOOKS.get(letter) ?? LOOKS.get(small) ?? LOOKS.get(letter.toUpperCase()) ?? small
}

const lookOf = (text: string): string =>
  [...text.normalize('NFKD')]
    .map(seenAs)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('i', 'l')
