import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Door, openDoor } from '../../kit/listening.ts'
import { jpegOf, pngOf, uploadAsset, videoOf } from '../../kit/pictures.ts'
import { type AllConnected, connectAll } from '../../kit/platforms/all-connected.ts'
import type { Platform } from '../../kit/platforms/frame.ts'
import { createWordPressServer, type WordPressServer } from '../../kit/wordpress-server.ts'

let door: Door
let all: AllConnected
let site: WordPressServer
let siteId: string
/** The files as they are kept. */
const photo = jpegOf({ width: 30, height: 20 })
let assets: { bowl: string; film: string; drawing: string; wide: string; foreign: string }

beforeAll(async () => {
  door = await openDoor()
  all = await connectAll({ baseUrl: door.url })
  const { press } = all
  door.leadTo(press.app.copydesk.node)
  site = await createWordPressServer()
  siteId = await press.connect(site)
  const { member } = press.team
  const other = await press.app.team('Other')
  assets = {
    bowl: (await uploadAsset(member, photo, 'bowl.jpg', { altText: 'A bowl of "oats"' })).reference,
    film: (await uploadAsset(member, videoOf('isom'), 'film.mp4')).reference,
    drawing: (await uploadAsset(member, '<svg/>', 'drawing.svg')).reference,
    wide: (await uploadAsset(member, pngOf({ width: 1_500, height: 1_500 }), 'wide.png')).reference,
    foreign: (await uploadAsset(other.member, photo, 'theirs.jpg')).reference,
  }
})

beforeEach(() => {
  for (const { pictures, mishaps } of all.platforms) {
    pictures.splice(0)
    mishaps.splice(0)
  }
})

