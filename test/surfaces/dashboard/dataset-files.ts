import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Team, TestApp } from '../../kit/app.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'

/** What people of a tenant do with the files of its first dataset. */
export function datasetFiles(app: TestApp) {
  async function createTeam() {
    const team = await app.team()
    const { data } = await team.member.call('dashboard', 'GET /knowledge-base/datasets')
    const datasetId = data.find(({ name }) => name === 'Client documents')?.id ?? ''
    return { ...team, datasetId }
  }

  /** Uploads files and waits until their ingestion has ended. */
  async function ingested(team: Team & { datasetId: string }, files: Parameters<typeof addKnowledge>[2]) {
    const { uploadedFiles } = await addKnowledge(team.member, team.datasetId, files)
    for (const { id } of uploadedFiles) await settled(id)
    return uploadedFiles.map(({ id }) => id)
  }

  /** Asked of the database: those who poll are limited. A job ends a moment after the file that it ingests. */
  const settled = (fileId: string) =>
    app.until(
      () =>
        app.db.sql.get(
          `select id from knowledge_files where id = ? and status in ('indexed', 'error')
           and not exists (select 1 from job where unique_key = ? and status = 'running')`,
          [fileId, `knowledge.ingest:${fileId}`],
        ),
      'the ingestion has ended',
    )

  const statusOf = ({ member, datasetId }: Team & { datasetId: string }, fileId: string) =>
    member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId/files/:fileId/status', {
      params: { datasetId, fileId },
    })

  const searchFor = async ({ member, datasetId }: Team & { datasetId: string }, query: string) => {
    const body = { query, datasetIds: [datasetId] }
    const { results } = await member.call('dashboard', 'POST /knowledge-base/search', { body })
    return results.map(({ fileName }) => fileName)
  }

  const filesOf = ({ tenantId }: Team) =>
    readdir(join(app.options.dataDir, 'blobs', 'tenants', tenantId, 'knowledge')).catch(() => [] as string[])

  return { createTeam, ingested, settled, statusOf, searchFor, filesOf }
}
