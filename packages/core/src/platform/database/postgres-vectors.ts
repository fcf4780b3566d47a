import type { Sql, VectorSupport } from './database.ts'

interface State {
  available: boolean
  version: string | null
  schema: string | null
  reached: boolean
}

const state = `select
  exists (select from pg_available_extensions where name = 'vector') as available,
  e.extversion as version, e.extnamespace::regnamespace::text as schema, to_regtype('vector') is not null as reached
  from (select) one left join pg_extension e on e.extname = 'vector'`

/** Looks for pgvector in the database, which its server may not have, and where only a superuser may be allowed to create it. */
export async function findVectors(sql: Sql): Promise<VectorSupport> {
  const found = await sql.get<State>(state)
  if (found?.version && found.reached) return { by: `pgvector ${found.version}` }
  if (found?.version)
    return { missing: `pgvector is in the schema ${found.schema}, which the search_path of this user lacks` }
  return {
    missing: found?.available
      ? 'pgvector is not created in this database: a superuser does that there by `create extension vector`'
      : 'the PostgreSQL server does not have pgvector',
  }
}
