import type { Database } from './database.ts'

const tableOfSteps = {
  sqlite: "select name from sqlite_master where type = 'table' and name = 'mikro_orm_migrations'",
  postgresql: "select to_regclass('mikro_orm_migrations')::text as name",
}

/** The steps that a database has been through, as the ORM's migrator keeps them, read without the ORM. */
export async function executedSteps({ dialect, sql }: Database): Promise<string[]> {
  const table = await sql.get<{ name: string | null }>(tableOfSteps[dialect])
  if (!table?.name) return []
  const steps = await sql.all<{ name: string }>('select name from mikro_orm_migrations order by id')
  return steps.map(({ name }) => name)
}
