/** Makes a `switch` over a closed union fail to compile when a member is added and not handled. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
