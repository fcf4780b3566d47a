import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Cut } from '../../kit/cutting-proxy.ts'
import { redirectUrl } from '../../kit/oauth-server.ts'
import { jpegOf, uploadAsset } from '../../kit/pictures.ts'
import { openPress, type Press } from '../../kit/publishing.ts'
import { hasWordPress, type RealWordPress, shownBy, startRealWordPress } from '../../kit/real-wordpress.ts'

/**
 * The connector on a WordPress of Debian's packages; skipped where it, PHP or MariaDB is missing. It runs once: what a site is asked
 * does not depend on the database of Copydesk.
 */
let press: Press
let site: RealWordPress
let channelId: string

const stack = new AsyncDisposableStack()

beforeAll(async () => {
  if (!hasWordPress) return
  site = stack.use(await startRealWordPress({ name: 'Ada&#039;s Oats &amp; Rye' }))
  press = stack.use(await openPress({ channels: { redirectUrls: [redirectUrl] } }))
  channelId = await press.connect(site)
})

beforeEach(() => site?.cut(() => undefined))

afterAll(() => stack.disposeAsync())

const send = async (text: string, type?: 'blog_post') => {
  const activityId = await press.approved(text, type)
  const { id } = await press.publish(activityId, channelId)
  return press.reaches(id, 'published', 'failed', 'held')
}
const postsOf = async (title: string, of = site) => (await of.posts()).filter((post) => post.title === title)

/** Cuts the connections of requests that write, in their order. */
function cutWrites(...cuts: (Cut | undefined)[]) {
  site.cut(({ method }) => (method === 'GET' ? undefined : cuts.shift()))
  return () => cuts.length
}

