import { NEW, type Rule } from './redact-parts.ts'

/** RFC 3986 §3.1. It begins where a word does, so that no word is searched twice. */
const SCHEME = '(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}:\\/\\/'

export const ADDRESS_RULES: readonly Rule[] = [
  // RFC 3986 §3.2.1, user:password@, up to the last at sign of the authority. The second rule has passwords that contain a slash and are no
  // port; the third has single names in URLs of web protocols, which are tokens.
  {
    class: 'url-credentials',
    needs: ['://'],
    pattern: new RegExp(
      `(${SCHEME})(?![^\\s"'<>/@]{0,512}\\[redacted:)(?=[^\\s"'<>/@]{0,512}:)[^\\s"'<>/]{1,768}(@)`,
      'g',
    ),
  },
  {
    class: 'url-credentials',
    needs: ['://'],
    pattern: new RegExp(`(${SCHEME}[^\\s"'<>/@:[\\]]{1,256}:)${NEW}(?!\\d{1,5}\\/)[^\\s"'<>@]{1,512}(@)`, 'g'),
  },
  {
    class: 'url-credentials',
    needs: ['://'],
    pattern: new RegExp(`((?<![A-Za-z0-9+.-])(?:https?|ftps?|davs?):\\/\\/)${NEW}[^\\s"'<>/@:]{1,512}(@)`, 'gi'),
  },
  // The same in an answer that was truncated before the at sign, unless it is a port.
  {
    class: 'url-credentials',
    needs: ['://'],
    pattern: new RegExp(
      `(${SCHEME}[^\\s"'<>/@:[\\]]{1,256}:)${NEW}(?!\\d{0,5}(?:[/?#]|$))(?:[^\\s"'<>/@]{1,4096}$)`,
      'g',
    ),
  },
]
