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

interface LoadedFont {
  readonly bytes: Uint8Array
  readonly covers: (codePoint: number) => boolean
}

let loaded: Readonly<Record<FontName, LoadedFont>> | undefined

/** The fonts, read once from their packages; found from source and from the built program alike. */
export function fonts(): Readonly<Record<FontName, LoadedFont>> {
  loaded ??= { sans: load('sans'), strong: load('strong'), mono: load('mono') }
  return loaded
}

function load(name: FontName): LoadedFont {
  const file = readFileSync(createRequire(import.meta.url).resolve(FILES[name]))
  const covered = coverage(file)
  // fontkit reads ten bytes at an empty glyph's offset, which for Plex Mono's space is the end of the file: append
  // those bytes.
  return { bytes: Buffer.concat([file, Buffer.alloc(16)]), covers: (codePoint) => covered.has(codePoint) }
}

/**
 * Which characters a TrueType font has glyphs for, read from its `cmap` table (OpenType 1.9, formats 4 and 12). PDF/A
 * forbids drawing a missing glyph (ISO 19005-3, 6.2.11.8), and node text can contain any character, so this is checked
 * before drawing.
 */
function coverage(font: Uint8Array): ReadonlySet<number> {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength)
  const covered = new Set<number>()
  const table = tableOffset(view, 'cmap')
  if (table === null) return covered
  for (let i = 0; i < view.getUint16(table + 2); i += 1) {
    const record = table + 4 + i * 8
    const unicode =
      view.getUint16(record) === 0 || (view.getUint16(record) === 3 && [1, 10].includes(view.getUint16(record + 2)))
    const subtable = table + view.getUint32(record + 4)
    if (unicode && view.getUint16(subtable) === 4) readFormat4(view, subtable, covered)
    if (unicode && view.getUint16(subtable) === 12) readFormat12(view, subtable, covered)
  }
  return covered
}

function tableOffset(view: DataView, tag: string): number | null {
  for (let i = 0; i < view.getUint16(4); i += 1) {
    const record = 12 + i * 16
    const name = String.fromCharCode(...[0, 1, 2, 3].map((at) => view.getUint8(record + at)))
    if (name === tag) return view.getUint32(record + 8)
  }
  return null
}

function readFormat4(view: DataView, at: number, covered: Set<number>): void {
  const segments = view.getUint16(at + 6) / 2
  const ends = at + 14
  const starts = ends + segments * 2 + 2
  const deltas = starts + segments * 2
  const ranges = deltas + segments * 2
  for (let segment = 0; segment < segments; segment += 1) {
    const start = view.getUint16(starts + segment * 2)
    const end = view.getUint16(ends + segment * 2)
    const delta = view.getUint16(deltas + segment * 2)
    const range = view.getUint16(ranges + segment * 2)
    for (let code = start; code <= end && code < 0xffff; code += 1) {
      const glyph = range === 0 ? code : view.getUint16(ranges + segment * 2 + range + (code - start) * 2)
      const id = range !== 0 && glyph === 0 ? 0 : (glyph + delta) & 0xffff
      if (id !== 0) covered.add(code)
    }
  }
}

function readFormat12(view: DataView, at: number, covered: Set<number>): void {
  for (let group = 0; group < view.getUint32(at + 12); group += 1) {
    const record = at + 16 + group * 12
    const first = view.getUint32(record)
    const glyph = view.getUint32(record + 8)
    for (let code = first; code <= view.getUint32(record + 4); code += 1)
      if (glyph + code - first !== 0) covered.add(code)
  }
}
