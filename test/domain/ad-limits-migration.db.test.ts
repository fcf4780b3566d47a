import { expect, it } from 'vitest'
import { migrateDown, migrateUp, migrationStatus } from '../../packages/core/src/platform/database/migrate.ts'
import { createTestApp } from '../kit/app.ts'
import { insertRow } from '../kit/insert-row.ts'
import { addAdMapping } from '../kit/seeded-ads.ts'

const step = '0072-limits-by-platform'

it('keeps what accounts may spend, for each platform that has an account of the id', async () => {
  await using app = await createTestApp()
  const { tenantId } = await app.team()
  const other = await app.team()
  while ((await migrationStatus(app.db)).executed.includes(step)) await migrateDown(app.db)
  await addAdMapping(app, tenantId, { platform: 'search_ads', accountId: '1' })
  await addAdMapping(app, tenantId, { platform: 'search_ads', accountId: '1' })
  await addAdMapping(app, tenantId, { platform: 'professional_ads', accountId: '1' })
  await addAdMapping(app, tenantId, { platform: 'social_ads', accountId: 'act_1' })
  await addAdMapping(app, other.tenantId, { platform: 'social_ads', accountId: '1' })
  const now = new Date('2026-04-01T09:00:00Z')
  for (const [account, euros] of Object.entries({ '1': 10, act_1: 20, gone: 30 }))
    await insertRow(app, tenantId, 'ad_limits', {
      account_id: account,
      currency: 'EUR',
      daily_cap_micros: euros * 1_000_000,
      proposed_on: '2026-04-01',
      set_by_name: 'Ada',
      running_micros: 5_000_000,
      running_on: now,
      updated_on: now,
    })
  const before = await app.db.sql.all('select * from ad_limits order by account_id')
  await migrateUp(app.db)
  const rows = await app.db.sql.all<Record<string, unknown>>(
    'select * from ad_limits order by account_id, platform',
  )
  expect(rows.map((row) => [row['account_id'], row['platform'], Number(row['daily_cap_micros'])])).toEqual([
    ['1', 'professional_ads', 10_000_000],
    ['1', 'search_ads', 10_000_000],
    ['act_1', 'social_ads', 20_000_000],
    ['gone', 'professional_ads', 30_000_000],
    ['gone', 'search_ads', 30_000_000],
    ['gone', 'social_ads', 30_000_000],
  ])
  expect(new Set(rows.map((row) => row['id'])).size).toBe(6)
  for (const row of rows) {
    expect(row['id']).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(row).toMatchObject({ tenant_id: tenantId, set_by_name: 'Ada', currency: 'EUR' })
    expect(Number(row['running_micros'])).toBe(5_000_000)
  }
  await app.db.write((tx) =>
    tx.run(
      `update ad_limits set daily_cap_micros = 9000000 where platform = 'search_ads' and account_id = '1'`,
    ),
  )
  while ((await migrationStatus(app.db)).executed.includes(step)) await migrateDown(app.db)
  const after = await app.db.sql.all<Record<string, unknown>>('select * from ad_limits order by account_id')
  expect(after.map((row) => Number(row['daily_cap_micros']))).toEqual([9_000_000, 20_000_000, 30_000_000])
  expect(after).toHaveLength(before.length)
  await migrateUp(app.db)
})
