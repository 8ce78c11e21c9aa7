/** The policy of the window, extended by requests to this server. Trusted types prevent that scripts create markup from text. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const ALWAYS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cache-Control': 'no-store',
} as const

const YEAR_SECONDS = 31_536_000

/** Headers of every response, including errors. */
export const headersOf = (hasTls: boolean): Readonly<Record<string, string>> =>
  hasTls ? { ...ALWAYS, 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}` } : ALWAYS

/**
 * Name of the session cookie. Its prefix `__Host-` makes a browser accept it only from this host, over TLS and for every path; without TLS
 * (loopback) there is no prefix.
 */
export const cookieName = (hasTls: boolean): string => (hasTls ? '__Host-barewitness' : 'barewitness')
export const signInCookieName = (hasTls: boolean): string => `${cookieName(hasTls)}-sign-in`

/**
 * A cookie for this server. Strict: no other site can make a browser send it. Only the cookie of a sign-in in progress is Lax, because the
 * identity provider sends the browser back with it. Without a lifetime it ends with the browser.
 */
export const cookieOf = (
  name: string,
  value: string,
  how: { readonly hasTls: boolean; readonly sameSite: 'Strict' | 'Lax'; readonly seconds?: number },
): string =>
  [
    `${name}=${value}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${how.sameSite}`,
    ...(how.hasTls ? ['Secure'] : []),
    ...(how.seconds === undefined ? [] : [`Max-Age=${how.seconds}`]),
  ].join('; ')

/** The value of a cookie; undefined where it is absent or given twice. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
  return values.length === 1 ? values[0] : undefined
}

/** The headers in which a browser states the origin of a request. */
interface Origins {
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
}

/**
 * Whether a browser may have sent a request for another site. Programs that state neither header need the cookie and the CSRF header. A form of
 * our own pages has the origin `null`, because they send no referrer; the browser then states the site, which no page can choose.
 */
export const isForeign = ({ origin, fetchSite }: Origins, own: string): boolean =>
  (origin !== undefined && origin !== own && !(origin === 'null' && fetchSite === 'same-origin')) ||
  (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none')
