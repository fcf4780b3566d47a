import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pullDaily } from '../../../packages/core/src/domain/delivery/publishing/metrics/pull.ts'
import { parts } from '../../domain/agents.ts'
import { type AllConnected, connectAll } from '../../kit/platforms/all-connected.ts'

const scopes = {
  social_network_a: 'read_insights',
  photo_network: 'instagram_manage_insights',
  short_video_network: 'video.list',
}
const types = Object.keys(scopes) as (keyof typeof scopes)[]

let all: AllConnected
beforeAll(async () => {
  all = await connectAll()
})
afterAll(() => all[Symbol.asyncDispose]())

/** Connects the networks again, by someone who agrees to statistics or does not. */
async function consent(declines: string[]): Promise<void> {
  all.provider.declines = declines
  for (const platform of all.platforms) {
    if (!types.some((type) => type === platform.type)) continue
    await all.connect(platform)
    if (platform.account !== undefined) await all.choose(platform.type, platform.account)
  }
}

/** Publishes pieces on each of the networks. @returns their ids by the type of the channel */
async function publishAll(...titles: string[]): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>(types.map((type) => [type, []]))
  for (const title of titles) {
    const activityId = await all.press.approved(
      `# ${title}\n\nIt is good.\n\n![A bowl](${all.pictures.url}/bowl.jpg)\n`,
    )
    for (const type of types) {
      const { id } = await all.press.publish(activityId, all.channels.get(type) ?? '')
      ids.get(type)?.push(id)
    }
  }
  // They are on their way together.
  for (const [type, some] of ids)
    for (const id of some) expect([type, (await all.press.rests(id)).status]).toEqual([type, 'published'])
  return ids
}

async function pull(): Promise<void> {
  const { press } = all
  await using instance = await parts(press.app)
  await pullDaily(instance.system())
  const open = `select count(*) as n from job where kind = 'publish.metrics' and (status = 'running' or status = 'waiting' and run_at <= ?)`
  await press.app.until(async () => {
    press.clock.advance(1_000)
    return (await press.count(open, press.clock.date())) === 0
  }, 'all were asked')
}

const health = (type: string) =>
  all.press.admin.call('dashboard.channels.health', { params: { channelId: all.channels.get(type) ?? '' } })
const advised = async (type: string) =>
  (await health(type)).advice.filter(({ code }) => code === 'figures_refused')
const counted = async (ids: readonly string[] = []) =>
  (await Promise.all(ids.map((id) => all.press.show(id)))).filter(({ metrics }) => metrics.length > 0).length

describe('figures of posts', () => {
  it('are not read where the consent does not permit it: the channel’s health says so, and a new consent ends it', async () => {
    const { press, platforms } = all
    // A day is not to end in the middle.
    press.clock.advance(86_400_000 - (press.clock.now() % 86_400_000) + 3_600_000)
    await consent([scopes.social_network_a, scopes.short_video_network])
    const ids = await publishAll('Rye', 'Oats', 'Spelt', 'Teff')
    for (const { requests } of platforms) requests.splice(0)
    await pull()
    const asked = (type: string, path: RegExp) =>
      platforms.find((one) => one.type === type)?.requests.filter((line) => path.test(line)).length
    // Not for each of the posts: what is refused three times is refused.
    expect(asked('social_network_a', /insights/)).toBe(3)
    expect(asked('short_video_network', /video\/query/)).toBe(3)
    for (const type of ['social_network_a', 'short_video_network'] as const) {
      expect(await counted(ids.get(type))).toBe(0)
      expect((await health(type)).facts.figuresRefusedAt).not.toBeNull()
      expect(await advised(type)).toMatchObject([
        { text: expect.stringContaining('connect the channel again') },
      ])
    }
    // With what is built in, the others are told.
    expect(await counted(ids.get('photo_network'))).toBe(4)
    expect(await advised('photo_network')).toEqual([])

    await consent([scopes.photo_network])
    for (const type of types) expect(await advised(type)).toEqual([])
    const next = await publishAll('Millet')
    await pull()
    expect(await counted(next.get('social_network_a'))).toBe(1)
    expect(await counted(next.get('short_video_network'))).toBe(1)
    expect(await counted(next.get('photo_network'))).toBe(0)
    expect((await Promise.all(types.map(advised))).map(({ length }) => length)).toEqual([0, 1, 0])
  })
})
