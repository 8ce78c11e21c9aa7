import { ok } from '../../core/failure.ts'
import type { SessionStore } from '../../core/session-store.ts'
import { type Connections, patiently } from './connection.ts'

/** Sessions are of the whole server: the sign in the place of their engagement is the name of none. */
const WHOLE_SERVER = '*'

/**
 * Sessions in PostgreSQL. `policy` is a digest of what decides about people: sessions that began under another one are removed when sessions
 * are loaded, so that no one keeps a role that the configuration no longer gives.
 */
export function databaseSessions(connections: Connections, policy: string): SessionStore {
  const done = (text: string, values: readonly unknown[]) =>
    patiently(() =>
      connections.within(WHOLE_SERVER, async (query) => {
        await query(text, values)
        return ok(null)
      }),
    )
  return {
    load: ({ createdAt, usedAt }) =>
      connections.within(WHOLE_SERVER, async (query) => {
        await query('DELETE FROM barewitness.sessions WHERE policy <> $1 OR created_at <= $2 OR used_at <= $3', [
          policy,
          createdAt,
          usedAt,
        ])
        const rows = await query(
          'SELECT hash, public_id, way, person, created_at, used_at FROM barewitness.sessions ORDER BY created_at',
        )
        return ok(
          rows.map((row) => ({
            hash: String(row.hash),
            publicId: String(row.public_id),
            way: String(row.way),
            person: String(row.person),
            createdAt: Number(row.created_at),
            usedAt: Number(row.used_at),
          })),
        )
      }),
    add: ({ hash, publicId, way, person, createdAt, usedAt }) =>
      done(
        `INSERT INTO barewitness.sessions (engagement, hash, public_id, way, policy, person, created_at, used_at)
         VALUES ('${WHOLE_SERVER}', $1, $2, $3, $4, $5, $6, $7) ON CONFLICT (hash) DO NOTHING`,
        [hash, publicId, way, policy, person, createdAt, usedAt],
      ),
    use: (hash, usedAt) =>
      connections.within(WHOLE_SERVER, async (query) => {
        await query('UPDATE barewitness.sessions SET used_at = $2 WHERE hash = $1', [hash, usedAt])
        return ok(null)
      }),
    remove: (hash) => done('DELETE FROM barewitness.sessions WHERE hash = $1', [hash]),
  }
}
