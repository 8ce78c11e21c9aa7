import type { Mapping } from '../../../schemas/types.ts'

type Named = Pick<Mapping, 'id' | 'title'>

/**
 * Whether an id resembles that of a framework of ours, or a title that of one we map in full, regardless of the
 * alphabet; or has no word of its own beside theirs. Of other frameworks we have only some rows, by id, and a customer
 * may well load the whole.
 */
export function imitated(
  { id, title }: Named,
  frameworks: readonly (Named & { readonly controls: readonly { readonly level: string }[] })[],
): 'id' | 'title' | null {
  const [ownId, ownTitle] = [lookOf(id), lookOf(title)]
  if (frameworks.some((ours) => lookOf(ours.id) === ownId)) return 'id'
  const whole = frameworks.filter(({ controls }) => controls.some(({ level }) => level !== 'related'))
  if (whole.some((ours) => isOnly(id, ours))) return 'id'
  return ownTitle.length >= SHORTEST_TITLE &&
    whole.some(
      (ours) =>
        lookOf(ours.title).startsWith(ownTitle) || ownTitle.startsWith(lookOf(ours.title)) || isOnly(title, ours),
    )
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

/** Accents, and characters that are not drawn. */
const UNSEEN = /[\p{M}\p{Default_Ignorable_Code_Point}]/gu

/** A text as it is seen: letters and digits only, without case and accents, each as the Latin letter that it looks like. */
export const lookOf = (text: string): string =>
  [...text.normalize('NFKD').replace(UNSEEN, '')]
    .map(seenAs)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('i', 'l')

interface Word {
  readonly look: string
  readonly isNumber: boolean
}

/** The words of a name as they are seen; a number at the end of one is a word by itself. Characters that are not seen separate nothing. */
const wordsOf = (text: string): readonly Word[] =>
  text
    .normalize('NFKD')
    // The fillers of Hangul are drawn as blanks.
    .replace(/[\u115f\u1160]/g, ' ')
    .replace(UNSEEN, '')
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => /^(\p{L}{3,})(\p{N}+)$/u.exec(word)?.slice(1) ?? [word])
    .filter((word) => word.length > 1)
    .map((word) => ({ look: lookOf(word), isNumber: /^\p{N}+$/u.test(word) }))

/** Words that distinguish no framework from another of the same name; so do numbers. */
const ADDED = new Set(
  wordsOf(
    'aicpa and audit by cfr complete control controls criteria current edition federal final for framework full hhs ii iii in new of official on regulation regulations report requirement requirements revised rules standard standards the to two type us usa version whole',
  ).map(({ look }) => look),
)

/** Whether a name has only words of ours, as “The HIPAA Security Rule” and “45 CFR Part 164 Subpart C” have: the first one, or at least two. */
function isOnly(name: string, ours: Named): boolean {
  const named = [...wordsOf(ours.id), ...wordsOf(ours.title)].map(({ look }) => look)
  const words = wordsOf(name)
  const isOwn = ({ look, isNumber }: Word): boolean => !isNumber && !ADDED.has(look) && !named.includes(look)
  const theirs = new Set(words.flatMap(({ look }) => (named.includes(look) && !ADDED.has(look) ? [look] : [])))
  const isNamed = theirs.size > 1 || named.slice(0, 1).some((look) => theirs.has(look))
  return isNamed && !words.some(isOwn)
}
