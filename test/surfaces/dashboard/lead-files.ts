import type { Team, TestApp } from '../../kit/app.ts'

/** Sends a file of leads. */
export function importFile(
  { member }: Team,
  file: string | Uint8Array,
  options: { source?: string; duplicates?: 'skip' | 'update' } = {},
  fileName = 'leads.csv',
) {
  const body = new FormData()
  for (const [name, value] of Object.entries(options)) body.append(name, value)
  body.append('file', new Blob([file as BlobPart]), fileName)
  return member.call('dashboard', 'POST /leads/import', { body })
}

export const stateOf = ({ member }: Team, importId: string) =>
  member.call('dashboard', 'GET /leads/imports/:importId', { params: { importId } })

/** Waits until an import has ended. Asked of the database: those who poll are limited. */
export async function imported(app: TestApp, team: Team, importId: string) {
  await app.until(async () => {
    const row = await app.db.sql.get<{ status: string }>('select status from lead_imports where id = ?', [
      importId,
    ])
    return row?.status !== 'processing'
  }, 'the import has ended')
  return stateOf(team, importId)
}

/** The leads of a tenant as a file, the lines of an import that became none, or whatever else is a file. */
export async function fileAt(app: TestApp, { adminToken }: Team, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}` }
  const response = await app.fetch(`/dashboard/v1/leads/${path}`, { headers })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  // `text()` would take the byte order mark away.
  return Buffer.from(await response.arrayBuffer()).toString()
}
