import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { channelNames } from '../../../packages/core/src/domain/accounts/channels/entities.ts'
import { pullDaily } from '../../../packages/core/src/domain/delivery/publishing/metrics/pull.ts'
import { parts } from '../../domain/agents.ts'
import { comeBack } from '../../kit/consents.ts'
import { redirectUrl } from '../../kit/oauth-server.ts'
import { type AllConnected, connectAll } from '../../kit/platforms/all-connected.ts'
import type { Platform } from '../../kit/platforms/frame.ts'
import type { Press } from '../../kit/publishing.ts'

let all: AllConnected
let press: Press
let platforms: Platform[]
let channels: AllConnected['channels']

beforeAll(async () => {
  all = await connectAll()
  ;({ press, platforms, channels } = all)
})

beforeEach(() => {
  for (const platform of platforms) {
    platform.mishaps.splice(0)
    platform.requests.splice(0)
    platform.hides = false
  }
})

afterAll(() => all[Symbol.asyncDispose]())

const admin = () => press.admin
const platformOf = (type: Platform['type']) => platforms.find((one) => one.type === type) as Platform

/** Publishes one piece on every channel. @returns its publications, and what has become of it once nothing more happens by itself */
async function everywhere(
  title: string,
  of: Platform[] = platforms,
  mishaps: (platform: Platform) => Platform['mishaps'] = () => [],
) {
  const words = `It is good, see https://oats.example/${title}. #oats`
  const activityId = await press.approved(
    `# ${title}\n\n${words}\n\n![A bowl](${all.pictures.url}/bowl.jpg)\n`,
  )
  const ids: string[] = []
  for (const platform of of) {
    platform.mishaps.push(...mishaps(platform))
    ids.push((await press.publish(activityId, channels.get(platform.type) ?? '')).id)
  }
  const rows: unknown[] = []
  for (const [n, { type, published }] of of.entries()) {
    const { status, errorKind, url } = await press.rests(ids[n] ?? '')
    rows.push([type, status, status === 'published' ? url !== null : errorKind, published(title)])
  }
  return { ids, rows }
}

const out = ['published', true, 1]
/** What is expected of each channel. */
const each = (made: (platform: Platform) => unknown[] = () => out, of = platforms) =>
  of.map((platform) => [platform.type, ...made(platform)])

/** The code with which a call was refused; undefined where it was not. */
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    ({ code }: { code: string }) => code,
  )

