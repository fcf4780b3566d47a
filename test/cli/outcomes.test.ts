import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loggedIn } from './kb-staff.ts'
import { createStaff, type Staff } from './staff.ts'

let staff: Staff

beforeAll(async () => {
  staff = await createStaff()
})

afterAll(() => staff[Symbol.asyncDispose]())

describe('cli.approvals.outcomes, copydesk outcomes', () => {
  it('shows a reviewer and an admin the pieces that each of them has approved, and where they go', async () => {
    expect((await staff.run(['outcomes'])).stdout).toBe('You have approved no text yet.\n')
    const first = await staff.waiting('# Rye at night')
    expect(await staff.run(['approve', first.approvalId, '--yes'])).toMatchObject({ code: 0 })
    const shown = (await staff.run(['outcomes'])).stdout
    expect(shown).toContain(first.activityId)
    expect(shown).toMatch(/, approved \d{4}-\d\d-\d\d \d\d:\d\d UTC\n {2}goes nowhere yet\n/)
    const login = await loggedIn(staff, 'admin.1')
    expect((await staff.run(['outcomes'], login)).stdout).toBe('You have approved no text yet.\n')
    const { data } = await staff.json<{ data: object[] }>(['outcomes'])
    expect(data).toMatchObject([{ activityId: first.activityId, places: [] }])
  })
})
