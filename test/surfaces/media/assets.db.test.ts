import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assemble } from '../../../packages/core/src/composition/assemble.ts'
import { AssetUse, type AssetUser } from '../../../packages/core/src/domain/media/entities.ts'
import { releaseNamedAssets, useNamedAssets } from '../../../packages/core/src/domain/media/uses.ts'
import type { Transaction } from '../../../packages/core/src/kernel/context.ts'
import { transact } from '../../../packages/core/src/kernel/transact.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { exifOf, jpegOf, pngOf, uploadAsset, videoOf } from '../../kit/pictures.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let clock: TestClock

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock })
})
afterAll(() => app[Symbol.asyncDispose]())

type Fields = Record<string, string>
const add = (
  { member }: Pick<Team, 'member'>,
  content: string | Uint8Array,
  name: string,
  fields: Fields = {},
) => uploadAsset(member, content, name, fields)

const contentOf = async (team: Team, assetId: string, query = '') => {
  const answer = await app.fetch(`/media/v1/assets/${assetId}/content${query}`, {
    headers: { authorization: `Bearer ${team.adminToken}` },
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, bytes, header: (name: string) => answer.headers.get(name) }
}

const filesOf = ({ tenantId }: Team) =>
  readdir(join(app.options.dataDir, 'blobs', 'tenants', tenantId, 'assets')).catch(() => [] as string[])

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

describe('media.assets.create', () => {
  it('stores an image without its metadata, with the type and size of its content', async () => {
    const team = await app.team()
    const photo = jpegOf({ width: 30, height: 20 }, [[0xe1, exifOf(6)]])
    const added = await add(team, photo, 'IMG_1.html', { altText: 'A loaf', tags: 'Bread, oven,bread' })
    expect(added).toMatchObject({
      name: 'IMG_1.html',
      altText: 'A loaf',
      tags: ['bread', 'oven'],
      kind: 'image',
      mimeType: 'image/jpeg',
      width: 20,
      height: 30,
      createdBy: { name: 'Mia Member' },
    })
    const { bytes, header } = await contentOf(team, added.id)
    expect(bytes).toHaveLength(added.sizeBytes)
    expect(bytes.includes('GPS')).toBe(false)
    expect(header('content-type')).toBe('image/jpeg')
    expect(header('content-disposition')).toMatch(/^inline/)
    expect(header('etag')).toBe(`"${added.sha256}"`)
  })

  it('takes a file whose name is cut within a character', async () => {
    const { name } = await add(await app.team(), pngOf(), `${'😀'.repeat(128)}.png`)
    expect(name).toBe(`${'😀'.repeat(125)}.png`)
  })

  it('rejects a file by its content, a damaged and a too large one, and stores nothing', async () => {
    const team = await app.team()
    const before = await fingerprint(app.db)
    const wrong = { status: 400, code: 'VALIDATION_ERROR', field: 'file' }
    expect(await refusal(add(team, '<html><svg/></html>', 'a.svg'))).toEqual(wrong)
    expect(await refusal(add(team, Buffer.from('PK\x03\x04'), 'a.png'))).toEqual(wrong)
    expect(await refusal(add(team, pngOf().subarray(0, 50), 'a.png'))).toEqual(wrong)
    const huge = Buffer.concat([Buffer.from('<svg>'), Buffer.alloc(1024 * 1024, 32)])
    expect(await refusal(add(team, huge, 'a.svg'))).toMatchObject({ status: 413, field: 'file' })
    expect(await refusal(add(team, pngOf(), 'a.png', { tags: 'a<b' }))).toMatchObject({ status: 400 })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    expect(await filesOf(team)).toEqual([])
  })

  it('counts to the quota, and leaves no bytes behind that no row knows', async () => {
    await using small = await createTestApp({ worker: false, quotas: { tenantBytes: 100_000 } })
    const team = await small.team()
    const { id } = await add(team, videoOf('isom', 60_000), 'a.mp4')
    expect(await refusal(add(team, videoOf('isom', 60_000), 'b.mp4'))).toMatchObject({ status: 413 })
    await team.member.call('media', 'DELETE /assets/:assetId', { params: { assetId: id } })
    await add(team, videoOf('isom', 60_000), 'b.mp4')
  })

  it('deletes bytes without a row, as when a process dies between the two', async () => {
    const team = await app.team()
    const { id } = await add(team, pngOf(), 'a.png')
    const { id: lost } = await add(team, pngOf(), 'b.png')
    await app.db.write((tx) => tx.run('delete from assets where id = ?', [lost]))
    expect(await filesOf(team)).toHaveLength(2)
    await app.until(async () => {
      clock.advance(600_000)
      return (await filesOf(team)).length === 1
    }, 'the bytes without a row are gone')
    expect(await filesOf(team)).toEqual([id])
  })
})

describe('media.assets.list', () => {
  it('finds by words, kind and tag, page by page, and only what the tenant has', async () => {
    const [team, other] = [await app.team(), await app.team()]
    await add(other, pngOf(), 'rye.png', { tags: 'bread' })
    await add(team, pngOf(), 'rye.png', { tags: 'bread,50% off'.replace('%', '') })
    await add(team, pngOf(), 'b.png', { altText: 'Rye at night', tags: 'bread and butter' })
    await add(team, videoOf('isom'), 'c.mp4', { tags: 'rye,bread_2' })
    const names = async (query: object) => {
      const { data } = await team.member.call('media', 'GET /assets', { query })
      return data.map(({ name }) => name)
    }
    expect(await names({})).toEqual(['c.mp4', 'b.png', 'rye.png'])
    expect(await names({ search: 'rye' })).toEqual(['c.mp4', 'b.png', 'rye.png'])
    expect(await names({ search: 'night' })).toEqual(['b.png'])
    expect(await names({ 'filter.kind': 'video' })).toEqual(['c.mp4'])
    expect(await names({ 'filter.tag': 'Bread' })).toEqual(['rye.png'])
    expect(await names({ 'filter.tag': 'bread_2' })).toEqual(['c.mp4'])
    expect(await names({ 'filter.tag': 'bread.2' })).toEqual([])
    const first = await team.member.call('media', 'GET /assets', { query: { limit: 2 } })
    const cursor = first.pagination.nextCursor ?? ''
    expect(await names({ limit: 2, cursor })).toEqual(['rye.png'])
  })
})

describe('media.assets.get', () => {
  it('returns the metadata of one asset, to its tenant only', async () => {
    const [team, other] = [await app.team(), await app.team()]
    const added = await add(team, '<svg/>', 'a.png')
    const params = { assetId: added.id }
    const found = await team.member.call('media', 'GET /assets/:assetId', { params })
    expect(found).toEqual(added)
    expect(found).toMatchObject({ mimeType: 'image/svg+xml', width: null, kind: 'image', tags: [] })
    expect(await refusal(other.member.call('media', 'GET /assets/:assetId', { params }))).toEqual(missing)
    const refused = await refusal(team.reviewer.call('media', 'GET /assets/:assetId', { params }))
    expect(refused).toMatchObject({ status: 403 })
  })
})

describe('media.assets.change', () => {
  it('changes what is named, and null empties the text', async () => {
    const team = await app.team()
    const { id: assetId } = await add(team, pngOf(), 'a.png', { altText: 'A', tags: 'x' })
    const params = { assetId }
    const change = (body: { name?: string; altText?: string | null; tags?: string[] }) =>
      team.member.call('media', 'PATCH /assets/:assetId', { params, body })
    expect(await change({ tags: ['One', 'two'] })).toMatchObject({ altText: 'A', tags: ['one', 'two'] })
    expect(await change({ name: 'Loaf', altText: null })).toMatchObject({
      name: 'Loaf',
      altText: null,
      tags: ['one', 'two'],
    })
    expect(await change({ tags: [] })).toMatchObject({ tags: [] })
  })
})

describe('media.assets.delete', () => {
  it('deletes an asset with its bytes', async () => {
    const team = await app.team()
    const { id: assetId } = await add(team, pngOf(), 'a.png')
    await team.member.call('media', 'DELETE /assets/:assetId', { params: { assetId } })
    expect((await contentOf(team, assetId)).status).toBe(404)
    expect(await refusal(team.member.call('media', 'GET /assets/:assetId', { params: { assetId } }))).toEqual(
      missing,
    )
    await app.until(async () => (await filesOf(team)).length === 0, 'the bytes are gone')
  })

  it('keeps the bytes of an asset for what uses it, until the last use ends', async () => {
    const team = await app.team()
    const { id } = await add(team, pngOf(), 'a.png')
    const node = await assemble(app.options)
    const system = <T>(work: (txn: Transaction) => Promise<T>) => transact(node.system(), work)
    const userOf = (type: AssetUser['type'], { tenantId }: Team = team) => ({ tenantId, type, id: 'p' })
    const text = `![](asset:${id})`
    const [post, mail, late] = [userOf('text'), userOf('mailing'), userOf('sequence_step')]
    const uses = () => system((txn) => txn.em.count(AssetUse, { assetId: id }))
    await system((txn) => useNamedAssets(txn, text, post))
    await system((txn) => useNamedAssets(txn, text, post))
    await system((txn) => useNamedAssets(txn, text, mail))
    // What another tenant writes is no use.
    const other = await app.team()
    await system((txn) => useNamedAssets(txn, text, userOf('text', other)))
    expect(await uses()).toBe(2)
    await team.member.call('media', 'DELETE /assets/:assetId', { params: { assetId: id } })
    expect((await contentOf(team, id)).status).toBe(404)
    expect((await team.member.call('media', 'GET /assets', {})).data).toEqual([])
    await system((txn) => useNamedAssets(txn, text, late))
    expect(await uses()).toBe(2)
    await system((txn) => useNamedAssets(txn, text, late, post))
    expect(await uses()).toBe(3)
    for (const one of [post, late]) await system((txn) => releaseNamedAssets(txn, text, one))
    clock.advance(7_200_000)
    expect(await filesOf(team)).toEqual([id])
    await system((txn) => releaseNamedAssets(txn, text, mail))
    await app.until(async () => (await filesOf(team)).length === 0, 'the bytes are gone')
    await node.close()
  })
})

describe('media.assets.content', () => {
  it('makes an image smaller to one of a few widths, turned as it is shown, and remembers it', async () => {
    const team = await app.team()
    const photo = await sharp({ create: { width: 900, height: 700, channels: 3, background: '#a52' } })
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const { id, width } = await add(team, photo, 'a.jpg')
    expect(width).toBe(700)
    const first = await contentOf(team, id, '?w=320')
    expect(first.header('content-type')).toBe('image/webp')
    expect(await sharp(first.bytes).metadata()).toMatchObject({ format: 'webp', width: 320, height: 411 })
    expect(first.header('etag')).toMatch(/-w320"$/)
    await rm(join(app.options.dataDir, 'blobs', 'tenants', team.tenantId, 'assets', id))
    expect((await contentOf(team, id, '?w=320')).bytes.equals(first.bytes)).toBe(true)
    // The bytes are gone.
    expect((await contentOf(team, id)).status).toBe(404)
    for (const w of ['321', '0', '-160', '1e3', 'x']) {
      const { status, bytes } = await contentOf(team, id, `?w=${w}`)
      expect([status, JSON.parse(String(bytes)).error.field], w).toEqual([400, 'w'])
    }
  })

  it('serves an image that is not wider, or cannot be read, as it is', async () => {
    const team = await app.team()
    const small = await add(team, pngOf(), 'a.png')
    expect((await contentOf(team, small.id, '?w=160')).header('content-type')).toBe('image/png')
    // As wide as it says, and with too few pixels.
    const broken = await add(team, pngOf({ width: 5_000, height: 5_000, pixels: false }), 'b.png')
    const { status, header } = await contentOf(team, broken.id, '?w=160')
    expect([status, header('content-type')]).toEqual([200, 'image/png'])
  })
})
