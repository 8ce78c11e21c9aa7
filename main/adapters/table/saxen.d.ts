/** The part of the XML parser that is used here; the package has no types of its own. */
declare module 'saxen' {
  export class Parser {
    on(event: 'openTag', listener: (name: string, attributes: () => Readonly<Record<string, string>>) => void): this
    on(event: 'closeTag', listener: (name: string) => void): this
    on(event: 'text', listener: (text: string, decode: (text: string) => string) => void): this
    on(event: 'cdata', listener: (text: string) => void): this
    on(event: 'error', listener: (problem: Error) => void): this
    parse(xml: string): this
  }
}
