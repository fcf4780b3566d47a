import { spawnSync } from 'node:child_process'

/** The program of PgBouncer, where it is installed (`apt install pgbouncer`). */
export function findPgBouncer(): string | undefined {
  const paths = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer']
  return paths.find((path) => spawnSync(path, ['--version']).status === 0)
}
