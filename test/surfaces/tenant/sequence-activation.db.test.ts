import { expect, it } from 'vitest'
import { openMailDesk } from '../../kit/sequences.ts'

it('tenant.campaigns.activate_sequence activates what was seen, and nothing that was changed since', async () => {
  await using desk = await openMailDesk()
  const sequence = await desk.create({ triggerType: 'on_subscribe' })
  await desk.change(sequence, 1, { delay: 4 })
  const later = await desk.show(sequence.id)
  await desk.change(sequence, 0, { body: 'Another offer.' })
  for (const { contentHash } of [sequence, later])
    await expect(desk.activate(sequence.id, 'admin', contentHash)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'content_changed' },
    })
  const now = await desk.show(sequence.id)
  expect(now).toMatchObject({ status: 'draft', steps: [{ approved: false }, { delay: 4 }] })
  expect(await desk.activate(sequence.id, 'admin', now.contentHash)).toMatchObject({
    status: 'active',
    contentHash: now.contentHash,
  })
  const without = await desk.create({ triggerType: 'on_subscribe' })
  const path = `/tenant/v1/campaigns/${desk.campaignId}/sequences/${without.id}/activate`
  const headers = { authorization: `Bearer ${desk.team.adminToken}` }
  const response = await desk.app.fetch(path, { method: 'POST', headers })
  expect(response.status).toBe(200)
})
