/** Where the window keeps its own fleet and the decisions about host keys, inside this user's folder. */
export const fleetPath = (folder: string): string => `${folder}/fleet.json`
/** Beside the fleet, where the command line looks for them too: a scheduled run trusts what a person decided here, and nothing else. */
export const decisionsPath = (folder: string): string => `${fleetPath(folder)}.known_hosts`
/** Where earlier versions kept them. */
export const decisionsBefore = (folder: string): string => `${folder}/host-keys`

/** Where words about a fleet are kept. Those about the demo fleet lie apart, so that they never mix with real ones. */
export const shelfPath = (folder: string, demo: boolean): string => (demo ? `${folder}/demo` : folder)
