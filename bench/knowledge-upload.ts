import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { memberTokens, waitFor } from './installation.ts'
import { expectEqual } from './measure.ts'
import type { Subject } from './processes.ts'

/** What an upload may have. */
const mostFiles = 20
const mostBytes = 200 * 2 ** 20

/** Requests of others before an ingestion, after as many that warm the server up. */
const idleRequests = 200

/**
 * Does what a server is measured by.
 * @param atRest bytes that the server holds when it does nothing
 * @returns seconds, MiB at most above what it held at rest, and milliseconds that others waited for a list before and meanwhile
 */
export async function timed(
  subject: Subject,
  tenantId: string,
  atRest: number,
  work: () => Promise<unknown>,
) {
  const read = await readerOf(subject, tenantId)
  for (let n = 0; n < idleRequests; n += 1) await read()
  const idle: number[] = []
  for (let n = 0; n < idleRequests; n += 1) idle.push(await read())
  await subject.ask('watch')
  const begun = performance.now()
  let isOver = false
  const working = work().finally(() => void (isOver = true))
  const meanwhile: number[] = []
  while (!isOver) {
    meanwhile.push(await read())
    await setTimeout(10)
  }
  await working
  const s = (performance.now() - begun) / 1_000
  const { peak } = await subject.ask<{ peak: number }>('watched')
  return { s, idle, meanwhile, aboveIdle: (peak - atRest) / 2 ** 20 }
}

/** Reads a list as people of the tenant in turn: the limits count each of them. */
async function readerOf({ url }: Subject, tenantId: string): Promise<() => Promise<number>> {
  const people = Array.from({ length: 100 }, (_, n) => `01K0000000000000000000${String(n).padStart(4, '0')}`)
  const tokens = await memberTokens(tenantId, people)
  let next = 0
  return async () => {
    const headers = { authorization: `Bearer ${tokens[next++ % tokens.length]}` }
    const begun = performance.now()
    const response = await fetch(`${url}/dashboard/v1/activities`, { headers })
    await response.arrayBuffer()
    expectEqual('status of a list', response.status, 200)
    return performance.now() - begun
  }
}

interface Uploaded {
  status: string
  errorMessage: string | null
}

/** Uploads files, and waits until each of them is indexed, or has an error. */
export async function upload({ url }: Subject, token: string, paths: readonly string[]): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const datasets = async () => {
    const response = await fetch(`${url}/dashboard/v1/knowledge-base/datasets`, { headers })
    return ((await response.json()) as { data: Array<{ id: string; status: string; totalFiles: number }> })
      .data
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
}

/** How the files of the first dataset have ended. */
export async function ends({ url }: Subject, token: string): Promise<Uploaded[]> {
  const headers = { authorization: `Bearer ${token}` }
  const get = async <T>(path: string) =>
    (await (await fetch(`${url}/dashboard/v1/knowledge-base/datasets${path}`, { headers })).json()) as T
  const [dataset] = (await get<{ data: Array<{ id: string }> }>('')).data
  return (await get<{ files: Uploaded[] }>(`/${dataset?.id}`)).files
}
