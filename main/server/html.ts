/** The few pages that the server writes itself: sign-in, the choice of an engagement, and errors. */

export const STYLE = `:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font: 1rem/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 40rem; margin: 4rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; font-weight: 600; }
a, button { font: inherit; }
a { color: LinkText; }
li { margin: .5rem 0; }
`

export interface ServerPage {
  readonly title: string
  readonly lines: readonly string[]
  /** Links with their texts. */
  readonly links?: readonly (readonly [href: string, text: string])[]
  readonly signOut?: { readonly csrf: string }
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.codePointAt(0)};`)

/** A page as HTML. Every text is escaped; it has no script. */
export const htmlOf = ({ title, lines, links = [], signOut }: ServerPage): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)} - Barewitness</title><link rel="stylesheet" href="/server.css"></head>
<body><main>
<h1>${escaped(title)}</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
${links.length === 0 ? '' : `<ul>${links.map(([href, text]) => `<li><a href="${escaped(href)}">${escaped(text)}</a></li>`).join('')}</ul>`}
${signOut === undefined ? '' : `<form method="post" action="/auth/sign-out"><input type="hidden" name="csrf" value="${escaped(signOut.csrf)}"><button>Sign out</button></form>`}
</main></body>
</html>
`
