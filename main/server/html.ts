/** Pages that the server writes itself: sign-in, choice of an engagement, sessions and errors. */

export const STYLE = `:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font: 1rem/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 40rem; margin: 4rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; font-weight: 600; }
a, button { font: inherit; }
a { color: LinkText; }
li { margin: .5rem 0; }
main:has(table) { max-width: 72rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
caption { font-weight: 600; padding: .5rem 0; text-align: start; }
th, td { border-block-end: 1px solid GrayText; padding: .5rem .75rem .5rem 0; text-align: start; vertical-align: top; }
main > form { margin-block: 1rem; }
td form { margin-block-end: .25rem; }
`

/** A button that sends a form without visible fields. */
export interface ServerForm {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly label: string
  /** Accessible name of the button, which includes its row; begins with the label. */
  readonly description?: string
}

interface ServerTable {
  readonly caption: string
  /** Headings of the columns before the column of buttons. */
  readonly heads: readonly string[]
  /** The first cell is the heading of the row. Line breaks in a cell are kept. */
  readonly rows: readonly { readonly cells: readonly string[]; readonly forms: readonly ServerForm[] }[]
}

export interface ServerPage {
  readonly title: string
  readonly lines: readonly string[]
  readonly table?: ServerTable
  readonly forms?: readonly ServerForm[]
  /** Links with their texts. */
  readonly links?: readonly (readonly [href: string, text: string])[]
  readonly signOut?: { readonly csrf: string }
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.codePointAt(0)};`)

const formOf = ({ action, fields, label, description }: ServerForm): string => {
  const hidden = Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join('')
  const named = description === undefined ? '' : ` aria-label="${escaped(description)}"`
  return `<form method="post" action="${escaped(action)}">${hidden}<button${named}>${escaped(label)}</button></form>`
}

const cellOf = (text: string): string => escaped(text).replaceAll('\n', '<br>')

const rowOf = ({ cells: [first = '', ...others], forms }: ServerTable['rows'][number]): string =>
  `<tr><th scope="row">${cellOf(first)}</th>${others.map((text) => `<td>${cellOf(text)}</td>`).join('')}<td>${forms.map(formOf).join('')}</td></tr>`

// Wide content can be scrolled with keys as well.
const tableOf = ({ caption, heads, rows }: ServerTable): string =>
  `<div class="wide" role="region" tabindex="0" aria-label="${escaped(caption)}"><table><caption>${escaped(caption)}</caption>
<thead><tr>${[...heads, 'Actions'].map((head) => `<th scope="col">${escaped(head)}</th>`).join('')}</tr></thead>
<tbody>${rows.map(rowOf).join('\n')}</tbody></table></div>`

/** A page as HTML. Every text is escaped; it has no script. */
export const htmlOf = ({ title, lines, table, forms = [], links = [], signOut }: ServerPage): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)} - Barewitness</title><link rel="stylesheet" href="/server.css"></head>
<body><main>
<h1>${escaped(title)}</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
${table === undefined ? '' : tableOf(table)}
${forms.map(formOf).join('\n')}
${links.length === 0 ? '' : `<ul>${links.map(([href, text]) => `<li><a href="${escaped(href)}">${escaped(text)}</a></li>`).join('')}</ul>`}
${signOut === undefined ? '' : formOf({ action: '/auth/sign-out', fields: { csrf: signOut.csrf }, label: 'Sign out' })}
</main></body>
</html>
`
