import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Platform, servePictures } from '../kit/platforms/frame.ts'
import { createLinkedIn } from '../kit/platforms/linkedin.ts'
import { createBluesky, createMastodon } from '../kit/platforms/microblogs.ts'
import { createFacebook, createInstagram } from '../kit/platforms/networks.ts'
import { createGoogleBusiness } from '../kit/platforms/places.ts'
import { fetchVendors, vendor } from '../kit/vendors.ts'
import type { BlueskyModule, GraphModule, MastodonModule, PlacesModule, PostsModule } from './post-modules.ts'

beforeAll(fetchVendors, 300_000)

/** A platform whose only good token is `token-1`, until the test ends. */
async function opened<P extends Platform>(made: Promise<P>): Promise<P> {
  const platform = await made
  onTestFinished(() => platform[Symbol.asyncDispose]())
  if (platform.login === 'consent') platform.accepts = (token) => token === 'token-1'
  return platform
}

/** Meta's own client, which talks to a server of ours. */
function graphFor({ url }: Platform): GraphModule {
  const sdk = vendor<GraphModule>('facebook-nodejs-business-sdk')
  Object.defineProperty(sdk.FacebookAdsApi, 'GRAPH', { configurable: true, get: () => url })
  sdk.FacebookAdsApi.init('token-1')
  return sdk
}

const pictureAt = async (name: string) => {
  const pictures = await servePictures()
  onTestFinished(() => pictures[Symbol.asyncDispose]())
  return `${pictures.url}/${name}`
}

describe('the server of pages at Facebook', () => {
  it('answers Meta’s own client: pages, a post with a picture, its figures, a change and the end', async () => {
    const facebook = await opened(createFacebook())
    const sdk = graphFor(facebook)
    const [page] = await new sdk.User('me').getAccounts(['id', 'name'], {})
    expect(page?._data).toMatchObject({ id: '1001', name: 'Oats' })
    const { access_token: token } = (await new sdk.Page('1001').get(['access_token']))._data
    sdk.FacebookAdsApi.init(String(token))
    const url = await pictureAt('bowl.jpg')
    const { id: photo } = (await new sdk.Page('1001').createPhoto([], { url, published: false }))._data
    const post = await new sdk.Page('1001').createFeed([], {
      message: 'Rye is here',
      attached_media: [{ media_fbid: photo }],
    })
    const id = String(post._data['id'])
    expect([facebook.published('Rye is here'), facebook.pictures.length]).toEqual([1, 1])
    const found = await new sdk.Page('1001').getPublishedPosts(['message', 'permalink_url'], { since: '1' })
    expect(found.map(({ _data: { message } }) => message)).toEqual(['Rye is here'])
    const insights = await new sdk.PagePost(id).getInsights([], { metric: 'post_clicks' })
    expect(insights[0]?._data).toMatchObject({ values: [{ value: 7 }] })
    await expect(new sdk.PagePost(id).getInsights([], { metric: 'post_impressions' })).rejects.toMatchObject({
      status: 400,
    })
    const span = { period: 'day', since: '2026-04-01', until: '2026-04-03' }
    const days = await new sdk.Page('1001').getInsights([], { metric: 'page_media_view', ...span })
    expect(days[0]?._data).toMatchObject({ values: [{ value: 40, end_time: '2026-04-02T07:00:00+0000' }] })
    await new sdk.PagePost(id).update([], { message: 'Rye was here' })
    expect((await new sdk.PagePost(id).get(['message']))._data['message']).toBe('Rye was here')
    await new sdk.PagePost(id).delete([])
    await expect(new sdk.PagePost(id).get(['message'])).rejects.toMatchObject({ status: 400 })
  })
})