describe.runIf(hasWordPress)('WordPress on a server of one’s own', () => {
  it('is connected by an application password as its screen shows it, and by no other', async () => {
    const put = (secret: string) =>
      press.admin.call('dashboard.integrations.credentials', {
        params: { platform: 'cms_site' },
        body: { server: site.url, username: 'wanda', secret },
      })
    await expect(put(site.password)).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringContaining('the application password is wrong'),
    })
    await put(site.login.secret.replace(/.{4}(?!$)/g, '$& '))
    const { data } = await press.admin.call('dashboard.channels.list', {})
    expect(data).toMatchObject([{ id: channelId, status: 'connected', accountName: "Ada's Oats & Rye" }])
  })

  it('shows a blog post once, as it was approved', async () => {
    const title = 'Why <b>oats</b> & \\rye [gallery] 🌾 last <script>alert(1)</script>'
    const text = `# ${title}

Meta description: Oats <i>last</i> & last 🥣

They **last**, see [gallery] and [[x]]. <script>alert(1)</script> C:\\oats

![A “bowl”](https://oats.example/bowl.jpg?a=1&b=2)

- [Rye](https://oats.example/rye?a[]=1)
`
    const { status, url } = await send(text, 'blog_post')
    const [post, ...more] = await postsOf(
      'Why &lt;b&gt;oats&lt;/b&gt; &amp; \\rye [gallery] 🌾 last &lt;script&gt;alert(1)&lt;/script&gt;',
    )
    expect([status, more]).toEqual(['published', []])
    expect(post).toMatchObject({
      html: [
        '<p>They <strong>last</strong>, see &#091;gallery] and &#091;&#091;x]]. &lt;script&gt;alert(1)&lt;/script&gt; C:\\oats</p>',
        '<p><img src="https://oats.example/bowl.jpg?a=1&amp;b=2" alt="A “bowl”"></p>',
        '<ul>',
        '<li><a href="https://oats.example/rye?a&#091;]=1">Rye</a></li>',
        '</ul>',
      ].join('\n'),
      excerpt: 'Oats &lt;i&gt;last&lt;/i&gt; &amp; last 🥣',
      slug: 'why-b-oats-b-rye-gallery-last-script-alert-1-script',
      status: 'publish',
      link: url,
      published: 1,
    })
    const [rendered] = await shownBy(site, post?.slug ?? '')
    expect(rendered?.join('\n')).toMatch(
      /&lt;b&gt;oats[^]*see &#0?91;gallery\] and[^]*<img [^>]*bowl\.jpg[^]*&lt;i&gt;last/,
    )
    expect(rendered?.join('\n')).not.toMatch(/<script|<b>|<i>/)
    const pages = await Promise.all([url ?? '', `${site.url}/no-such-post/`].map((page) => fetch(page)))
    expect(pages.map((page) => page.status)).toEqual([200, 404])
  })

  it('shows pictures of the media library out of its own, each of them once', async () => {
    const photo = jpegOf({ width: 30, height: 20 })
    const { reference } = await uploadAsset(press.team.member, photo, 'oats & rye.jpg', {
      altText: 'A bowl',
    })
    const left = cutWrites('after', undefined, 'before')
    const { status, error } = await send(`# Bowls\n\n![](${reference}) and ![Again](${reference})\n`)
    expect([status, error, left()]).toEqual(['published', null, 0])
    const media = await site.run<Record<'title' | 'type' | 'alt' | 'url', string>[]>(
      `return array_map(fn($file) => [
        'title' => $file->post_title, 'type' => $file->post_mime_type, 'url' => wp_get_attachment_url($file->ID),
        'alt' => get_post_meta($file->ID, '_wp_attachment_image_alt', true),
      ], get_posts(['post_type' => 'attachment', 'post_status' => 'any', 'numberposts' => -1]));`,
    )
    const url = expect.stringMatching(/\/wp-content\/uploads\/.+\.jpg$/)
    expect(media).toEqual([{ title: 'oats &amp; rye.jpg', type: 'image/jpeg', alt: 'A bowl', url }])
    const [post] = await postsOf('Bowls')
    const address = media[0]?.url ?? ''
    expect(post?.html).toBe(
      `<p><img src="${address}" alt="A bowl"> and <img src="${address}" alt="Again"></p>`,
    )
    expect(Buffer.from(await (await fetch(address)).arrayBuffer())).toEqual(photo)
  })

  it('shows a newer text with a picture in the same post, and leaves alone what is in the bin', async () => {
    const { id, activityId, url } = await send('# Kamut <b>old</b>\n\nIt is old.\n')
    const [before] = await postsOf('Kamut &lt;b&gt;old&lt;/b&gt;')
    const { reference } = await uploadAsset(press.team.member, jpegOf({ width: 40, height: 30 }), 'kamut.jpg')
    const newer = `# Kamut & [new]\n\nMeta description: It is new\n\n![A field](${reference})\n`
    await press.rewrite(activityId, newer)
    const left = cutWrites('after', undefined, 'before', 'after')
    expect(await press.update(id)).toMatchObject({ title: 'Kamut & [new]', url, change: null })
    expect(left()).toBe(0)
    expect((await site.posts()).filter(({ title }) => title.startsWith('Kamut'))).toEqual([
      expect.objectContaining({
        id: before?.id,
        title: 'Kamut &amp; [new]',
        html: expect.stringMatching(/^<p><img src="http[^"]+\.jpg" alt="A field"><\/p>$/),
        excerpt: 'It is new',
        slug: before?.slug,
        link: url,
        status: 'publish',
        published: 1,
      }),
    ])
    expect((await fetch(url ?? '')).status).toBe(200)
    await site.run(`return wp_trash_post(${before?.id});`)
    await press.rewrite(activityId, '# Kamut, last\n\nIt is last.\n')
    expect((await press.update(id)).change).toMatchObject({
      status: 'failed',
      error: 'The post is in the bin of the site: restore it there',
    })
    expect((await postsOf('Kamut &amp; [new]')).map(({ status }) => status)).toEqual(['trash'])
    await site.run(`return wp_delete_post(${before?.id}, true);`)
    await press.act(id, 'retry')
    expect((await press.settles(id)).change).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('not there any more'),
    })
    expect((await site.posts()).filter(({ title }) => title.startsWith('Kamut'))).toEqual([])
  })

  it('takes long titles, other scripts, and a name that another post has', async () => {
    await site.run(
      `return wp_insert_post(['post_title' => 'Another', 'post_name' => 'spelt', 'post_status' => 'publish'], true);`,
    )
    const long = `${'Овёс и рожь '.repeat(16)}всё`
    const titles = ['Spelt', long, '🌾🌾', 'x'.repeat(400)]
    for (const title of titles) {
      const { status, title: name, url } = await send(`# ${title}\n\nIt is **old**.\n`)
      const posts = await postsOf(name)
      expect([status, posts.map((post) => [post.status, post.link])]).toEqual([
        'published',
        [['publish', url]],
      ])
      expect((await fetch(url ?? '')).status).toBe(200)
    }
    expect((await postsOf('Spelt')).map(({ slug }) => slug)).toEqual(['spelt-2'])
    expect((await postsOf('Another')).map(({ slug, status }) => [slug, status])).toEqual([
      ['spelt', 'publish'],
    ])
  })

  it('is asked what has become of a post, and shows again what was taken back', async () => {
    const { id, activityId, url } = await send('# Emmer\n\nOf old.\n')
    await expect(press.publish(activityId, channelId)).rejects.toMatchObject({ code: 'CONFLICT' })
    // As a process leaves it that has died at the wrong moment.
    const doubt = () =>
      press.app.db.write((tx) =>
        tx.run(
          `update publications set status = 'unknown', touched = ?, asked = ?, next_at = null where id = ?`,
          [true, true, id],
        ),
      )
    const statuses = async () => (await postsOf('Emmer')).map((post) => post.status)
    await doubt()
    await press.act(id, 'reconcile')
    expect(await press.reaches(id, 'published', 'failed')).toMatchObject({ status: 'published', url })
    expect(await postsOf('Emmer')).toMatchObject([{ status: 'publish', published: 1 }])
    // A person deletes it there, so that it is not there any more.
    await site.run(`return wp_trash_post(${(await postsOf('Emmer'))[0]?.id});`)
    await doubt()
    await press.act(id, 'reconcile')
    await press.reaches(id, 'published', 'failed')
    expect(await statuses()).toEqual(['trash', 'publish'])
    await press.act(id, 'cancel')
    await press.reaches(id, 'removed')
    expect(await statuses()).toEqual(['trash', 'trash'])
    const { id: again } = await press.publish(activityId, channelId)
    expect(await press.reaches(again, 'published', 'failed')).toMatchObject({ status: 'published', url })
    await site.run(`return wp_trash_post(${(await postsOf('Emmer'))[2]?.id});`)
    await press.act(again, 'cancel')
    await press.reaches(again, 'removed')
    expect(await statuses()).toEqual(['trash', 'trash', 'trash'])
  })

  it('shows a post once when answers are lost', async () => {
    const left = cutWrites('before', 'after', 'before', 'after')
    expect(await send('# Einkorn\n\nOf old.\n')).toMatchObject({ status: 'published', error: null })
    expect(left()).toBe(0)
    expect(await postsOf('Einkorn')).toMatchObject([{ status: 'publish', published: 1 }])
    expect((await site.posts()).filter(({ status }) => status === 'draft')).toEqual([])
  })

  it('is disconnected by a revoked password with one notice, and goes on once it is connected again', async () => {
    await site.revoke()
    const held = [await send('# Millet\n\nIt is small.\n')]
    const second = await press.approved('# Teff\n\nSmaller.\n')
    await expect(press.publish(second, channelId)).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
    expect(held).toMatchObject([{ status: 'held', holdReason: 'channel_disconnected' }])
    const about = (await press.notices()).filter((title) => !title.includes('Kamut'))
    expect(about).toEqual(['Connect Website again'])
    await site.renewPassword()
    await press.connect(site)
    for (const { id } of held) await press.reaches(id, 'published')
    expect(await postsOf('Millet')).toMatchObject([{ status: 'publish', published: 1 }])
  })

  it('gets the password back when it is disconnected', async () => {
    await press.disconnect(channelId)
    const left = `return count(WP_Application_Passwords::get_user_application_passwords(get_user_by('login', 'wanda')->ID));`
    await expect
      .poll(async () => {
        press.clock.advance(1_000)
        return site.run(left)
      })
      .toBe(0)
  })
})
