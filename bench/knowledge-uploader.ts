import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { waitFor } from './installation.ts'
import { expectEqual } from './measure.ts'

/** What an upload may have. */
const mostFiles = 20
const mostBytes = 200 * 2 ** 20

export interface UploadData {
  url: string
  token: string
  paths: readonly string[]
}

const { url, token, paths } = workerData as UploadData
const headers = { authorization: `Bearer ${token}` }
const datasets = async () => {
  const response = await fetch(`${url}/dashboard/v1/knowledge-base/datasets`, { headers })
  return ((await response.json()) as { data: Array<{ id: string; status: string; totalFiles: number }> }).data
}
const [dataset] = await datasets()
const before = dataset?.totalFiles ?? 0
const to = `${url}/dashboard/v1/knowledge-base/datasets/${dataset?.id}/files/upload`
let body = new FormData()
let [files, bytes] = [0, 0]
const send = async () => {
  if (files > 0)
    expectEqual('status of an upload', (await fetch(to, { method: 'POST', headers, body })).status, 202)
  body = new FormData()
  files = bytes = 0
}
for (const path of paths) {
  const content = await readFile(path)
  if (files === mostFiles || bytes + content.length > mostBytes) await send()
  body.append('files', new File([content], basename(path)))
  files += 1
  bytes += content.length
}
await send()
let found = await datasets()
await waitFor(async () => {
  // Requests are limited.
  await setTimeout(400)
  found = await datasets()
  return found[0]?.status !== 'building'
}, 'all files are indexed')
expectEqual('files', found[0]?.totalFiles ?? 0, before + paths.length)
expectEqual('datasets in which all failed', found.filter(({ status }) => status === 'error').length, 0)
