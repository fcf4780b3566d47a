import { describe, expect, it } from 'vitest'
import { openMailPlatform, sendUnderKills } from './mail-kills.ts'
import { adminOfTenant } from './seed.ts'

/** How many leads, at most thirty, and how many kills among their mails. */
const count = Math.min(30, Math.round(Number(process.env['COPYDESK_MAILS'] ?? 40) / 2))
const subjects = ['The ovens are on', 'Still there?', 'A last word']
const kills = Math.max(3, Math.round((count * subjects.length) / 15))

const ways = [
  ['this server', undefined],
  ['an e-mail platform', openMailPlatform],
] as const

describe.each(ways)('a sequence of several mails that go by %s', (_, open) => {
  it(`sends each of ${subjects.length} mails at most once to each of ${count} leads, though the server is killed ${kills} times in the middle`, {
    timeout: 120_000 + kills * 20_000,
  }, async () => {
    const { arrived, inDoubt, sent, unknown } = await sendUnderKills({
      count,
      each: subjects.length,
      kills,
      table: 'sequence_mails',
      ...(open && { open }),
      async prepare(copydesk, tenant, db) {
        const admin = adminOfTenant(copydesk, tenant)
        if (open)
          await admin.call('dashboard.integrations.credentials', {
            params: { platform: 'email_platform_b' },
            body: { secret: 'xkeysib-0123456789' },
          })
        for (let n = 0; n < count; n += 1)
          await admin.call('dashboard.leads.create', {
            body: { firstName: `Lead ${n}`, lastName: 'Field', email: `lead${n}@site.example` },
          })
        const { id: campaignId } = await admin.call('tenant.campaigns.create', {
          body: { name: 'Letters', type: 'email_marketing', channel: ['email'], goal: 'Sell' },
        })
        await db.write((tx) => tx.run(`update campaigns set status = 'active' where id = ?`, [campaignId]))
        const { id: sequenceId } = await admin.call('tenant.campaigns.add_sequence', {
          params: { campaignId },
          body: {
            name: 'Welcome',
            triggerType: 'manual',
            steps: subjects.map((subject) => ({ subject, body: 'Dear {{firstName}}, we bake.', delay: 0 })),
          },
        })
        const params = { campaignId, sequenceId }
        const { platform } = await admin.call('tenant.campaigns.activate_sequence', { params })
        expect(platform !== null).toBe(open !== undefined)
      },
    })
    const total = count * subjects.length
    // Each time a mail was on its way, or the kills would show nothing.
    expect(inDoubt).toEqual(Array.from({ length: kills }, () => 1))
    expect({ sent, unknown }).toEqual({ sent: total - kills, unknown: kills })
    expect([...arrived.values()].filter((times) => times !== 1)).toEqual([])
    const wanted = Array.from({ length: count }, (_, n) =>
      subjects.map((subject) => `lead${n}@site.example: ${subject}`),
    ).flat()
    expect([...arrived.keys()].toSorted()).toEqual(wanted.toSorted())
  })
})
