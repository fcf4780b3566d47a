import { describe, expect, it } from 'vitest'
import { approvedText, sendUnderKills } from './mail-kills.ts'
import { adminOfTenant } from './seed.ts'

/** How many leads, at most a hundred, and how many kills among their mails. */
const count = Number(process.env['COPYDESK_MAILS'] ?? 40)
const kills = Math.max(3, Math.round(count / 10))

describe('a mailing', () => {
  it(`reaches each of ${count} leads at most once, though the server is killed ${kills} times while it sends`, {
    timeout: 120_000 + kills * 20_000,
  }, async () => {
    const { arrived, inDoubt, sent, unknown } = await sendUnderKills({
      count,
      kills,
      table: 'sequence_mails',
      async prepare(copydesk, tenant, db) {
        const { tenantId } = tenant
        const admin = adminOfTenant(copydesk, tenant)
        for (let n = 0; n < count; n += 1)
          await admin.call('dashboard.leads.create', {
            body: { firstName: `Lead ${n}`, lastName: 'Field', email: `lead${n}@site.example` },
          })
        const { id: campaignId } = await admin.call('tenant.campaigns.create', {
          body: { name: 'News', type: 'content_marketing', channel: ['email'], goal: 'Sell' },
        })
        const text = '# News\n\nDear {{firstName}}, it was approved.\n'
        const type = 'email_newsletter' as const
        const { activityId } = await approvedText(db, { tenantId, campaignId, type, text })
        await admin.call('dashboard.mailings.create', { body: { activityId } })
      },
    })
    // Each time a mail was on its way, or the kills would show nothing.
    expect(inDoubt).toEqual(Array.from({ length: kills }, () => 1))
    expect({ sent, unknown }).toEqual({ sent: count - kills, unknown: kills })
    expect([...arrived.values()].filter((times) => times !== 1)).toEqual([])
    expect(arrived.size).toBe(count)
  })
})
