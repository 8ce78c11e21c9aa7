/** Where the window stores its own fleet and the host key decisions, inside this user's folder. */
export const fleetPath = (folder: string): string => `${folder}/fleet.json`
/**
 * Next to the fleet, where the command line looks for them too: a scheduled run trusts exactly what a person decided
 * here.
 */
export const decisionsPath = (folder: string): string => `${fleetPath(folder)}.known_hosts`
/** Where earlier versions stored them. */
export const decisionsBefore = (folder: string): string => `${folder}/host-keys`

/**
 * Where declarations and documents of a fleet are stored. Those of the demo fleet are separate, so that they never mix
 * with real ones.
 */
export const shelfPath = (folder: string, demo: boolean): string => (demo ? `${folder}/demo` : folder)
