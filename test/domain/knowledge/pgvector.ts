import { embedAgain } from '../../../packages/core/src/domain/knowledge/ingestion/embed-again.ts'
import { packVector } from '../../../packages/core/src/domain/knowledge/search/vectors.ts'
import { dialect } from '../../kit/database.ts'
import type { Corpus } from './in-database.ts'

/** True on PostgreSQL where its server has pgvector (in Debian 13 `apt install postgresql-17-pgvector`). */
export const hasPgvector = dialect === 'postgresql' && Boolean(process.env['COPYDESK_TEST_PGVECTOR'])

/** Has the job fill the table for pgvector, or go on with it. */
export const fillTable = ({ inside }: Pick<Corpus, 'inside'>): Promise<void> => embedAgain(inside.system())

/** How many rows the table has. */
export async function countRows({ app }: Pick<Corpus, 'app'>): Promise<number> {
  const row = await app.db.sql.get<{ n: string }>('select count(*) as n from knowledge_vectors')
  return Number(row?.n)
}

/** Gives all chunks other vectors, no two of which are equally near to anything. */
export async function scatter({ app }: Corpus): Promise<void> {
  const chunks = await app.db.sql.all<{ seq: number }>('select seq from knowledge_chunks order by seq')
  await app.db.write(async (tx) => {
    for (const [n, { seq }] of chunks.entries()) {
      const numbers = Array.from({ length: 64 }, (_, i) => Math.sin((n + 1) * (i + 1) ** 2))
      const length = Math.hypot(...numbers)
      const vector = packVector(Float32Array.from(numbers, (number) => number / length))
      await tx.run('update knowledge_chunks set vector = ? where seq = ?', [vector, seq])
    }
  })
}
