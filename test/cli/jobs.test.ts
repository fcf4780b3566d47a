import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCopydesk } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { silent } from '../kit/database.ts'
import { cli, setUpIn, temporaryFolder } from './process.ts'

/** An installation in which a planning job was given up; what was wrong with it is fixed. @returns the tenant */
async function withDeadLetter(cwd: string): Promise<string> {
  await setUpIn(cwd)
  const dataDir = join(cwd, 'copydesk-data')
  const secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as never
  const copydesk = await createCopydesk({
    database: `sqlite:${join(dataDir, 'copydesk.db')}`,
    dataDir,
    baseUrl: 'http://127.0.0.1:1',
    log: silent,
    worker: { concurrency: 1 },
    ...(secrets as { encryptionKeys: never; signingKeys: never }),
  })
  const system = copydesk.asSystem()
  const { id: tenantId } = await system.tenants.create({ name: 'Example Ltd', domain: 'example.com' })
  const { default: BetterSqlite } = await import('better-sqlite3')
  const file = new BetterSqlite(join(dataDir, 'copydesk.db'))
  const actor = { id: tenantId, type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'] } as const
  await copydesk.as(actor).call('dashboard.campaigns.create', {
    body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
  })
  file.exec(`update job set max_attempts = 1, payload = '{}' where kind = 'campaign.plan'`)
  await copydesk.start()
  const isDead = () => file.prepare(`select 1 from job where status = 'dead'`).get() !== undefined
  await expect.poll(isDead, { timeout: 10_000, interval: 20 }).toBe(true)
  await copydesk.stop()
  file.close()
  return tenantId
}

describe('copydesk jobs', () => {
  it('lists, shows and retries dead letters', async () => {
    using folder = temporaryFolder()
    const { path: cwd } = folder
    await withDeadLetter(cwd)
    const listed = await cli(['jobs', 'list', '--tenant', 'example.com', '--json'], { cwd })
    expect(listed.code).toBe(0)
    const [letter, ...others] = JSON.parse(listed.stdout) as Array<{ id: string }>
    expect(others).toEqual([])
    expect(letter).toMatchObject({
      kind: 'job',
      name: 'campaign.plan',
      family: 'invalid',
      tenantName: 'Example Ltd',
    })
    const id = letter?.id ?? ''
    const table = await cli(['jobs', 'list'], { cwd })
    expect(table.stdout).toMatch(
      new RegExp(`^${id}\tcampaign\\.plan\tExample Ltd\t[\\d-]{10}\tThe payload of campaign`, 'm'),
    )
    expect((await cli(['jobs', 'list', '--agent', 'blog_writer', '--json'], { cwd })).stdout).toBe('[]\n')
    const shown = await cli(['jobs', 'show', id], { cwd })
    expect(shown.stdout).toMatch(/try 1, invalid: The payload of campaign\.plan is wrong at "campaignId"/)

    const unnamed = await cli(['jobs', 'retry'], { cwd })
    expect(unnamed).toMatchObject({ code: 2, stdout: '' })
    const unasked = await cli(['jobs', 'retry', '--all'], { cwd })
    expect(unasked).toMatchObject({ code: 2, stdout: '' })
    expect(unasked.stderr).toContain('Add --yes')
    const tried = await cli(['jobs', 'retry', '--all', '--yes', '--json'], { cwd })
    expect([tried.code, JSON.parse(tried.stdout)]).toEqual([0, [{ id, ok: true }]])
    expect((await cli(['jobs', 'list', '--json'], { cwd })).stdout).toBe('[]\n')
    const twice = await cli(['jobs', 'retry', id, '--json'], { cwd })
    expect(twice.code).toBe(1)
    expect(JSON.parse(twice.stdout)).toEqual([
      { id, ok: false, message: 'There is no dead letter with this id' },
    ])
  })

  it('shows the queues', async () => {
    using folder = temporaryFolder()
    const { path: cwd } = folder
    const tenantId = await withDeadLetter(cwd)
    const { stdout } = await cli(['jobs', 'queues', '--tenant', tenantId, '--json'], { cwd })
    const rows = JSON.parse(stdout) as Array<{ agentRole: string }>
    expect(rows.find(({ agentRole }) => agentRole === 'social_writer')).toMatchObject({
      tenantId,
      waiting: 0,
      deadLettered: 0,
      paused: false,
    })
    const table = await cli(['jobs', 'queues'], { cwd })
    expect(table.stdout).toMatch(/^Example Ltd\tsocial_writer\t0\t0\t0\t0\t0\t-$/m)
  })
})
