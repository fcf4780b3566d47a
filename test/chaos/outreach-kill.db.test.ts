import { describe, expect, it } from 'vitest'
import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { approvedText, sendUnderKills } from './mail-kills.ts'
import { adminOfTenant } from './seed.ts'

/** How many letters, at most a hundred, and how many kills among them. */
const count = Number(process.env['COPYDESK_LETTERS'] ?? 20)
const kills = Math.max(3, Math.round(count / 10))

describe('outreach', () => {
  it(`reaches each of ${count} addresses at most once, though the server is killed ${kills} times while it sends`, {
    timeout: 120_000 + kills * 20_000 + count * 1_000,
  }, async () => {
    const { arrived, inDoubt, sent, unknown } = await sendUnderKills({
      count,
      kills,
      table: 'outreach_mails',
      async prepare(copydesk, tenant, db) {
        const { tenantId } = tenant
        const { id: campaignId } = await adminOfTenant(copydesk, tenant).call('tenant.campaigns.create', {
          body: { name: 'Links', type: 'backlink_outreach', channel: ['email'], goal: 'links' },
        })
        const text = '# Letters\n\nThey were approved.\n'
        const of = { tenantId, campaignId, type: 'backlink' as const, text }
        const { activityId, hash } = await approvedText(db, of)
        const newId = createIds(createSystemClock())
        const now = new Date()
        await db.write(async (tx) => {
          await tx.run(`update campaigns set status = 'active' where id = ?`, [campaignId])
          for (let n = 0; n < count; n += 1)
            await tx.run(
              `insert into outreach_mails (id, tenant_id, campaign_id, activity_id, recipient, address, subject, body, content_hash, status,
                 attempts, link_key, created_on, at)
               values (?, ?, ?, ?, ?, ?, 'Bread', 'A link would fit.', ?, 'approved', 0, ?, ?, ?)`,
              [
                newId(),
                tenantId,
                campaignId,
                activityId,
                `site${n}@site.example`,
                `site${n}@site.example`,
                hash,
                String(n).padStart(32, '0'),
                now,
                now,
              ],
            )
        })
        const [reviewer] = await db.sql.all<{ id: string }>(`select id from users where role = 'reviewer'`)
        await copydesk
          .as({
            id: reviewer?.id ?? '',
            type: 'human',
            role: 'reviewer',
            appAccess: ['dm-portal'],
            tenants: [tenantId],
          })
          .call('dm.campaigns.send', { params: { campaignId } })
      },
    })
    // Each time a mail was on its way, or the kills would show nothing.
    expect(Math.min(...inDoubt)).toBeGreaterThan(0)
    const doubtful = inDoubt.reduce((sum, n) => sum + n, 0)
    expect({ sent, unknown }).toEqual({ sent: count - doubtful, unknown: doubtful })
    expect([...arrived.values()].filter((times) => times !== 1)).toEqual([])
    expect(arrived.size).toBeGreaterThanOrEqual(sent)
  })
})
