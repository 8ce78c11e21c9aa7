import type { Page } from 'playwright-core'

/**
 * What of a page a person cannot read: content wider than an element that is not meant to scroll sideways, clipped content, and text cut by an
 * ellipsis whose whole is in no title. One line each, the innermost element of each place.
 */
export const cutContent = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const PIXELS = 1
    // These scroll what is typed, or show one choice of which the whole is in their list.
    const FIELDS = 'input, textarea, select, option'
    // A screen or a dialog is read downwards; only tables and program text in it scroll sideways.
    const NEVER_SIDEWAYS = 'html, body, main, .stage, .frame, [role=dialog], [role=alertdialog], .modal, .form'
    const isShown = (element: Element): boolean => {
      const { width, height } = element.getBoundingClientRect()
      // Text for screen readers alone is one pixel.
      return width > 2 && height > 2 && element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
    }
    const titled = (element: Element | null, levels: number): boolean =>
      element !== null &&
      levels > 0 &&
      ((element.getAttribute('title') ?? '') !== '' || titled(element.parentElement, levels - 1))
    const problemOf = (element: HTMLElement): string | null => {
      const style = getComputedStyle(element)
      if (style.display === 'inline' || style.display === 'contents' || !isShown(element)) return null
      // What scrolls the screen itself has a bar for a single pixel.
      const isScreen =
        element.matches(NEVER_SIDEWAYS) && (element.matches('html') || /auto|scroll/.test(style.overflowX))
      const wide = element.scrollWidth - element.clientWidth > (isScreen ? 0 : PIXELS)
      const high = element.scrollHeight - element.clientHeight > PIXELS
      const isClipped = (overflow: string): boolean => overflow === 'hidden' || overflow === 'clip'
      if (/auto|scroll/.test(style.overflowX) && !element.matches(NEVER_SIDEWAYS)) return null
      if (isClipped(style.overflowX) && wide)
        return titled(element, 4) ? null : `cut at ${element.clientWidth} of ${element.scrollWidth} px`
      if (isClipped(style.overflowY) && high && element.childElementCount === 0)
        return titled(element, 4) ? null : `cut at ${element.clientHeight} of ${element.scrollHeight} px high`
      return wide ? `${element.scrollWidth} px in ${element.clientWidth} px` : null
    }
    const found = [...document.querySelectorAll<HTMLElement>('html, body, body *')]
      .filter((element) => element instanceof HTMLElement && !element.matches(FIELDS))
      .flatMap((element) => {
        const problem = problemOf(element)
        return problem === null ? [] : [{ element, problem }]
      })
    const innermost = found.filter(
      ({ element }) => !found.some((other) => other.element !== element && element.contains(other.element)),
    )
    return innermost.map(({ element, problem }) => {
      const classes = [...element.classList].filter((name) => !name.startsWith('react-aria')).join('.')
      const place =
        element.parentElement === null ? '' : `${element.parentElement.className.toString().split(' ')[0]} > `
      const text = (element.textContent ?? '').trim().replaceAll(/\s+/g, ' ').slice(0, 80)
      return `${place}${element.tagName.toLowerCase()}${classes === '' ? '' : `.${classes}`}: ${problem}: ${text}`
    })
  })
