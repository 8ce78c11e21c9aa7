/** Place of an anchor. `place` is the name that links lead to. */
export interface Landing {
  readonly place: string
  /** The words at the anchor, which describe the destination of a link. */
  readonly title: string
  readonly page: number
}

/**
 * Name of a place. Digits only, so that every locale sorts the names as PDF does (ISO 32000-1, 7.9.6), whatever an
 * anchor is called.
 */
export const placeName = (kind: 'section' | 'anchor', index: number): string =>
  `${kind}-${String(index).padStart(5, '0')}`

/**
 * The anchors of a report and the links to them. A rehearsal notes both; the drawing pass then knows the page of each
 * anchor ahead, and makes destinations only of those that a link leads to, as every one stays in memory to the end.
 */
export class Landings {
  private readonly found = new Map<string, Landing>()
  private readonly repeated = new Set<string>()
  private readonly wanted = new Set<string>()

  note(anchor: string, title: string, page: number, place = placeName('anchor', this.found.size)): void {
    if (this.found.has(anchor)) this.repeated.add(anchor)
    else this.found.set(anchor, { place, title, page })
  }

  want(anchor: string): void {
    this.wanted.add(anchor)
  }

  isWanted(anchor: string): boolean {
    return this.wanted.has(anchor)
  }

  /** Throws where a link leads nowhere, or to an anchor with several places: an error of the document. */
  resolve(): void {
    for (const anchor of this.wanted) {
      if (!this.found.has(anchor)) throw new Error(`A link leads to an unknown anchor: ${anchor}`)
      if (this.repeated.has(anchor)) throw new Error(`A link leads to an anchor with more than one place: ${anchor}`)
    }
  }

  /** Of an anchor that a link leads to; after resolve() it is known. */
  at(anchor: string): Landing {
    const landing = this.found.get(anchor)
    if (landing === undefined) throw new Error(`A link leads to an unknown anchor: ${anchor}`)
    return landing
  }
}