afterAll(async () => {
  await all[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await door[Symbol.asyncDispose]()
})

const platformOf = (type: Platform['type']) => all.platforms.find((one) => one.type === type) as Platform

/** Publishes a text on one channel, and waits until nothing more happens to it. */
async function published(text: string, type: Platform['type'] | 'cms_site') {
  const activityId = await all.press.approved(text)
  const channelId = type === 'cms_site' ? siteId : (all.channels.get(type) ?? '')
  return all.press.rests((await all.press.publish(activityId, channelId)).id)
}

describe('publishing files of the media library', () => {
  it('sends the bytes to platforms that take files, and an address to those that fetch', async () => {
    const { press } = all
    const activityId = await press.approved(`# Rye\n\nIt is good.\n\n![](${assets.bowl})\n`)
    for (const { type, pictures, published: count } of all.platforms.filter(
      (one) => one.type !== 'email_platform_b',
    )) {
      const { id } = await press.publish(activityId, all.channels.get(type) ?? '')
      expect(await press.rests(id), type).toMatchObject({ status: 'published', error: null })
      expect([type, count('Rye'), pictures.length], type).toEqual([type, 1, 1])
      // A form has other bytes around them.
      expect(pictures[0]?.includes(photo), type).toBe(true)
    }
    expect(platformOf('email_platform_a').html).toMatch(
      /<img src="https:\/\/gallery\.mailchimp\.example\/[\w-]+\.jpg" alt="A bowl of &quot;oats&quot;">/,
    )
  })

  it('uploads a video to a platform of videos', async () => {
    const { type, pictures } = platformOf('short_video_network')
    expect(await published(`# Film\n\n![](${assets.film})`, type)).toMatchObject({ status: 'published' })
    expect(pictures).toEqual([videoOf('isom')])
  })

  it('uploads the pictures of an article to the site once, whatever happens in between', async () => {
    site.mishaps.push('cut after', 502, { status: 500, code: 'x' }, 'cut before', 502)
    const text = `# Loaf\n\n![Warm](${assets.bowl}) and ![](${assets.wide})\n\n![Again](${assets.bowl})\n`
    expect(await published(text, 'cms_site')).toMatchObject({ status: 'published', error: null })
    const media = [...site.media.values()]
    expect(media.map(({ alt_text, mime_type, title }) => [title, mime_type, alt_text])).toEqual([
      ['bowl.jpg', 'image/jpeg', 'Warm'],
      ['wide.png', 'image/png', ''],
    ])
    expect(media[0]?.bytes.equals(photo)).toBe(true)
    const { content } = [...site.posts.values()].find(({ title }) => title === 'Loaf') ?? { content: '' }
    const [bowl, wide] = media.map(({ source_url: url }) => url)
    expect(content).toContain(`<img src="${bowl}" alt="Warm"> and <img src="${wide}" alt="">`)
    expect(content).toContain(`<img src="${bowl}" alt="Again">`)
    expect(site.published.get('Loaf')).toBe(1)
  })

  it('refuses what a channel does not take, what is not there, and what another tenant has', async () => {
    const { microblog_a: mastodon, ...of } = { microblog_a: 'microblog_a', site: 'cms_site' } as const
    const gone = 'asset:01HZZZZZZZZZZZZZZZZZZZZZZZ'
    const cases: [reference: string, channel: typeof mastodon | typeof of.site, words: RegExp][] = [
      [assets.drawing, mastodon, /“drawing\.svg” is image\/svg\+xml, and this channel takes image\/jpeg/],
      [assets.film, mastodon, /“film\.mp4” is video\/mp4/],
      [assets.film, of.site, /“film\.mp4” is video\/mp4/],
      [gone, mastodon, /The media library has no “asset:01HZZZ/],
      [gone, of.site, /The media library has no “asset:01HZZZ/],
      [assets.foreign, mastodon, /The media library has no/],
      [assets.foreign, of.site, /The media library has no/],
      [assets.bowl.toLowerCase(), mastodon, /The media library has no “asset:01/],
      ['asset:../../../etc/passwd', of.site, /The media library has no “asset:\.\.\//],
    ]
    for (const [reference, channel, words] of cases) {
      const end = await published(`# Bad\n\n![Words](${reference})\n`, channel)
      expect(end, reference).toMatchObject({ status: 'failed', errorKind: 'validation' })
      expect(end.error).toMatch(words)
    }
  })

  it('says that readers of mails cannot see pictures where this server has no public address', async () => {
    const end = await published(`# Spelt\n\n![](${assets.bowl})\n`, 'email_platform_b')
    expect(end).toMatchObject({ status: 'failed', errorKind: 'policy' })
    expect(end.error).toContain('this server has no public address')
  })
})

describe('dashboard.publications.previews of files of the media library', () => {
  it('shows each at an address for an hour, and says what is missing and what is too much', async () => {
    const { press } = all
    const show = async (text: string) => {
      const activityId = await press.approved(text)
      const { data } = await press.admin.call('dashboard.publications.previews', {
        params: { activityId },
        query: { links: 'check' },
      })
      return data
    }
    const fine = await show(`# Rye\n\n![](${assets.bowl})\n`)
    const of = (type: string) => fine.find(({ channelType }) => channelType === type)
    const [picture] = of('microblog_a')?.pictures ?? []
    expect(picture).toEqual({
      url: expect.stringMatching(/\/files\/media\/\S+\/file\.jpg$/),
      alt: 'A bowl of "oats"',
    })
    expect(of('cms_site')?.text).toContain(`<img src="${picture?.url}" alt="A bowl of &quot;oats&quot;">`)
    expect(Buffer.from(await (await fetch(picture?.url ?? '')).arrayBuffer())).toEqual(photo)
    expect(fine.flatMap(({ problems }) => problems)).toEqual([])
    const bad = await show(`# Rye\n\n![](${assets.foreign}) ![](asset:x) ![](${assets.bowl})\n`)
    for (const { channelType, problems } of bad.filter(
      ({ takes }) => takes === 'post' || takes === 'article',
    ))
      expect(problems, channelType).toEqual(
        expect.arrayContaining([
          `The media library has no “${assets.foreign}”`,
          'The media library has no “asset:x”',
        ]),
      )
    const ids = Array.from({ length: 101 }, (_, n) => `01HZZZZZZZZZZZZZZZZZZZZ${String(n).padStart(3, '0')}`)
    const many = await show(ids.map((id) => `![](asset:${id})`).join('\n'))
    for (const { problems } of many)
      expect(problems).toContain('The text shows more than 100 files of the media library')
  })
})