describe('the server of Instagram', () => {
  it('answers Meta’s own client: what is left of the day, a container, the post and its figures', async () => {
    const instagram = await opened(createInstagram())
    const sdk = graphFor(instagram)
    const profile = new sdk.IGUser('2002')
    const [quota] = await profile.getContentPublishingLimit(['quota_usage', 'config'], {})
    expect(quota?._data).toMatchObject({ quota_usage: 3, config: { quota_total: 50 } })
    const image = await pictureAt('bowl.jpg')
    const made = await profile.createMedia([], { image_url: image, caption: 'Rye is here' })
    const container = String(made._data['id'])
    const code = async () => (await new sdk.IGMedia(container).get(['status_code']))._data['status_code']
    expect([await code(), await code()]).toEqual(['IN_PROGRESS', 'FINISHED'])
    const post = await profile.createMediaPublish([], { creation_id: container })
    const id = String(post._data['id'])
    expect([instagram.published('Rye is here'), await code()]).toEqual([1, 'PUBLISHED'])
    await expect(profile.createMediaPublish([], { creation_id: container })).rejects.toMatchObject({
      status: 400,
    })
    expect((await profile.getMedia(['caption'], {})).map(({ _data: { caption } }) => caption)).toEqual([
      'Rye is here',
    ])
    const insights = await new sdk.IGMedia(id).getInsights([], { metric: 'views' })
    expect(insights[0]?._data).toMatchObject({ values: [{ value: 90 }] })
  })
})

describe('the server of LinkedIn', () => {
  it('answers LinkedIn’s own client: pages, a post, its figures, a change and the end', async () => {
    const linkedin = await opened(createLinkedIn())
    const { RestliClient } = vendor<PostsModule>('linkedin-api-client')
    const constants = vendor<{ VERSIONED_BASE_URL: string }>(
      'linkedin-api-client/dist/lib/utils/constants.js',
    )
    constants.VERSIONED_BASE_URL = `${linkedin.url}/rest`
    const client = new RestliClient()
    const common = { accessToken: 'token-1', versionString: '202610' }
    const pages = await client.finder({
      resourcePath: '/organizationAcls',
      finderName: 'roleAssignee',
      queryParams: { role: 'ADMINISTRATOR', state: 'APPROVED' },
      ...common,
    })
    const author = 'urn:li:organization:42'
    expect(pages.data.elements).toMatchObject([{ organization: author }])
    const { createdEntityId: id } = await client.create({
      resourcePath: '/posts',
      entity: {
        author,
        commentary: 'Rye is here {hashtag|\\#|rye}',
        visibility: 'PUBLIC',
        distribution: {
          feedDistribution: 'MAIN_FEED',
          targetEntities: [],
          thirdPartyDistributionChannels: [],
        },
        lifecycleState: 'PUBLISHED',
        isReshareDisabledByAuthor: false,
      },
      ...common,
    })
    expect(decodeURIComponent(String(id))).toMatch(/^urn:li:share:\d+$/)
    expect(linkedin.published('Rye is here #rye')).toBe(1)
    const urn = decodeURIComponent(String(id))
    const found = await client.finder({
      resourcePath: '/posts',
      finderName: 'author',
      queryParams: { author, count: 20, sortBy: 'LAST_MODIFIED' },
      ...common,
    })
    expect(found.data.elements).toMatchObject([{ id: urn, author }])
    const figures = await client.finder({
      resourcePath: '/organizationalEntityShareStatistics',
      finderName: 'organizationalEntity',
      queryParams: { organizationalEntity: author, shares: [urn] },
      ...common,
    })
    expect(figures.data.elements).toMatchObject([
      { share: urn, totalShareStatistics: { impressionCount: 90, clickCount: 7 } },
    ])
    const one = { resourcePath: '/posts/{urn}', pathKeys: { urn }, ...common }
    await client.partialUpdate({ ...one, patchSetObject: { commentary: 'Rye was here' } })
    expect(linkedin.edits?.live()).toEqual(['Rye was here'])
    await client.delete(one)
    await expect(client.delete(one)).rejects.toMatchObject({ response: { status: 404 } })
    expect(linkedin.edits?.live()).toEqual([])
  })
})

describe('the server of places at Google', () => {
  it('answers Google’s own client: what became of a place by the day', async () => {
    const google = await opened(createGoogleBusiness())
    const { businessprofileperformance } = vendor<PlacesModule>('@googleapis/businessprofileperformance')
    const headers = { authorization: 'Bearer token-1' }
    const { locations } = businessprofileperformance({ version: 'v1', rootUrl: `${google.url}/`, headers })
    const { data } = await locations.fetchMultiDailyMetricsTimeSeries({
      location: 'locations/22',
      dailyMetrics: ['WEBSITE_CLICKS', 'CALL_CLICKS'],
      'dailyRange.startDate.year': 2026,
      'dailyRange.startDate.month': 3,
      'dailyRange.startDate.day': 31,
      'dailyRange.endDate.year': 2026,
      'dailyRange.endDate.month': 4,
      'dailyRange.endDate.day': 1,
    })
    const [first, second] = data.multiDailyMetricTimeSeries?.[0]?.dailyMetricTimeSeries ?? []
    expect(first?.timeSeries?.datedValues).toEqual([
      { date: { year: 2026, month: 3, day: 31 }, value: '4' },
      { date: { year: 2026, month: 4, day: 1 }, value: '4' },
    ])
    expect(second?.timeSeries?.datedValues?.[0]).toEqual({ date: { year: 2026, month: 3, day: 31 } })
  })
})

