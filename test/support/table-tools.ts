import type { Page } from 'playwright-core'

/**
 * Tables that stay as they are: two extracts of lists with tools, counts whose rows and columns are states, the list of commands, which has a
 * file of its own and rows that belong together, and the values of a figure.
 */
const AS_THEY_ARE = [
  ...['.leading', '.home-frameworks', '.commands', '.figure-table', '.matrix-print'],
  '[aria-labelledby=control-counts] table',
]

/** Tables of more than three columns whose columns cannot be sorted by, each by its label or its headings. */
export const tablesWithoutTools = (page: Page): Promise<readonly string[]> =>
  page.evaluate((asTheyAre) => {
    const headings = (table: Element): readonly Element[] => [
      ...table.querySelectorAll('thead th[scope=col], [role=columnheader]'),
    ]
    const isSortable = (table: Element): boolean =>
      table.querySelector('thead button.sort, [role=columnheader][aria-sort]') !== null
    return [...document.querySelectorAll('main table, main .grid-table')]
      .filter((table) => headings(table).length > 3 && !isSortable(table) && !table.matches(asTheyAre))
      .map(
        (table) =>
          table.getAttribute('aria-label') ??
          headings(table)
            .map((one) => one.textContent)
            .join(', '),
      )
  }, AS_THEY_ARE.join())
