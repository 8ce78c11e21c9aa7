import type { Signer } from '../../main/core/ports/ports.ts'
import { bodyOf, pdfOfText, refIn, textOfPdf, trailerNumber } from './pdf-editing.ts'
import type { Levels } from './pdf-levels.ts'

export interface AttackKit {
  /** The report under attack, and another one by the same signer and authority. */
  readonly levels: Levels
  readonly other: Levels
  readonly unsigned: Uint8Array
  readonly signer: Signer
}

/** An altered report, and what its reader must say of it. */
export interface PdfAttack {
  readonly name: string
  readonly named: RegExp
  readonly build: (kit: AttackKit) => Uint8Array | Promise<Uint8Array>
}

/** Changes the archived report. */
export const edited =
  (change: (text: string, kit: AttackKit) => string): PdfAttack['build'] =>
  (kit) =>
    pdfOfText(change(textOfPdf(kit.levels.archived), kit))

interface Places {
  readonly catalogId: number
  readonly catalog: string
  readonly pagesId: number
  readonly pages: string
  readonly pageId: number
  readonly page: string
  readonly next: number
}

export function placesIn(text: string): Places {
  const catalogId = trailerNumber(text, 'Root')
  const catalog = bodyOf(text, catalogId)
  const pagesId = refIn(catalog, 'Pages')
  const pages = bodyOf(text, pagesId)
  const pageId = refIn(pages, 'Kids')
  return { catalogId, catalog, pagesId, pages, pageId, page: bodyOf(text, pageId), next: trailerNumber(text, 'Size') }
}

export const stream = (content: string, keys = ''): string =>
  `<<\n${keys}/Length ${content.length}\n>>\nstream\n${content}\nendstream`
