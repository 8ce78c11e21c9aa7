import type { CollectorJob } from '../../../schemas/types.ts'
import { err, ok, type Result } from '../../core/failure.ts'
import type { ConnectTarget } from '../../core/ports.ts'

/**
 * The target of a job, or why this collector does not collect it. The server is not trusted: only nodes of the collector's own fleet file
 * are contacted, at the address, with the account and with the host keys that are stated there. What the server declares of the node is
 * recorded; where it is measured from is stated by the collector alone.
 */
export function targetFor(
  { node, hostKey }: CollectorJob,
  targets: readonly ConnectTarget[],
): Result<ConnectTarget, string> {
  const own = targets.find((target) => target.node.name === node.name)
  if (own === undefined) return err('the node is not in the fleet file of this collector')
  const differs = (['address', 'port', 'user', 'sudo'] as const).find((name) => own.node[name] !== node[name])
  if (differs !== undefined) return err(`${differs} differs from the fleet file of this collector`)
  const pinned = own.trust.fingerprint
  if (hostKey !== null && pinned !== undefined && pinned !== hostKey)
    return err('the host key differs from the fleet file of this collector')
  const { vantage: _, ...declared } = node
  const { vantage } = own.node
  return ok({ ...own, node: { ...declared, ...(vantage === undefined ? {} : { vantage }) } })
}
