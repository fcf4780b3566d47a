import { Client } from 'pg'

/** @returns whether databases of a PostgreSQL server can have pgvector */
export async function hasPgvector(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const found = await client.query("select from pg_available_extensions where name = 'vector'")
    return found.rowCount === 1
  } finally {
    await client.end()
  }
}
