import type { FileHandle } from 'node:fs/promises'
import { decodeUtf8, quote } from '../../core/plain-text.ts'
import type { TableRow } from '../../core/table.ts'
import { bytesAt } from '../pack/blocks.ts'
import type { Limits } from '../pack/limits.ts'
import { readEnd } from '../pack/zip-end.ts'
import { LOCAL_BYTES, STORED } from '../pack/zip-format.ts'
import { type EntryList, readList } from '../pack/zip-list.ts'
import { inflateWhole } from '../pack/zip-unpack.ts'
import { rowsOfSheet } from './sheet.ts'
import { readXml } from './xml.ts'

const MIB = 1024 ** 2
/** Before anything is unpacked, an archive that exceeds one of these is refused. */
const LIMITS: Limits = {
  entries: 1_000,
  totalBytes: 64 * MIB,
  ratio: 200,
  ratioFrom: MIB,
  wholeRatio: 100,
  wholeRatioFrom: 16 * MIB,
  listBytes: MIB,
  readBytes: 32 * MIB,
}

/**
 * Rows with content of the first sheet of an Office Open XML workbook (ECMA-376). Nothing in it is evaluated, and no other document is loaded.
 * Throws where it is no workbook, and where it exceeds a limit.
 */
export async function rowsOfWorkbook(file: FileHandle, size: number): Promise<readonly TableRow[]> {
  const list = await readList(file, await readEnd(file, size, LIMITS), LIMITS)
  const part = (name: string): Promise<string | null> => partOf(file, list, name)
  const workbook = await part('xl/workbook.xml')
  const relations = await part('xl/_rels/workbook.xml.rels')
  if (workbook === null || relations === null) throw new Error('this is not a workbook')
  const { relation, countsFrom1904 } = firstSheet(workbook)
  const sheet = await part(pathOf(relations, relation))
  if (sheet === null) throw new Error('the workbook has no sheet')
  return rowsOfSheet(sheet, {
    texts: textsOf((await part('xl/sharedStrings.xml')) ?? '<sst/>'),
    dateStyles: dateStylesOf((await part('xl/styles.xml')) ?? '<styleSheet/>'),
    countsFrom1904,
  })
}

/** One part as text; null where there is none. */
async function partOf(file: FileHandle, list: EntryList, name: string): Promise<string | null> {
  const index = list.names.indexOf(name)
  if (index < 0) return null
  const entry = list.entry(index)
  if (entry.size > LIMITS.readBytes) throw new Error(`${quote(name)} is larger than ${LIMITS.readBytes / MIB} MiB`)
  const header = await bytesAt(file, entry.at, LOCAL_BYTES)
  const start = entry.at + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
  const packed = await bytesAt(file, start, entry.packed)
  const text = decodeUtf8(entry.method === STORED ? packed : inflateWhole(packed, entry))
  if (text === null) throw new Error(`${quote(name)} is not UTF-8`)
  return text
}

function firstSheet(xml: string): { readonly relation: string; readonly countsFrom1904: boolean } {
  let relation: string | null = null
  let countsFrom1904 = false
  readXml(xml, {
    opened: (name, attributes) => {
      if (name === 'workbookPr') countsFrom1904 = ['1', 'true'].includes(attributes().date1904 ?? '')
      if (name === 'sheet') relation ??= Object.entries(attributes()).find(([key]) => key.endsWith(':id'))?.[1] ?? null
    },
  })
  if (relation === null) throw new Error('the workbook has no sheet')
  return { relation, countsFrom1904 }
}

/** Path of the part of a relation (ECMA-376 part 2); relative to the folder of the workbook. */
function pathOf(xml: string, id: string): string {
  let target = ''
  readXml(xml, {
    opened: (name, attributes) => {
      if (name === 'Relationship' && attributes().Id === id) target = attributes().Target ?? ''
    },
  })
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

/** The shared texts: runs of one text are joined, and phonetic guides are left out. */
function textsOf(xml: string): readonly string[] {
  const texts: string[] = []
  let [text, isText, isGuide] = ['', false, false]
  readXml(xml, {
    opened: (name) => {
      if (name === 'si') text = ''
      if (name === 't') isText = true
      if (name === 'rPh') isGuide = true
    },
    closed: (name) => {
      if (name === 'si') texts.push(text)
      if (name === 't') isText = false
      if (name === 'rPh') isGuide = false
    },
    text: (more) => {
      if (isText && !isGuide) text += more
    },
  })
  return texts
}

/** Whether the cells of each style show a date (ECMA-376 part 1, 18.8.30). */
function dateStylesOf(xml: string): readonly boolean[] {
  const codes = new Map<number, string>()
  const formats: number[] = []
  let isCell = false
  readXml(xml, {
    opened: (name, attributes) => {
      if (name === 'numFmt') codes.set(Number(attributes().numFmtId), attributes().formatCode ?? '')
      if (name === 'cellXfs') isCell = true
      if (name === 'xf' && isCell) formats.push(Number(attributes().numFmtId ?? 0))
    },
    closed: (name) => {
      if (name === 'cellXfs') isCell = false
    },
  })
  return formats.map((format) => {
    const code = codes.get(format)
    return code === undefined ? BUILT_IN_DATES.has(format) : /[dy]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''))
  })
}

const BUILT_IN_DATES: ReadonlySet<number> = new Set([
  14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58,
])
