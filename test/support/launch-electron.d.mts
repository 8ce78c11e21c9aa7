/** The runtime to use, or null when there is none yet. */
export function findElectron(root: string): { path: string; from: 'override' | 'official' | 'fetched' } | null
