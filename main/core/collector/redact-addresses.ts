import { MANY, NEW, type Rule } from './redact-parts.ts'

/** RFC 3986 §3.1. It begins where a word does, so that no word is searched twice. */
const SCHEME = '(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}:\\/\\/'

/** Behind a question mark, or the last character of one of the three ways to write an ampersand. */
const PARAMETERS = ['?', '&', ';', '6'].flatMap((before) =>
  ['sig=', 'x-amz-', 'x-goog-', 'signature=', 'code=', 'key=', 'api', 'function', 'auth=', 'sas=', 'p='].map(
    (name) => before + name,
  ),
)
const UP_TO_PARAMETER = new RegExp(`[^\\s"'<>&#\\\\]${MANY}`, 'y')

/** Credentials in addresses, and addresses that are credentials. */
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
  // Parameters that sign or open what the address names: shared access signatures of Azure, presigned addresses of AWS, Google and CloudFront,
  // codes of functions, and the password of InfluxDB. In JSON of Go the ampersand is escaped, and in XML.
  {
    class: 'url-credentials',
    needs: PARAMETERS,
    pattern: new RegExp(
      `((?:[?&]|&amp;|\\\\u0026)(?:sig|signature|x-(?:amz|goog)-signature|code|(?:api[_-]?|function)?key|auth|sas|(?<=[?&;6]u=[^\\s"'<>&#]{1,64}(?:[?&]|&amp;|\\\\u0026))p)=)${NEW}[^\\s"'<>&#\\\\]{6,4096}`,
      'gi',
    ),
    rest: () => UP_TO_PARAMETER,
  },
  // Webhooks and pings: whoever knows the path may write there.
  {
    class: 'url-credentials',
    needs: ['hooks.slack', '/webhooks/', 'webhook.office.com/', 'hc-ping.com/'],
    pattern: new RegExp(
      `((?:hooks\\.slack(?:-gov)?\\.com/(?:services|workflows|triggers)|discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{1,32}|webhook\\.office\\.com/webhookb2|hc-ping\\.com)/)${NEW}[^\\s"'<>\\\\]{8,2048}`,
      'gi',
    ),
  },
  {
    class: 'url-credentials',
    needs: ['api.telegram.org/'],
    pattern: new RegExp(`(api\\.telegram\\.org/(?:file/)?bot)${NEW}\\d{1,16}:[\\w-]{1,128}`, 'gi'),
  },
  // dracut.cmdline(7), netroot=iscsi:user:password@; curlftpfs(1), user=name:password.
  {
    class: 'url-credentials',
    needs: ['iscsi:'],
    pattern: new RegExp(`((?<![\\w-])iscsi:[^\\s:@/"']{1,128}:)${NEW}[^\\s@/"']{1,512}(@)`, 'g'),
  },
  {
    class: 'url-credentials',
    needs: ['user=', 'creds='],
    pattern: new RegExp(
      `((?<![\\w.-])(?:proxy_)?(?:user|creds)=["']?(?!\\d{1,10}:)[^\\s:,;"'=/@]{1,128}:)${NEW}[^\\s"',]{1,512}`,
      'g',
    ),
  },
  // Data source names of Go: user:password@tcp(host).
  {
    class: 'url-credentials',
    needs: ['@(', '@tcp(', '@unix('],
    pattern: new RegExp(`((?<![\\w.[-])[\\w.-]{1,64}:)${NEW}[^\\s"'@/]{1,256}(@(?:tcp|unix)?\\()`, 'g'),
  },
]
