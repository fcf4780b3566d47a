import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { startBucket } from '../../kit/bucket-server.ts'
import { addDocuments, datasetOf } from '../../kit/knowledge.ts'

describe('an installation that keeps its files in a bucket', () => {
  it('reads documents, makes images smaller and deletes files, and leaves none on this machine', async () => {
    await using bucket = await startBucket()
    await using app = await createTestApp({ storage: bucket.options })
    const team = await app.team()
    // A short one is read by a thread for texts, a long one by the parser.
    const long = `# Bread\n\n${'Rye rests for twelve hours before it is baked. '.repeat(8_000)}`
    await addDocuments(app, team, { 'oats.md': '# Oats\n\nSown in Thuringia.', 'long.md': long })
    const found = await team.member.call('dashboard', 'POST /knowledge-base/search', {
      body: { query: 'Thuringia', datasetIds: [await datasetOf(team)] },
    })
    expect(JSON.stringify(found)).toContain('Sown in Thuringia')
    const photo = await sharp({ create: { width: 900, height: 300, channels: 3, background: '#a52' } })
      .png()
      .toBuffer()
    const body = new FormData()
    body.append('file', new Blob([photo as BlobPart]), 'a.png')
    const { id: assetId } = await team.member.call('media', 'POST /assets', { body })
    const key = `files/tenants/${team.tenantId}/assets/${assetId}`
    expect(bucket.objects.has(key)).toBe(true)
    const answer = await app.fetch(`/media/v1/assets/${assetId}/content?w=160`, {
      headers: { authorization: `Bearer ${team.adminToken}` },
    })
    const small = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
    expect(small).toMatchObject({ format: 'webp', width: 160 })
    await team.member.call('media', 'DELETE /assets/:assetId', { params: { assetId } })
    await app.until(async () => !bucket.objects.has(key), 'the file is gone from the bucket')
    const { dataDir } = app.options
    expect(await readdir(join(dataDir, 'temporary'))).toEqual([])
    expect(await readdir(dataDir)).not.toContain('blobs')
    expect(bucket.refusals.filter((code) => code !== 'NoSuchKey')).toEqual([])
  })
})
