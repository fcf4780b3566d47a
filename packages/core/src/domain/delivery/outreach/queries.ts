import { randomBytes } from 'node:crypto'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { OutreachMail } from './entities.ts'

const m = table(OutreachMail, 'm')
const t = table(Tenant, 't')

const named = select(pick(m, 'id'))

/** Mails that should have been tried before an instant, or whose handing over should have ended. */
export async function overdueMails(ctx: Ctx, before: Date): Promise<string[]> {
  const scope = within(ctx.scope, 'm.tenant_id')
  const rows = await named.all(
    ctx.sql,
    `from ${m} where m.until < ? and ${scope.sql} order by m.until limit 500`,
    [before, ...scope.params],
  )
  return rows.map(({ id }) => id)
}

const linked = select({ ...pick(m, 'id', 'tenantId', 'address', 'activityId'), tenantName: t.name })

/** The mail whose link this is, of whatever tenant. */
export function mailOfLink(ctx: Ctx, linkKey: string): Promise<RowOf<typeof linked> | undefined> {
  return linked.get(ctx.sql, `from ${m} join ${t} on t.id = m.tenant_id where m.link_key = ?`, [linkKey])
}

/** A mail as it stands in an approved text. */
export interface Letter {
  /** An address alone. */
  recipient: string
  subject: string
  body: string
}

/**
 * Lays a mail up to be sent, unless its campaign has one to the same address, also one that another verdict lays up at the same moment.
 * @returns whether it was new
 */
export async function layUpMail(
  { tx, newId, clock }: Transaction,
  of: { tenantId: string; campaignId: string; activityId: string; contentHash: string },
  { recipient, subject, body }: Letter,
): Promise<boolean> {
  const { tenantId, campaignId, activityId, contentHash } = of
  const now = clock.date()
  const text = [recipient, recipient.toLowerCase(), subject, body]
  const added = await tx.run(
    `insert into outreach_mails
       (id, tenant_id, campaign_id, activity_id, recipient, address, subject, body, content_hash, status, attempts, link_key, created_on, at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'approved', 0, ?, ?, ?) on conflict (campaign_id, address) do nothing`,
    [
      newId(),
      tenantId,
      campaignId,
      activityId,
      ...text,
      contentHash,
      randomBytes(16).toString('hex'),
      now,
      now,
    ],
  )
  return added > 0
}
