import { Parser } from 'saxen'

export interface XmlReader {
  /** Names without their prefix. */
  readonly opened?: (name: string, attributes: () => Readonly<Record<string, string | undefined>>) => void
  readonly closed?: (name: string) => void
  readonly text?: (text: string) => void
}

/** Reads an XML document once, from start to end. Entities that a document declares are not expanded. Throws where it is not well-formed. */
export function readXml(xml: string, { opened, closed, text }: XmlReader): void {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1)
  let problem: Error | null = null
  new Parser()
    .on('openTag', (name, attributes) => opened?.(local(name), attributes))
    .on('closeTag', (name) => closed?.(local(name)))
    .on('text', (words, decode) => text?.(decode(words)))
    .on('cdata', (words) => text?.(words))
    .on('error', (found) => {
      problem ??= found
    })
    .parse(xml)
  if (problem !== null) throw problem
}
