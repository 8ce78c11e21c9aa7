/**
 * Lets code empty an element by `innerHTML = ''` where Trusted Types are required (CSP `require-trusted-types-for`, `trusted-types 'none'`).
 * react-aria clears its live announcer this way when a second digit is typed into a date or number field, and the exception left the window
 * blank. Only the empty string is accepted; the browser still refuses any other.
 */
export function allowClearing(prototype: Element = Element.prototype): void {
  const found = Object.getOwnPropertyDescriptor(prototype, 'innerHTML')
  const set = found?.set
  if (found === undefined || set === undefined) return
  Object.defineProperty(prototype, 'innerHTML', {
    ...found,
    set(this: Element, value: unknown) {
      if (value === '') this.replaceChildren()
      else set.call(this, value)
    },
  })
}
