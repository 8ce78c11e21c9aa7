/** Whether an IP address is a loopback address. A host name is not: it may resolve to any address. */
export const isLoopback = (address: string): boolean =>
  /^127\.(25[0-5]|2[0-4]\d|1?\d?\d)\.(25[0-5]|2[0-4]\d|1?\d?\d)\.(25[0-5]|2[0-4]\d|1?\d?\d)$/.test(address) ||
  address === '::1'

/** Whether the host of a URL is a loopback IP address. */
export function isLoopbackUrl(url: string): boolean {
  try {
    return isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'))
  } catch {
    return false
  }
}
