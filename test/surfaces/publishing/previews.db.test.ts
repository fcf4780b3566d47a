import { expect, it } from 'vitest'
import { createMastodon } from '../../kit/platforms/microblogs.ts'
import { openPress } from '../../kit/publishing.ts'

it('dashboard.publications.previews measures by the limits of the account’s own server', async () => {
  await using press = await openPress()
  await using server = await createMastodon()
  const activityId = await press.approved(`${'Rye bread. '.repeat(50)}Enough.`)
  const shown = async () => {
    const { data } = await press.admin.call('dashboard.publications.previews', { params: { activityId } })
    return data.find(({ channelType }) => channelType === 'microblog_a')
  }
  const tooLong = expect.stringContaining('500') as string
  expect(await shown()).toMatchObject({
    connected: false,
    measures: [{ count: 557, max: 500 }],
    problems: [tooLong],
  })
  await press.admin.call('dashboard.integrations.credentials', {
    params: { platform: 'microblog_a' },
    body: { server: server.url, secret: 'a-token-of-ada' },
  })
  const there = await shown()
  expect(there).toMatchObject({ connected: true, measures: [{ count: 557, max: 600 }], problems: [] })
  const { id } = await press.publish(activityId, there?.channelId ?? '')
  expect(await press.rests(id)).toMatchObject({ status: 'published' })
})
