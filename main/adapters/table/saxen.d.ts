/** The part of the XML parser that is used here; the package has no types of its own. */
declare module 'saxen' {
  export class Parser {
    on(event: 'openTag', told: (name: string, attributes: () => Readonly<Record<string, string>>) => void): this
    on(event: 'closeTag', told: (name: string) => void): this
    on(event: 'text', told: (text: string, decode: (text: string) => string) => void): this
    on(event: 'cdata', told: (text: string) => void): this
    on(event: 'error', told: (problem: Error) => void): this
    parse(xml: string): this
  }
}
