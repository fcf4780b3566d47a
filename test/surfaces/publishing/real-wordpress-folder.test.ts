import { describe, expect, it } from 'vitest'
import { comeBack } from '../../kit/consents.ts'
import { redirectUrl } from '../../kit/oauth-server.ts'
import { openPress } from '../../kit/publishing.ts'
import { hasWordPress, shownBy, startRealWordPress } from '../../kit/real-wordpress.ts'
import { agreeOnScreen } from '../../kit/wordpress-consent.ts'

/** On a WordPress of Debian's packages, once, as in `real-wordpress.test.ts`. */
describe.runIf(hasWordPress)('WordPress in a folder, without permalinks and bin', () => {
  it('is connected on its screen, and its administrator runs no scripts of titles', async () => {
    await using other = await startRealWordPress({
      path: '/blog',
      permalinks: '',
      role: 'administrator',
      hasTrash: false,
    })
    await using press = await openPress({ channels: { redirectUrls: [redirectUrl] } })
    const params = { platform: 'cms_site' as const }
    const { authUrl } = await press.admin.call('dashboard.channels.connect', {
      params,
      body: { redirectUrl, server: `${other.url}/` },
    })
    const came = await comeBack(press.app, await agreeOnScreen(other, authUrl))
    expect(came.location?.searchParams.get('status')).toBe('connected')
    const activityId = await press.approved('# Oats <script>alert(1)</script>\n\n[caption]Old[/caption]\n')
    const channel = (await press.admin.call('dashboard.channels.list', {})).data[0]?.id ?? ''
    const { id } = await press.publish(activityId, channel)
    const { status, url } = await press.reaches(id, 'published', 'failed', 'held')
    expect([status, url]).toEqual(['published', expect.stringMatching(/\/blog\/\?p=\d+$/)])
    const [post] = await other.posts()
    expect(post).toMatchObject({ status: 'publish', published: 1 })
    const [rendered] = await shownBy(other, post?.slug ?? '')
    expect(rendered?.[0]).toBe('Oats &lt;script&gt;alert(1)&lt;/script&gt;')
    expect(rendered?.[1]).toMatch(/^<p>&#0?91;caption\]Old&#0?91;\/caption\]<\/p>/)
    await press.act(id, 'cancel')
    await press.reaches(id, 'removed')
    expect(await other.posts()).toMatchObject([{ status: 'draft', published: 1 }])
    await press.disconnect(channel)
  })
})