describe('the server of Mastodon', () => {
  it('answers the client `masto`: who I am, a status once by its key, its figures, a change and the end', async () => {
    const mastodon = await opened(createMastodon())
    const { createRestAPIClient } = vendor<MastodonModule>('masto')
    const { v1, v2 } = createRestAPIClient({ url: mastodon.url, accessToken: 'a-token-of-ada' })
    expect(await v1.accounts.verifyCredentials()).toMatchObject({ id: '14', username: 'ada' })
    expect((await v2.instance.fetch()).configuration.statuses.maxCharacters).toBe(600)
    const { id: picture } = await v2.media.create({ file: new Blob(['a picture']), skipPolling: true })
    const again = { requestInit: { headers: { 'Idempotency-Key': 'k1' } } }
    mastodon.now = () => 1
    const status = { status: 'Rye is here', mediaIds: [picture], visibility: 'public' as const }
    const { id, url } = await v1.statuses.create(status, again)
    expect((await v1.statuses.create(status, again)).id).toBe(id)
    expect([mastodon.published('Rye is here'), url]).toEqual([1, `https://oats.example/@ada/${id}`])
    const listed = await v1.accounts.$select('14').statuses.list({ limit: 40 })
    expect(listed.map((one) => one.id)).toEqual([id])
    const one = v1.statuses.$select(id)
    expect(await one.fetch()).toMatchObject({ favouritesCount: 3, reblogsCount: 2, repliesCount: 1 })
    await one.update({ status: 'Rye was here', mediaIds: [picture] })
    expect(mastodon.edits?.live()).toEqual(['Rye was here'])
    await one.remove()
    await expect(one.fetch()).rejects.toMatchObject({ statusCode: 404 })
  })
})

describe('the server of Bluesky', () => {
  it('answers the client of the AT Protocol, which checks each answer: a session, a record, its figures and the end', async () => {
    const bluesky = await opened(createBluesky())
    const { AtpAgent } = vendor<BlueskyModule>('@atproto/api')
    const agent = new AtpAgent({ service: bluesky.url })
    await agent.login({ identifier: 'ada.test', password: 'abcd-efgh-ijkl-mnop' })
    const did = agent.session?.did ?? ''
    const { blob } = (await agent.uploadBlob(new Uint8Array([1, 2]), { encoding: 'image/jpeg' })).data
    const place = { repo: did, collection: 'app.bsky.feed.post', rkey: '3l6oveex3ii2l' }
    const record = {
      $type: 'app.bsky.feed.post',
      text: 'Rye is here',
      createdAt: '2026-01-01T00:00:00.000Z',
      embed: { $type: 'app.bsky.embed.images', images: [{ image: blob, alt: 'A bowl' }] },
    }
    const { uri } = (await agent.com.atproto.repo.putRecord({ ...place, record, swapRecord: null })).data
    expect(uri).toBe(`at://${did}/app.bsky.feed.post/3l6oveex3ii2l`)
    const twice = agent.com.atproto.repo.putRecord({ ...place, record, swapRecord: null })
    await expect(twice).rejects.toMatchObject({ status: 400, error: 'InvalidSwap' })
    expect(bluesky.published('Rye is here')).toBe(1)
    const found = (await agent.com.atproto.repo.getRecord(place)).data
    expect(found.value).toMatchObject({ text: 'Rye is here' })
    const { posts } = (await agent.app.bsky.feed.getPosts({ uris: [uri] })).data
    expect(posts).toMatchObject([{ uri, likeCount: 3, replyCount: 1, repostCount: 1, quoteCount: 1 }])
    await agent.com.atproto.repo.deleteRecord(place)
    const gone = agent.com.atproto.repo.getRecord({ ...place, rkey: '3l6oveex3ii3l' })
    await expect(gone).rejects.toMatchObject({ error: 'RecordNotFound' })
  })
})
