import type { Team, TestApp } from './app.ts'
import { addKnowledge } from './seeded-settings.ts'

/** The id of one of a tenant's datasets, by its name. */
export async function datasetOf({ member }: Team, name = 'Client documents'): Promise<string> {
  const { data } = await member.call('dashboard', 'GET /knowledge-base/datasets')
  return data.find((each) => each.name === name)?.id ?? ''
}

/** Uploads files and waits until each can be searched. @returns their ids */
export async function addDocuments(
  app: TestApp,
  team: Team,
  files: Parameters<typeof addKnowledge>[2],
  dataset?: string,
): Promise<string[]> {
  const { uploadedFiles } = await addKnowledge(team.member, await datasetOf(team, dataset), files)
  const ids = uploadedFiles.map(({ id }) => id)
  for (const id of ids) await indexed(app, id)
  return ids
}

/** Waits until a file can be searched. Asked of the database: those who poll are limited. */
export function indexed(app: TestApp, fileId: string) {
  return app.until(async () => {
    const row = await app.db.sql.get<{ status: string }>('select status from knowledge_files where id = ?', [
      fileId,
    ])
    return row?.status === 'indexed'
  }, 'the file can be searched')
}
