import { describe, expect, it } from 'vitest'
import { createTestApp, type Team } from '../../kit/app.ts'
import { startPhotos } from '../../kit/photo-server.ts'
import { pngOf, videoOf } from '../../kit/pictures.ts'

const add = (team: Team, content: Uint8Array, name: string) => {
  const body = new FormData()
  body.append('file', new Blob([content as BlobPart]), name)
  return team.member.call('media', 'POST /assets', { body })
}
const search = (team: Team, query: { q?: string; limit?: number }) =>
  team.member.call('media', 'GET /images/search', { query })

describe('media.images.search', () => {
  it('finds the images of the tenant only, where no service is configured', async () => {
    await using app = await createTestApp({ worker: false })
    const [team, other] = [await app.team(), await app.team()]
    const { id } = await add(team, pngOf(), 'Rye loaf.png')
    await add(team, pngOf(), 'Oven.png')
    await add(team, videoOf('isom'), 'Rye.mp4')
    await add(other, pngOf(), 'Rye of others.png')
    const { data, provider } = await search(team, { q: 'rye' })
    expect(provider).toBe('none')
    expect(data).toEqual([
      expect.objectContaining({
        source: 'tenant',
        assetId: id,
        title: 'Rye loaf.png',
        url: `/media/v1/assets/${id}/content`,
        thumbnailUrl: `/media/v1/assets/${id}/content?w=320`,
        width: 4,
        height: 3,
      }),
    ])
    expect((await search(team, {})).data).toHaveLength(2)
  })

  it.each(['hosted_a', 'hosted_b'] as const)(
    'fills up with what %s finds, and lives without it',
    async (provider) => {
      await using photos = await startPhotos()
      await using app = await createTestApp({
        worker: false,
        allowHosts: [photos.host],
        images: { provider, baseUrl: photos.baseUrl, apiKey: photos.key },
      })
      const team = await app.team()
      await add(team, pngOf(), 'Rye loaf.png')
      const { data, ...found } = await search(team, { q: 'rye & oats', limit: 5 })
      expect([found.provider, data.length]).toEqual(['ok', 5])
      const all = await search(team, { q: 'rye', limit: 3 })
      expect(all.data.map(({ source }) => source)).toEqual(['tenant', 'provider', 'provider'])
      expect(all.data[1]).toMatchObject({
        assetId: null,
        title: 'Photo 0',
        url: 'https://photos.example/0.jpg',
        thumbnailUrl: 'https://photos.example/0.jpg/thumb',
        author: 'Pia',
        licence: provider === 'hosted_a' ? 'by 4.0' : null,
        sourceUrl: 'https://pages.example/1',
      })
      expect(photos.asked.map(({ query }) => Object.values(query))).toEqual([
        expect.arrayContaining(['rye & oats', '5']),
        expect.arrayContaining(['rye', '2']),
      ])
      expect((await search(team, { q: 'rye', limit: 1 })).provider).toBe('not_needed')
      expect((await search(team, {})).provider).toBe('not_needed')
      for (const fault of ['status', 'text', 'form'] as const) {
        photos.fail(fault)
        const { data: own, provider: outcome } = await search(team, { q: 'rye' })
        expect([own.length, outcome], fault).toEqual([1, 'failed'])
      }
    },
  )
})
