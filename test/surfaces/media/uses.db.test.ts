import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jpegOf, uploadAsset } from '../../kit/pictures.ts'
import { openPress, type Press } from '../../kit/publishing.ts'
import type { Agent } from '../../kit/runtime.ts'

let press: Press
const names = ['first', 'second', 'third', 'fourth', 'fifth']
let ids: string[]

beforeAll(async () => {
  press = await openPress()
  const added = names.map((name) => uploadAsset(press.team.member, jpegOf(), `${name}.jpg`))
  ids = (await Promise.all(added)).map(({ id }) => id)
})
afterAll(() => press[Symbol.asyncDispose]())

const shows = (...assets: (string | undefined)[]) =>
  `# Rye\n\n${assets.map((id) => `![A loaf](asset:${id})`).join('\n')}\n`

/** Orders a piece. @returns the agent that writes it */
async function ordered(): Promise<Agent> {
  const deliverables = [{ type: 'social_post' as const, quantity: 1 }]
  await press.admin.call('dashboard.campaigns.create', {
    body: { name: 'Spring', brief: '# Oats', deliverables },
  })
  return press.next(press.clock)
}

async function resolve(resolution: 'approved' | 'revision_requested'): Promise<Agent> {
  const { data } = await press.admin.call('dashboard.approvals.list', {
    query: { 'filter.status': 'pending' },
  })
  const params = { approvalId: data[0]?.id ?? '' }
  await press.admin.call('dashboard.approvals.resolve', {
    params,
    body: { resolution, note: 'Another picture' },
  })
  return press.next(press.clock)
}

const remove = (assetId = '') => press.admin.call('media.assets.delete', { params: { assetId } })

/** Which of the files are there, once nothing is to be done. */
async function kept(): Promise<string[]> {
  const open = `select count(*) as n from job where kind = 'asset.tidy' and (status = 'running' or status = 'waiting' and run_at <= ?)`
  await press.app.until(async () => (await press.count(open, press.clock.date())) === 0, 'files are tidy')
  const folder = join(press.app.options.dataDir, 'blobs', 'tenants', press.team.tenantId, 'assets')
  const files = new Set(await readdir(folder))
  return names.filter((_, n) => files.has(ids[n] ?? ''))
}

describe('media.assets.delete of what texts show', () => {
  it('keeps a file for the newest text and for approved ones, and deletes it with the last that names it', async () => {
    const [first, second, third, fourth, fifth] = ids
    const writer = await ordered()
    await writer.deliver(shows(first, second, third))
    for (const id of [first, second, fifth]) await remove(id)
    // No text names the fifth.
    expect(await kept()).toEqual(['first', 'second', 'third', 'fourth'])
    const reviser = await resolve('revision_requested')
    // A deleted one may stay in the text that had it, and comes back to no other.
    await reviser.deliver(shows(first, third, fifth))
    expect(await kept()).toEqual(['first', 'third', 'fourth'])
    const last = await resolve('approved')
    await last.deliver(shows(fourth))
    for (const id of [third, fourth]) await remove(id)
    expect(await kept()).toEqual(['first', 'third', 'fourth'])
    const other = await ordered()
    await other.deliver(shows(first))
    const { id: activityId } = await press.activityOf(other.runId)
    const { data } = await press.admin.call('dashboard.publications.previews', { params: { activityId } })
    expect(data[0]?.problems).toEqual([`The media library has no “asset:${first}”`])
  })

  it('takes any text as it is written, however many files it names', async () => {
    const writer = await ordered()
    const many = Array.from({ length: 3_000 }, (_, n) => `asset:01H${String(n).padStart(23, '0')}`)
    const text = `${'![](asset:'.repeat(20_000)}\n\n${many.join(' ')}`
    await writer.deliver(text)
    const { id: activityId } = await press.activityOf(writer.runId)
    const { data } = await press.admin.call('dashboard.publications.previews', { params: { activityId } })
    expect(data.every(({ problems }) => problems.length > 0 && problems.length < 25)).toBe(true)
  })
})
