import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/**
 * IBM Plex (SIL Open Font License 1.1). The standard 14 PDF fonts cannot be embedded, and PDF/A requires every font to
 * be embedded.
 */
const FILES = {
  sans: '@expo-google-fonts/ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf',
  strong: '@expo-google-fonts/ibm-plex-sans/600SemiBold/IBMPlexSans_600SemiBold.ttf',
  mono: '@expo-google-fonts/ibm-plex-mono/400Regular/IBMPlexMono_400Regular.ttf',
} as const

export type FontName = keyof typeof FILES
export const FONT_NAMES = Object.keys(FILES) as readonly FontName[]

/** Plex Mono: every glyph is 600 units of 1000 wide. */
export const MONO_ADVANCE = 0.6

/** The bytes of a font from its package; found from source and from the built program alike. */
export function fontFile(name: FontName): Buffer {
  const file = readFileSync(createRequire(import.meta.url).resolve(FILES[name]))
  // fontkit reads ten bytes at an empty glyph's offset, which for Plex Mono's space is the end of the file: append
  // those bytes.
  return Buffer.concat([file, Buffer.alloc(16)])
}
