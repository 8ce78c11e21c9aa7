/** A field with a problem. Its control takes the focus. */
const FIELD = '[data-invalid] :is(input, textarea, button, [role=spinbutton])'

/**
 * Moves the focus to the first field with a problem; `also` selects elements that state a problem of the whole form.
 * Returns whether there was one.
 */
export function focusProblem(within: Element | null, also = ''): boolean {
  const first = within?.querySelector<HTMLElement>(also === '' ? FIELD : `${FIELD}, ${also}`) ?? null
  first?.focus()
  return first !== null
}

/**
 * Does the same once the problems of a form that was just sent are drawn. They may be far above the button that sent
 * it.
 */
export const focusProblemSoon = (form: Element): void => void requestAnimationFrame(() => focusProblem(form))
