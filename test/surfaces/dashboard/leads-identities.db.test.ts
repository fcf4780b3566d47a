import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { refusal } from '../refusal.ts'
import { imported, importFile } from './lead-files.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp()
})

afterAll(() => app[Symbol.asyncDispose]())

/** More than SQLite keeps in the table of those that came last. */
const many = 30_000
const addressOf = (n: number) => `l${n}@x.example`
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `First${from + n},${addressOf(from + n)}`)
const fileOf = (...rows: readonly string[]) => ['firstName,email', ...rows].join('\n')

const create = ({ member }: Team, email: string) =>
  member.call('dashboard', 'POST /leads', {
    body: { firstName: 'Ann', lastName: '', email, source: 'manual' },
  })

async function leadOf({ tenantId }: Team, email: string): Promise<string> {
  const sql = 'select id from leads where tenant_id = ? and email = ?'
  return (await app.db.sql.get<{ id: string }>(sql, [tenantId, email]))?.id ?? ''
}

async function importAll(team: Team, ...rows: readonly string[]) {
  const { importId } = await importFile(team, fileOf(...rows))
  return imported(app, team, importId)
}

async function undo(team: Team, importId: string): Promise<void> {
  await team.member.call('dashboard', 'POST /leads/imports/:importId/undo', { params: { importId } })
  const state = 'select id from lead_imports where id = ? and undo = ?'
  await app.until(() => app.db.sql.get(state, [importId, 'completed']), 'the import is undone')
}

describe('an e-mail address of a tenant', () => {
  it('is of one lead only, however it comes and however many there are', async () => {
    const team = await app.team()
    const other = await app.team()
    await create(team, addressOf(3))
    // The second half of the file has each line of the first one again, in capitals.
    const first = await importAll(team, ...lines(0, many), ...lines(0, 2).map((line) => line.toUpperCase()))
    expect(first).toMatchObject({ status: 'completed', imported: many - 1, skipped: 3 })
    for (const n of [0, 3, 7, 12_345, many - 1]) {
      expect(await refusal(create(team, addressOf(n).toUpperCase()))).toMatchObject({
        status: 409,
        code: 'CONFLICT',
      })
    }
    const again = await importAll(team, ...lines(0, 4), `New,new@x.example`, ...lines(many - 4, many))
    expect(again).toMatchObject({ status: 'completed', imported: 1, skipped: 8 })
    // Another tenant has leads of its own.
    await create(other, addressOf(7))
    const rows = await app.db.sql.all(
      'select lower(email) as email from leads where tenant_id = ? group by lower(email) having count(*) > 1',
      [team.tenantId],
    )
    expect(rows).toEqual([])
  })

  it('is found among those that have been there for longer', async () => {
    const team = await app.team()
    await importAll(team, ...lines(0, many / 2))
    // Those of the first file are taken over meanwhile, and few are left that came last.
    const { importId } = await importAll(team, ...lines(many / 2, many))
    await undo(team, importId)
    for (const n of [0, 2, 12_345, many / 2 - 1]) {
      // Alone in a file: no other line of it is there already.
      expect(await importAll(team, ...lines(n, n + 1))).toMatchObject({ imported: 0, skipped: 1 })
    }
  })

  it('is free again once no lead has it any more', async () => {
    const team = await app.team()
    const { importId } = await importFile(team, fileOf(...lines(0, many)))
    await imported(app, team, importId)
    for (const n of [5, many - 5]) {
      const leadId = await leadOf(team, addressOf(n))
      const change = (email: string) =>
        team.member.call('dashboard', 'PATCH /leads/:leadId', { params: { leadId }, body: { email } })
      expect(await refusal(change(addressOf(n + 1)))).toMatchObject({ status: 409, code: 'CONFLICT' })
      await change(`moved${n}@x.example`)
      expect(await refusal(create(team, `moved${n}@x.example`))).toMatchObject({ status: 409 })
      await create(team, addressOf(n))
      expect(await refusal(create(team, addressOf(n)))).toMatchObject({ status: 409 })
    }
    await undo(team, importId)
    const second = await importAll(team, ...lines(0, many))
    expect(second).toMatchObject({ status: 'completed', imported: many - 2, skipped: 2 })
  })
})
