import { COLLECTOR_TOKEN, tokenDigest } from '../core/jobs.ts'

/** The program whose token an Authorization header contains, or null. Only digests are compared. */
export function holderOf<T extends { readonly tokenDigest: string }>(
  header: string | undefined,
  known: readonly T[] | undefined,
): T | null {
  const [, token = ''] = /^Bearer ([!-~]+)$/.exec(header ?? '') ?? []
  if (!COLLECTOR_TOKEN.test(token)) return null
  const digest = tokenDigest(token)
  return known?.find((one) => one.tokenDigest === digest) ?? null
}
