import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pictureAddress } from '../../../packages/core/src/domain/delivery/publishing/picture.ts'
import { namedAssets } from '../../../packages/core/src/domain/media/queries.ts'
import type { LogFields } from '../../../packages/core/src/platform/log.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { parts } from '../../domain/agents.ts'
import { createTestApp } from '../../kit/app.ts'
import { startBucket } from '../../kit/bucket-server.ts'
import { mailsOf } from '../../kit/mail.ts'
import { type Newsroom, openNewsroom } from '../../kit/mailings.ts'
import { jpegOf, pngOf, uploadAsset } from '../../kit/pictures.ts'
import { connectAll } from '../../kit/platforms/all-connected.ts'

const photo = jpegOf({ width: 30, height: 20 })
const lines: string[] = []
let room: Newsroom
let loaf: Awaited<ReturnType<typeof uploadAsset>>
let other: typeof loaf

beforeAll(async () => {
  const note = (message: string, fields?: LogFields) =>
    void lines.push(`${message} ${JSON.stringify(fields ?? {})}`)
  const log = { ...silentLogger, debug: note, info: note, warn: note }
  room = await openNewsroom({ baseUrl: 'https://desk.example', log: { ...log, child: () => log } })
  await room.addLeads('Ann', 'Bea')
  loaf = await uploadAsset(room.team.member, photo, 'bröt.jpg', { altText: 'A loaf' })
  other = await uploadAsset(room.team.member, photo, 'other.jpg')
})
afterAll(() => room[Symbol.asyncDispose]())

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
  )

const open = async (address: string, init?: RequestInit) => {
  const { pathname } = new URL(address)
  const answer = await room.app.fetch(pathname, init)
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, bytes, header: (name: string) => answer.headers.get(name) }
}

/** The address of the picture in a mail to Ann with this subject. */
async function addressIn(subject: string): Promise<string> {
  const mail = (await mailsOf(room.app)).find((one) => one.subject === subject && /^ann/i.test(one.to))
  return /<img src="([^"]+)"/.exec(mail?.html ?? '')?.[1] ?? ''
}

describe('files.media', () => {
  it('is good for one asset of one tenant until its end, and everything else is not there', async () => {
    const activityId = await room.approved(`# Two\n\n![](${loaf.reference})\n![](${other.reference})\n`)
    const { data } = await room.admin.call('dashboard.publications.previews', { params: { activityId } })
    const { pictures = [] } = data.find(({ channelType }) => channelType === 'microblog_a') ?? {}
    const [address = '', later = ''] = pictures.map(({ url }) => url)
    expect((await open(address)).status).toBe(200)
    expect((await open(address)).header('cache-control')).toBe('private, no-store')
    const [folder, token = ''] = [
      address.slice(0, address.indexOf('/files/media/') + 13),
      address.split('/')[5],
    ]
    const [id = '', until = '', key = '', mac = ''] = token.split('.')
    const [otherId = ''] = later.split('/')[5]?.split('.') ?? []
    for (const forged of [
      `${otherId}.${until}.${key}.${mac}/file.jpg`,
      `${id}.${Number(until) + 1}.${key}.${mac}/file.jpg`,
      `${id}.0.${key}.${mac}/file.jpg`,
      `${id}.0${until}.${key}.${mac}/file.jpg`,
      `${id}.${until}.k2.${mac}/file.jpg`,
      `${id}.${until}.${key}.${mac.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))}/file.jpg`,
      `${id}.${until}.${key}.${mac.toUpperCase()}/file.jpg`,
      `${id.toLowerCase()}.${until}.${key}.${mac}/file.jpg`,
      `${token}/file.png`,
      `${token}/file.html`,
      `${token}x/file.jpg`,
      `01HZZZZZZZZZZZZZZZZZZZZZZZ.${until}.${key}.${mac}/file.jpg`,
      `${'a'.repeat(2_000)}/file.jpg`,
      '%00/file.jpg',
    ])
      expect((await open(folder + forged)).status, forged).toBe(404)
    room.clock.advance(3_599_000)
    expect((await open(address)).status).toBe(200)
    room.clock.advance(1_000)
    expect((await open(address)).status).toBe(404)
  })

  it('shows the picture of a mail to its readers, in parts too, for as long as there is the asset', async () => {
    const { id, reference } = loaf
    const text = `Subject: Loaves\n\nDear {{firstName}},\n\n![](${reference})\n`
    const activityId = await room.newsletter(text)
    await room.admin.call('dashboard.mailings.test', { params: { activityId } })
    await room.mail(activityId)
    await room.quiet()
    const address = await addressIn('Loaves')
    expect(address).toMatch(
      new RegExp(`^https://desk\\.example/files/media/${id}\\.0\\.k1\\.[0-9a-f]{64}/file\\.jpg$`),
    )
    const mails = await mailsOf(room.app)
    for (const subject of ['Loaves', '[Test] Loaves'])
      expect(mails.find((one) => one.subject === subject)?.html).toContain(
        `<img src="${address}" alt="A loaf">`,
      )
    // Deleted from the list, it stays for those who have the mail.
    await room.admin.call('media.assets.delete', { params: { assetId: id } })
    room.clock.advance(40 * 86_400_000)
    await room.quiet()
    const whole = await open(address)
    expect([whole.status, whole.bytes.equals(photo)]).toEqual([200, true])
    expect(['content-type', 'x-content-type-options', 'cache-control'].map(whole.header)).toEqual([
      'image/jpeg',
      'nosniff',
      'public, max-age=86400',
    ])
    expect(whole.header('content-disposition')).toMatch(/^inline/)
    expect(whole.header('content-security-policy')).toBe("default-src 'none'; sandbox")
    const part = await open(address, { headers: { range: 'bytes=2-5' } })
    expect([part.status, part.bytes.equals(photo.subarray(2, 6))]).toEqual([206, true])
    const head = await open(address, { method: 'HEAD' })
    expect([head.status, head.header('content-length'), head.bytes.length]).toEqual([
      200,
      `${photo.length}`,
      0,
    ])
    expect((await open(address, { headers: { range: `bytes=${photo.length}-` } })).status).toBe(416)
    expect((await open(address, { method: 'POST' })).status).toBe(405)
    // Whoever reads the logs cannot open it.
    expect(lines.some((line) => line.includes('/files/media/:token/:name'))).toBe(true)
    expect(lines.filter((line) => line.includes(address.split('/')[5] ?? '-'))).toEqual([])
  })
})

