import { inflateRawSync } from 'node:zlib'
import type { PrintSetup } from '../../main/core/all-ports.ts'
import { takeApart } from './zip-parts.ts'

/** A workbook read again from its bytes, by nothing that wrote it: parts by path, and cells by sheet. */
export interface ReadWorkbook {
  readonly parts: ReadonlyMap<string, string>
  readonly sheets: ReadonlyMap<string, readonly (readonly (string | number)[])[]>
}

/** Pages for workbooks whose print does not matter to a test. */
export const PAGES: PrintSetup = { paper: 'letter', foot: 'Fleet, run' }

export function readXlsx(bytes: Uint8Array): ReadWorkbook {
  const parts = new Map(
    takeApart(Buffer.from(bytes)).map(({ name, local, listed }) => {
      const data = local.subarray(30 + local.readUInt16LE(26) + local.readUInt16LE(28))
      const plain = listed.readUInt16LE(10) === 0 ? data : inflateRawSync(data)
      return [name, plain.toString('utf8')] as const
    }),
  )
  const texts = [...(parts.get('xl/sharedStrings.xml') ?? '').matchAll(/<si><t[^>]*>([^<]*)<\/t><\/si>/g)].map(
    ([, text]) => decoded(text ?? ''),
  )
  const names = [...(parts.get('xl/workbook.xml') ?? '').matchAll(/<sheet r:id="rId(\d+)"[^>]*? name="([^"]*)"/g)]
  return {
    parts,
    sheets: new Map(
      names.map(([, id, name]) => [
        decoded(name ?? ''),
        rowsOf(parts.get(`xl/worksheets/sheet${id}.xml`) ?? '', texts, dateFormats(parts.get('xl/styles.xml') ?? '')),
      ]),
    ),
  }
}

/** By style: the format of its cells, where it shows a day or a time. */
function dateFormats(xml: string): readonly (string | undefined)[] {
  const codes = new Map(
    [...xml.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(
      ([, id, code]) => [id ?? '', code] as const,
    ),
  )
  const cells = /<cellXfs.*?<\/cellXfs>/s.exec(xml)?.[0] ?? ''
  return [...cells.matchAll(/<xf ([^>]*)>/g)].map(([, xf]) => codes.get(/numFmtId="(\d+)"/.exec(xf ?? '')?.[1] ?? ''))
}

/** The text that a table of text has for a date: a serial number counts days from 30 December 1899. */
function dateText(serial: number, format: string): string {
  const instant = new Date(Date.UTC(1899, 11, 30) + Math.round(serial * 86_400_000)).toISOString()
  return format.includes('hh') ? instant : instant.slice(0, 10)
}

const rowsOf = (
  xml: string,
  texts: readonly string[],
  formats: readonly (string | undefined)[],
): (string | number)[][] =>
  [...xml.matchAll(/<row [^>]*?(?:\/>|>(.*?)<\/row>)/gs)].map(([, cells]) => {
    const row: (string | number)[] = []
    for (const [, column, style, type, value] of (cells ?? '').matchAll(
      /<c r="([A-Z]+)\d+"(?: s="(\d+)")?[^>]*?(?: t="(\w+)")?><v>([^<]*)<\/v><\/c>/g,
    )) {
      const at = [...(column ?? '')].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
      while (row.length < at) row.push('')
      const format = formats[Number(style ?? 0)]
      row.push(
        type === 's'
          ? (texts[Number(value)] ?? '')
          : format === undefined
            ? Number(value)
            : dateText(Number(value), format),
      )
    }
    return row
  })

const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
