/** Where the window keeps its own fleet and the decisions about host keys, inside this user's folder. */
export const fleetPath = (folder: string): string => `${folder}/fleet.json`
export const decisionsPath = (folder: string): string => `${folder}/host-keys`
