import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiError, createClient } from '@copydesk/client'
import type { Dispatch } from '../kit/runtime.ts'
import type { Random } from './random.ts'

/** An external runtime that does everything that one should not: it answers late, twice, out of order and for others. */
export interface Misfit extends AsyncDisposable {
  url: string
  /** What it was told that it must not have been told, for example that two deliveries of one run were taken. */
  readonly faults: readonly string[]
  /** How often it did each of its bad deeds. */
  readonly deeds: ReadonlyMap<string, number>
  /** From now on it works as it should. */
  behave(): void
}

type Work = Pick<Dispatch, 'taskId' | 'taskToken' | 'callbackUrl' | 'prompt' | 'wakeReason'>

const usage = { inputTokens: 1_001, outputTokens: 77 }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export async function createMisfit(baseUrl: () => string, random: Random): Promise<Misfit> {
  const faults: string[] = []
  const deeds = new Map<string, number>()
  const taken = new Map<string, number>()
  const others: Work[] = []
  const atWork = new Set<Promise<void>>()
  let wicked = true
  const does = (deed: string, chance: number) => {
    if (!wicked || random() >= chance) return false
    deeds.set(deed, (deeds.get(deed) ?? 0) + 1)
    return true
  }
  const clientOf = (token: string) => createClient({ baseUrl: baseUrl(), token })

  /** Hands the result in until someone says yes or no. */
  const deliver = async ({ taskId, taskToken, callbackUrl, wakeReason }: Work, text: string) => {
    // An approved piece stays as it is.
    const settled = wakeReason === 'review_approved'
    const asAdapter = !settled && random() < 0.5
    for (;;) {
      const answer = await post(
        asAdapter ? callbackUrl : `${baseUrl()}/agent/v1/runs/${taskId}/result`,
        taskToken,
        asAdapter
          ? { status: 'completed', output: text, sessionId: null, usage, error: null }
          : { status: 'success', text, usage, metadata: { nothingToDo: settled } },
      )
      if (answer === 200) {
        const times = (taken.get(taskId) ?? 0) + 1
        taken.set(taskId, times)
        if (times > 1) faults.push(`${times} deliveries of run ${taskId} were taken`)
      }
      if (answer !== undefined && answer < 500 && answer !== 429) return
      await pause(50)
    }
  }
  const perform = async (work: Work) => {
    const client = clientOf(work.taskToken)
    const say = (delta: string, sequenceNum: number) =>
      client.call('agent', 'POST /runs/:runId/stream', {
        params: { runId: work.taskId },
        body: { delta, sequenceNum },
      })
    const text = `# ${work.taskId}\n\n${work.prompt.slice(0, 200)}\n`
    const pieces = text.match(/[\s\S]{1,60}/g)?.map((delta, i) => () => say(delta, i)) ?? []
    if (does('text out of order', 0.3)) pieces.reverse()
    for (const piece of pieces) await piece().catch(ignoreRefusal)
    if (does('a forged token', 0.2)) {
      const [head, body, seal = ''] = work.taskToken.split('.')
      const forged = [head, body, seal.toUpperCase() === seal ? `${seal}x` : seal.toUpperCase()].join('.')
      const answer = await post(work.callbackUrl, forged, { status: 'success', text: 'forged' })
      if (answer === 200) faults.push('a forged token was believed')
    }
    const other = others.at(-1)
    if (other && other.taskId !== work.taskId && does('a delivery for another run', 0.2)) {
      const answer = await post(`${baseUrl()}/agent/v1/runs/${other.taskId}/result`, work.taskToken, {
        status: 'success',
        text: 'not mine',
      })
      if (answer === 200) faults.push('a token opened another run')
    }
    others.push(work)
    if (does('a late result', 0.15)) await pause(1_000 * random())
    if (does('two results at once', 0.3)) await Promise.all([deliver(work, text), deliver(work, `${text}!`)])
    else await deliver(work, text)
    if (does('the result again', 0.2)) await deliver(work, `${text} again`)
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const work = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Work
      if (does('a refused dispatch', 0.05)) return void response.writeHead(503).end()
      if (does('a broken connection', 0.05)) return void response.destroy()
      const task = perform(work)
        .catch((error: unknown) => void faults.push(`the runtime broke: ${String(error)}`))
        .finally(() => atWork.delete(task))
      atWork.add(task)
      // Its answer to the dispatch may come after its result.
      const wait = does('a late 202', 0.3) ? 300 * random() : 0
      setTimeout(() => response.writeHead(202).end(), wait)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/work`,
    faults,
    deeds,
    behave: () => void (wicked = false),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await Promise.all(atWork)
    },
  }
}

/** @returns the status, or undefined when there was no answer */
async function post(url: string, token: string, body: unknown): Promise<number | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return undefined
  }
}

/** Text is streamed while it is written; text that does not arrive is in the result. */
function ignoreRefusal(error: unknown): void {
  if (error instanceof ApiError && error.status < 500 && ![401, 409, 429].includes(error.status)) throw error
}
