import autocannon from 'autocannon'
import { expectEqual } from './measure.ts'
import type { Subject } from './processes.ts'

const connections = 32
const seconds = 4

export interface Call {
  path: string
  headers?: Record<string, string>
}

/**
 * Calls a program from 32 connections for four seconds, after one to warm up, and ends it.
 * @returns answers per second, microseconds of its processor time for each, and the 99th percentile of the wait, milliseconds
 * @throws Error when anything was answered with other than 2xx
 */
export async function load(
  subject: Subject,
  requests: Call[],
): Promise<{ rate: number; cpu: number; p99: number }> {
  await using server = subject
  const fire = (duration: number) => autocannon({ url: server.url, connections, duration, requests })
  await fire(1)
  const before = await server.ask<number>('cpu')
  const result = await fire(seconds)
  const used = (await server.ask<number>('cpu')) - before
  expectEqual('answers that are not 2xx', result.non2xx + result.errors + result.timeouts, 0)
  return { rate: result['2xx'] / result.duration, cpu: used / result['2xx'], p99: result.latency.p99 }
}

/** So many requests, each after the answer to the one before. */
export async function oneByOne(url: string, calls: readonly Call[], count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const { path, headers = {} } = calls[i % calls.length] as Call
    const response = await fetch(url + path, { headers })
    await response.arrayBuffer()
    expectEqual(`status of ${path}`, response.status, 200)
  }
}

/**
 * Handles each item, as many at once as there are callers.
 * @returns items per second
 */
export async function handleAll<C, T>(
  callers: readonly C[],
  items: readonly T[],
  handle: (caller: C, item: T) => Promise<void>,
): Promise<number> {
  const rest = [...items]
  const begun = performance.now()
  await Promise.all(
    callers.map(async (caller) => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) await handle(caller, item)
    }),
  )
  return (items.length * 1_000) / (performance.now() - begun)
}

/** @throws Error when it is answered with other than 2xx */
export async function sendJson(method: string, url: string, token: string, body: object): Promise<void> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url} was answered ${response.status}: ${text}`)
}
