import type { Command } from '../../context.ts'

/** Slugs of a tenant's posts that begin with `base`. */
export async function slugsLike(cmd: Command, tenantId: string, base: string): Promise<Set<string>> {
  const rows = await cmd.tx.all<{ slug: string }>(
    `select slug from blog_posts where tenant_id = ? and (slug = ? or (slug > ? and slug < ?))`,
    [tenantId, base, `${base}-`, `${base}.`],
  )
  return new Set(rows.map(({ slug }) => slug))
}
