import type { Ctx } from '../../../kernel/context.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { select, table } from '../../../platform/database/read.ts'
import { KnowledgeChunk, KnowledgeFile } from '../datasets/entities.ts'

const f = table(KnowledgeFile, 'f')
const c = table(KnowledgeChunk, 'c')
const unasked = select({ id: f.id, version: f.version })
const beginning = select({ text: c.text })

/** Chunks that tell the language of a file. */
const chunksRead = 20

/**
 * Files that are searched and at rest, and were indexed before languages were told apart.
 * @param options `id` looks at this one only
 */
export function filesWithoutLanguage(ctx: Ctx, options: { id?: string; most: number }) {
  const condition = where(within(ctx.scope, 'f.tenant_id'), equals(f.id, options.id), {
    sql: "f.language is null and f.version > 0 and f.status in ('indexed', 'error')",
    params: [],
  })
  return unasked.all(ctx.sql, `from ${f} where ${condition.sql} order by f.id limit ?`, [
    ...condition.params,
    options.most,
  ])
}

/** The first texts of a file, as they are searched. */
export async function beginningOf(ctx: Ctx, fileId: string, version: number): Promise<string[]> {
  const scope = within(ctx.scope, 'c.tenant_id')
  const rows = await beginning.all(
    ctx.sql,
    `from ${c} where c.file_id = ? and c.version = ? and c.ordinal < ${chunksRead} and ${scope.sql} order by c.ordinal`,
    [fileId, version, ...scope.params],
  )
  return rows.map(({ text }) => text)
}
