import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { memberTokens } from './installation.ts'
import type { UploadData } from './knowledge-uploader.ts'
import { expectEqual } from './measure.ts'
import type { Subject } from './processes.ts'

/** Requests of others before an ingestion, so many that the slowest hundredth is one of several; and those that warm the server up. */
const idleRequests = 600
const warmUps = 200
/** Between two requests, at rest too: after a pause a request takes longer than right after another one. */
const pauseMs = 10

/**
 * Does what a server is measured by.
 * @param atRest bytes that the server holds when it does nothing
 * @returns seconds, MiB at most above what it held at rest, and milliseconds: how long others waited for a list before and meanwhile, and the
 *   longest stop of the event loop
 */
export async function timed(
  subject: Subject,
  tenantId: string,
  atRest: number,
  work: () => Promise<unknown>,
) {
  const read = await readerOf(subject, tenantId)
  for (let n = 0; n < warmUps; n += 1) await read()
  const idle: number[] = []
  for (let n = 0; n < idleRequests; n += 1) {
    idle.push(await read())
    await setTimeout(pauseMs)
  }
  await subject.ask('watch')
  const begun = performance.now()
  let isOver = false
  const working = work().finally(() => void (isOver = true))
  const meanwhile: number[] = []
  while (!isOver) {
    meanwhile.push(await read())
    await setTimeout(pauseMs)
  }
  await working
  const s = (performance.now() - begun) / 1_000
  const { peak, stall } = await subject.ask<{ peak: number; stall: number }>('watched')
  return { s, idle, meanwhile, stall, aboveIdle: (peak - atRest) / 2 ** 20 }
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

/**
 * Uploads files from a thread of its own, and waits until each of them is indexed, or has an error: forms of 200 MB would hold up
 * the requests that are timed.
 */
export async function upload({ url }: Subject, token: string, paths: readonly string[]): Promise<void> {
  const workerData: UploadData = { url, token, paths }
  const worker = new Worker(new URL('./knowledge-uploader.ts', import.meta.url), { workerData })
  const [code] = (await once(worker, 'exit')) as [number]
  expectEqual('end of the uploads', code, 0)
}

/** How the files of the first dataset have ended. */
export async function ends({ url }: Subject, token: string): Promise<Uploaded[]> {
  const headers = { authorization: `Bearer ${token}` }
  const get = async <T>(path: string) =>
    (await (await fetch(`${url}/dashboard/v1/knowledge-base/datasets${path}`, { headers })).json()) as T
  const [dataset] = (await get<{ data: Array<{ id: string }> }>('')).data
  return (await get<{ files: Uploaded[] }>(`/${dataset?.id}`)).files
}