describe('a mailing with files of the media library', () => {
  it('is refused where readers could not see them, before anything is sent', async () => {
    await using inside = await openNewsroom()
    const { reference } = await uploadAsset(inside.team.member, photo, 'a.jpg')
    const { reference: drawing } = await uploadAsset(inside.team.member, '<svg/>', 'b.svg')
    const activityId = await inside.newsletter(`Subject: One\n\n![](${reference})\n`)
    const noAddress = expect.stringMatching(/^UNPROCESSABLE Readers cannot be shown .* no public address/)
    expect(await refusal(inside.mail(activityId))).toEqual(noAddress)
    const test = inside.admin.call('dashboard.mailings.test', { params: { activityId } })
    expect(await refusal(test)).toEqual(noAddress)
    for (const [bad, words] of [
      ['asset:01HZZZZZZZZZZZZZZZZZZZZZZZ', 'has no “asset:01HZZZ'],
      [drawing, '“b.svg” is image/svg+xml'],
    ] as const) {
      const piece = await inside.newsletter(`Subject: Two\n\n![](${bad})\n`)
      expect(await refusal(inside.mail(piece)), bad).toContain(words)
    }
    await inside.quiet()
    expect(await mailsOf(inside.app)).toEqual([])
  })
})

describe('a platform that fetches pictures, with files in a bucket', () => {
  it('gets an address of the bucket, which ends after an hour', async () => {
    let now = () => Date.now()
    await using bucket = await startBucket({ now: () => now() })
    await using all = await connectAll({ storage: bucket.options, baseUrl: 'https://desk.example' })
    const { press, platforms, channels } = all
    now = () => press.clock.now()
    const { id, reference } = await uploadAsset(press.team.member, pngOf(), 'a.png')
    const activityId = await press.approved(`# Oats\n\n![](${reference})\n`)
    const facebook = platforms.find(({ type }) => type === 'social_network_a')
    const { id: publication } = await press.publish(activityId, channels.get('social_network_a') ?? '')
    expect(await press.rests(publication)).toMatchObject({ status: 'published', error: null })
    expect(facebook?.pictures).toEqual([pngOf()])
    const asked = bucket.requests.findLast((line) => line.includes(`/assets/${id}?`)) ?? ''
    expect(asked).toContain('response-content-type=image%2Fpng')
    expect(asked).toContain('X-Amz-Expires=3600')
    const address = bucket.endpoint + asked.slice('GET '.length)
    expect((await fetch(address)).status).toBe(200)
    // Readers of mails come later than that: they are sent to this server.
    const { id: mailing } = await press.publish(activityId, channels.get('email_platform_b') ?? '')
    expect(await press.rests(mailing)).toMatchObject({ status: 'published', error: null })
    const html = platforms.find(({ type }) => type === 'email_platform_b')?.html ?? ''
    const [, path = ''] = /<img src="https:\/\/desk\.example(\/files\/media\/[^"]+)" alt="">/.exec(html) ?? []
    const shown = await press.app.fetch(path)
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(pngOf())
    press.clock.advance(3_601_000)
    expect((await fetch(address)).status).toBe(403)
    expect((await fetch(address.replace('X-Amz-Expires=3600', 'X-Amz-Expires=604800'))).status).toBe(403)
    expect((await fetch(address.replace(id, '01HZZZZZZZZZZZZZZZZZZZZZZZ'))).status).toBe(403)
  })

  it('is told in words that neither the server nor a bucket can be reached', async () => {
    await using app = await createTestApp({ worker: false })
    const { tenantId, member } = await app.team()
    const { id, reference: url } = await uploadAsset(member, photo, 'a.jpg')
    await using instance = await parts(app)
    const ctx = instance.system()
    const asset = (await namedAssets(ctx, url, { tenantId, type: 'text', id })).get(id)
    const limits = { min: 0, max: 1, fetched: { types: ['image/jpeg'], maxBytes: 1_000_000 } }
    const picture = { url, alt: '', ...(asset && { asset }) }
    const address = (isNear: boolean) => pictureAddress(ctx, picture, limits, { isNear, lasts: 'hour' })
    await expect(address(false)).rejects.toMatchObject({
      kind: 'policy',
      message: expect.stringContaining('neither this server (baseUrl) nor its bucket has a public address'),
    })
    expect(await address(true)).toMatch(/^http:\/\/127\.0\.0\.1:1\/files\/media\//)
  })
})