describe('every connector', () => {
  it('publishes once, with its address, and takes it back where the platform can', async () => {
    const { ids, rows } = await everywhere('Rye')
    expect(rows).toEqual(each())
    const taken: unknown[] = []
    for (const [n, { type }] of platforms.entries()) {
      const refusal = await refusalOf(press.act(ids[n] ?? '', 'cancel'))
      taken.push([type, refusal ?? (await press.reaches(ids[n] ?? '', 'removed')).status])
    }
    expect(taken).toEqual(each(({ removes }) => [removes ? 'removed' : 'UNPROCESSABLE']))
  })

  it('reads every day what became of posts, and puts a day right that the platform restates', async () => {
    const { ids, rows } = await everywhere('Sorghum')
    expect(rows).toEqual(each())
    await using instance = await parts(press.app)
    const pull = async (popularity: (type: Platform['type']) => number) => {
      for (const platform of platforms) platform.popularity = popularity(platform.type)
      await pullDaily(instance.system())
      const open = `select count(*) as n from job where kind = 'publish.metrics' and (status = 'running' or status = 'waiting' and run_at <= ?)`
      await press.app.until(async () => {
        // Who has asked is another process: these jobs are found when their time comes to look.
        press.clock.advance(1_000)
        return (await press.count(open, press.clock.date())) === 0
      }, 'all were asked')
    }
    const shown = () => Promise.all(ids.map((id) => press.show(id)))
    /** The figures of each post, the newest day first. */
    const figures = async () =>
      (await shown()).map(({ channelType, metrics }) => [
        channelType,
        metrics.map((counts) =>
          Object.fromEntries(Object.entries(counts).filter(([, value]) => typeof value === 'number')),
        ),
      ])
    const times = (platform: Platform, n: number) =>
      Object.fromEntries(Object.entries(platform.figures ?? {}).map(([name, value]) => [name, value * n]))
    const counting = platforms.filter(({ figures: counted }) => counted)
    const expected = (...days: number[]) =>
      platforms.map((one) => [one.type, one.figures ? days.map((n) => times(one, n)) : []])
    // A day is not to end in the middle.
    press.clock.advance(86_400_000 - (press.clock.now() % 86_400_000) + 3_600_000)
    // Nobody is kept by a platform that answers something else.
    await pull((type) => (type === 'microblog_a' ? 0.5 : 1))
    const others = expected(1).map(([type, days]) => [type, type === 'microblog_a' ? [] : days])
    expect(await figures()).toEqual(others)
    await pull(() => 2)
    expect(await figures()).toEqual(expected(2))
    press.clock.advance(86_400_000)
    await pull(() => 3)
    expect(await figures()).toEqual(expected(3, 2))
    const days = (await shown()).flatMap(({ metrics }) => metrics.map(({ day }) => day))
    expect(new Set(days).size).toBe(2)
    expect(counting.length).toBeGreaterThan(6)
  })

  it('never makes a second post of one whose answer was lost, and asks a person who alone can tell', async () => {
    const { rows } = await everywhere('Oats', platforms, () => ['cut after'])
    expect(rows).toEqual(each(({ afterLoss }) => (afterLoss === 'unknown' ? ['unknown', 'unknown', 1] : out)))
  })

  it('takes a failure of the platform for a lost answer, after which the post may be there', async () => {
    for (const [title, status] of [
      ['Chia', 502],
      ['Lupin', 504],
    ] as const) {
      const { rows } = await everywhere(title, platforms, () => [{ status, done: true }])
      expect(rows).toEqual(
        each(({ afterLoss }) => (afterLoss === 'unknown' ? ['unknown', 'unknown', 1] : out)),
      )
    }
  })

  it('finds the post that is there though the platform says that it has it already', async () => {
    const of = platforms.filter(({ says }) => says.duplicate)
    const { rows } = await everywhere('Canola', of, ({ says: { duplicate = { status: 409 } } }) => [
      { ...duplicate, done: true },
    ])
    expect(rows).toEqual(each(() => out, of))
  })

  it('takes the subject of a mailing from its line, and leaves that line out', async () => {
    const of = platforms.filter(({ type }) => type.startsWith('email_platform'))
    const text = '# May\n\n**Subject:** Sorghum is here\n\n**Preview:** Sweet\n\nIt is good.\n'
    const activityId = await press.approved(text)
    for (const { type, published } of of) {
      const { id } = await press.publish(activityId, channels.get(type) ?? '')
      expect([type, (await press.rests(id)).status, published('Sorghum is here')]).toEqual([type, out[0], 1])
    }
    const { data } = await admin().call('dashboard.publications.previews', { params: { activityId } })
    const shown = (type: string) => data.find(({ channelType }) => channelType === type)
    expect(shown('email_platform_a')).toMatchObject({
      title: 'Sorghum is here',
      text: '<div style="display:none">Sweet</div>\n<p>It is good.</p>',
    })
    expect(shown('cms_site')).toMatchObject({ title: 'May' })
  })

  it('asks a person about what the platform does not show', async () => {
    const of = platforms.filter((one) => one.afterLoss === 'published' && one.afterNothing === 'unknown')
    for (const one of of) one.hides = true
    const { rows } = await everywhere('Teff', of, () => ['cut after'])
    expect(rows).toEqual(each(() => ['unknown', 'unknown', 1], of))
  })

  it('sends again what certainly never arrived, and asks about what perhaps has not', async () => {
    const { rows } = await everywhere('Spelt', platforms, () => ['cut before', { status: 502 }])
    expect(rows).toEqual(
      each(({ afterNothing }) => (afterNothing === 'unknown' ? ['unknown', 'unknown', 0] : out)),
    )
  })

  it('waits as long as the platform says, and where it does not say, longer each time', async () => {
    const since = press.clock.now()
    const { rows } = await everywhere('Emmer', platforms, ({ says: { quota } }) => [
      { ...quota, headers: { ...quota.headers, 'retry-after': '7200' } },
      quota,
    ])
    expect(rows).toEqual(each())
    expect(press.clock.now() - since).toBeGreaterThanOrEqual(7_230_000)
  })

  it('fails with the platform’s words when a person has to see to it', async () => {
    const { rows } = await everywhere('Barley', platforms, ({ says: { policy } }) => [policy])
    expect(rows).toEqual(each(() => ['failed', 'policy', 0]))
  })

  it('knows a refusal that comes with the status of a success, and asks no one about it', async () => {
    const of = [platformOf('short_video_network')]
    const asSuccess = ({ body }: Platform['says']['policy']) => ({ status: 200, body })
    const refused = await everywhere('Sago', of, ({ says: { policy } }) => [asSuccess(policy)])
    expect(refused.rows).toEqual(each(() => ['failed', 'policy', 0], of))
    const delayed = await everywhere('Tapioca', of, ({ says: { quota } }) => [asSuccess(quota)])
    expect(delayed.rows).toEqual(each(() => out, of))
  })

  it('looks for what the platform says that it has already', async () => {
    const of = platforms.filter(({ says }) => says.duplicate)
    const { rows } = await everywhere('Millet', of, ({ says: { duplicate = { status: 409 } } }) => [
      duplicate,
    ])
    expect(rows).toEqual(
      each(({ afterNothing }) => (afterNothing === 'unknown' ? ['unknown', 'duplicate', 0] : out), of),
    )
  })

  it('renews tokens that have ended, and publishes once', async () => {
    const of = platforms.filter(({ renews }) => renews)
    const { rows } = await everywhere('Durum', of, ({ says: { expired } }) => [expired])
    expect(rows).toEqual(each(() => out, of))
  })

  it('gives tokens without a refresh token a longer life before they end', async () => {
    const of = [platformOf('social_network_a'), platformOf('photo_network')]
    const before = all.provider.extended
    const soon = new Date(press.clock.now() + 20 * 86_400_000)
    for (const { type } of of)
      await press.app.db.write((tx) =>
        tx.run('update channel_connections set expires_at = ? where type = ?', [soon, type]),
      )
    expect((await everywhere('Kamut', of)).rows).toEqual(each(() => out, of))
    expect(all.provider.extended - before).toBe(2)
  })

  it('asks a person about the lost post of a member, whose posts nobody may read', async () => {
    const of = [platformOf('professional_network')]
    const doubtful = await press.list({ 'filter.status': 'unknown' })
    for (const { id } of doubtful.data) await press.act(id, 'reconcile', { outcome: 'published' })
    expect(await all.choose('professional_network', 'Ada Lovelace')).toEqual(['Ada Lovelace', 'Oats Inc.'])
    const { rows } = await everywhere('Freekeh', of, () => ['cut after'])
    expect(rows).toEqual(each(() => ['unknown', 'unknown', 1], of))
    await expect(all.choose('professional_network', 'nobody')).rejects.toMatchObject({ field: 'account' })
  })

  it('uploads a video in the place of a picture', async () => {
    const activityId = await press.approved(`# Bulgur\n\n![](${all.pictures.url}/clip.mp4)\n`)
    const { id } = await press.publish(activityId, channels.get('short_video_network') ?? '')
    expect(await press.rests(id)).toMatchObject({ status: 'published', error: null })
    expect(platformOf('short_video_network').published('Bulgur')).toBe(1)
  })

  it('connects a server of the user’s own by a client that it gives out', async () => {
    const { url } = platformOf('microblog_a')
    const params = { platform: 'microblog_a' as const }
    const { authUrl } = await admin().call('dashboard.channels.connect', {
      params,
      body: { redirectUrl, server: url },
    })
    const asked = new URL(authUrl).searchParams
    const back = new URL(asked.get('redirect_uri') ?? '')
    expect([back.search, asked.get('code_challenge_method')]).toEqual(['', 'S256'])
    for (const [name, value] of Object.entries({ code: 'a-code', state: asked.get('state') ?? '' }))
      back.searchParams.set(name, value)
    const { location } = await comeBack(press.app, back)
    expect(location?.searchParams.get('status')).toBe('connected')
    const of = [platformOf('microblog_a')]
    expect((await everywhere('Einkorn', of)).rows).toEqual(each(() => out, of))
  })

  it('is disconnected by a dead grant, with one notice', async () => {
    all.provider.end()
    for (const { shutOut } of platforms) shutOut?.()
    const before = (await press.notices()).length
    const { rows } = await everywhere('Farro')
    expect(rows).toEqual(each(() => ['held', null, 0]))
    expect((await press.notices()).slice(before).toSorted()).toEqual(
      platforms.map(({ type }) => `Connect ${channelNames[type]} again`).toSorted(),
    )
  })
})
