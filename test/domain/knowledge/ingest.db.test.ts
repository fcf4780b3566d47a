import { describe, expect, it } from 'vitest'
import { ingest } from '../../../packages/core/src/domain/knowledge/ingestion/ingest.ts'
import { createTestApp } from '../../kit/app.ts'
import { datasetOf } from '../../kit/knowledge.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { parts } from '../agents.ts'

describe('ingest', () => {
  it('of a file by two processes at the same time leaves the chunks of one', async () => {
    await using app = await createTestApp({ worker: false })
    const team = await app.team()
    const ctx = (await parts(app)).adminOf(team.tenantId)
    const text = Array.from({ length: 150 }, (_, n) => `# Part ${n}\n\n${'Oats and rye. '.repeat(100)}`)
    const datasetId = await datasetOf(team)
    const { uploadedFiles } = await addKnowledge(team.member, datasetId, { 'oats.md': text.join('\n\n') })
    const fileId = uploadedFiles[0]?.id ?? ''
    const signal = new AbortController().signal
    // The lease of the first one has ended, and it does not know yet.
    await Promise.all([ingest(ctx, { fileId }, signal), ingest(ctx, { fileId }, signal)])
    const { files } = await team.member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId', {
      params: { datasetId },
    })
    expect(files).toMatchObject([{ status: 'indexed', errorMessage: null }])
    const searched = await app.db.sql.all<{ ordinal: number }>(
      `select c.ordinal from knowledge_chunks c join knowledge_files f on f.id = c.file_id and f.version = c.version
       where f.id = ? order by c.ordinal`,
      [fileId],
    )
    expect(searched.map(({ ordinal }) => ordinal)).toEqual(
      Array.from({ length: files[0]?.chunksCount ?? 0 }, (_, n) => n),
    )
    expect(searched.length).toBeGreaterThan(64)
  })
})
