import { expect, it } from 'vitest'
import { entities } from '../../../packages/core/src/composition/entities.ts'
import { migrations } from '../../../packages/core/src/composition/migrations/migrations.ts'
import {
  migrateDown,
  migrateUp,
  migrationStatus,
} from '../../../packages/core/src/platform/database/migrate.ts'
import { openTestDatabase } from '../../kit/database.ts'

const step = '0020-mailbox-proof'
const at = new Date('2026-04-01T09:00:00Z')

it('changes no existing accounts and tenants, and verifies no mailbox by an older link', async () => {
  await using database = await openTestDatabase({ entities, migrations })
  const { db } = database
  await migrateUp(db)
  const down = async () => {
    while ((await migrationStatus(db)).executed.includes(step)) await migrateDown(db)
  }
  await down()
  const insert = (table: string, row: Record<string, string | number | Date | null>) =>
    db.write((tx) =>
      tx.run(
        `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row)
          .map(() => '?')
          .join(', ')})`,
        Object.values(row),
      ),
    )
  const tenant = (id: string) =>
    insert('tenants', {
      id,
      name: id,
      plan: 'free',
      status: 'active',
      timezone: 'UTC',
      feature_flags: '{}',
      created_on: at,
      updated_on: at,
    })
  const user = (id: string, email: string) =>
    insert('users', {
      id,
      email,
      name: id,
      password_hash: 'x',
      role: 'reviewer',
      app_access: '[]',
      status: 'active',
      created_on: at,
      updated_on: at,
    })
  const invitation = (id: string, email: string, accepted: Date | null) =>
    insert('invitations', {
      id,
      tenant_id: 'T-OPERATED',
      email,
      name: id,
      role: 'reviewer',
      token_hash: `hash of ${id}`,
      invited_by: 'system',
      sent_on: at,
      expires_at: at,
      accepted_on: accepted,
      created_on: at,
    })
  await tenant('T-OPERATED')
  await tenant('T-REGISTERED')
  await user('U-OPERATED', 'operated@test.example')
  await user('U-INVITED', 'invited@test.example')
  await user('U-REGISTERED', 'registered@test.example')
  await invitation('I-OPEN', 'open@test.example', null)
  await invitation('I-DONE', 'invited@test.example', at)
  await insert('audit_records', {
    id: 'A-1',
    request_id: 'R-1',
    tenant_id: 'T-REGISTERED',
    actor_id: 'U-REGISTERED',
    actor_type: 'human',
    surface: 'auth',
    method: 'POST',
    path: '/auth/v1/register/complete',
    action: 'auth.register.complete',
    resource_type: 'registration',
    status: 201,
    duration_ms: 1,
    created_at: at,
  })
  await migrateUp(db)
  const all = (text: string) => db.sql.all(text)
  expect(await all('select id, mailbox_proof from users order by id')).toEqual([
    { id: 'U-INVITED', mailbox_proof: 'none' },
    { id: 'U-OPERATED', mailbox_proof: 'operator' },
    { id: 'U-REGISTERED', mailbox_proof: 'none' },
  ])
  expect(await all('select id from tenants where registered order by id')).toEqual([{ id: 'T-REGISTERED' }])
  expect(await all('select id from tenants where awaits_proof')).toEqual([])
  const hashes = 'select id, token_hash, handed_token_hash from invitations order by id'
  expect(await all(hashes)).toEqual([
    { id: 'I-DONE', token_hash: 'hash of I-DONE', handed_token_hash: null },
    { id: 'I-OPEN', token_hash: 'none:I-OPEN', handed_token_hash: 'hash of I-OPEN' },
  ])
  await down()
  expect(await all('select token_hash from invitations order by id')).toEqual([
    { token_hash: 'hash of I-DONE' },
    { token_hash: 'hash of I-OPEN' },
  ])
})
