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
        rowsOf(parts.get(`xl/worksheets/sheet${id}.xml`) ?? '', texts),
      ]),
    ),
  }
}

const rowsOf = (xml: string, texts: readonly string[]): (string | number)[][] =>
  [...xml.matchAll(/<row [^>]*?(?:\/>|>(.*?)<\/row>)/gs)].map(([, cells]) => {
    const row: (string | number)[] = []
    for (const [, column, type, value] of (cells ?? '').matchAll(
      /<c r="([A-Z]+)\d+"[^>]*?(?: t="(\w+)")?><v>([^<]*)<\/v><\/c>/g,
    )) {
      const at = [...(column ?? '')].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
      while (row.length < at) row.push('')
      row.push(type === 's' ? (texts[Number(value)] ?? '') : Number(value))
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
