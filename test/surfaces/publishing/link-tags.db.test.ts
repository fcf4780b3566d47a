import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AllConnected, connectAll } from '../../kit/platforms/all-connected.ts'

let all: AllConnected

beforeAll(async () => {
  all = await connectAll()
})

afterAll(() => all[Symbol.asyncDispose]())

/** As analytics call the channels. */
const sources: Readonly<Record<string, string>> = {
  professional_network: 'linkedin',
  social_network_a: 'facebook',
  photo_network: 'instagram',
  short_video_network: 'tiktok',
  microblog_a: 'mastodon',
  microblog_b: 'bluesky',
  business_profile: 'google',
}

describe('dashboard.publications.link_tags, dashboard.publications.set_link_tags', () => {
  it('gives links to the tenant’s own websites the tags of its channel, and knows such a post again', async () => {
    const { press, platforms, channels } = all
    const set = (hosts: string[]) =>
      press.admin.call('dashboard.publications.set_link_tags', { body: { hosts } })
    expect(await set(['www.Oats.example'])).toEqual({ hosts: ['oats.example'] })
    expect(await press.admin.call('dashboard.publications.link_tags', {})).toEqual({
      hosts: ['oats.example'],
    })
    const posts = platforms.filter(({ type }) => type !== 'cms_site' && !type.startsWith('email'))
    const line = 'See https://oats.example/rye_bread?a=1'
    const bowl = `![A bowl](${all.pictures.url}/bowl.jpg)`
    const publish = async (end: string) => {
      const activityId = await press.approved(`${line}#${end}\n\n${bowl}\n`)
      const rows: unknown[] = []
      for (const platform of posts) {
        platform.mishaps.push('cut after')
        const { id } = await press.publish(activityId, channels.get(platform.type) ?? '')
        rows.push([platform.type, (await press.rests(id)).status])
      }
      // Also where the answer was lost: what is looked for is what was sent.
      expect(rows).toEqual(posts.map(({ type, afterLoss }) => [type, afterLoss]))
      return activityId
    }
    // A title of pictures on TikTok is cut before the link ends.
    const whole = posts.filter(({ type }) => type !== 'short_video_network')
    const counted = (end: string, query: (type: string) => string) =>
      whole.map((one) => [one.type, one.published(`${line}${query(one.type)}#${end}`)])
    const activityId = await publish('tagged')
    const query = (type: string) =>
      `&utm_source=${sources[type]}&utm_medium=${type === 'business_profile' ? 'local' : 'social'}&utm_campaign=spring`
    expect(counted('tagged', query)).toEqual(whole.map(({ type }) => [type, 1]))
    const { data } = await press.admin.call('dashboard.publications.previews', { params: { activityId } })
    const shown = (type: string) => data.find(({ channelType }) => channelType === type)?.text
    expect(shown('microblog_a')).toContain(`${line}${query('microblog_a')}#tagged`)
    expect(shown('email_platform_a')).toContain('utm_source=newsletter&amp;utm_medium=email')
    expect(shown('cms_site')).not.toContain('utm_')
    expect(await set([])).toEqual({ hosts: [] })
    await publish('plain')
    expect(counted('plain', () => '')).toEqual(whole.map(({ type }) => [type, 1]))
  })
})
