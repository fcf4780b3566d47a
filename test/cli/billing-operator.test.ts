import { describe, expect, it } from 'vitest'
import { withApp } from '../../packages/server/src/app.ts'
import { loadConfig } from '../../packages/server/src/config/load.ts'
import { newCustomer } from '../kit/seeded-operation.ts'
import { cli, setUpIn, temporaryFolder } from './process.ts'

/** A tenant with a plan of its own, paid for since now. */
async function subscribe(cwd: string): Promise<void> {
  const { config } = loadConfig({ env: {}, cwd })
  await withApp(config, async (copydesk) => {
    const { users, tenants } = copydesk.asSystem()
    const operator = { email: 'olga@test.example', name: 'Olga', password: 'Correct-horse-1' }
    const { id } = await users.create({ ...operator, role: 'super_admin' })
    const caller = copydesk.as({
      id,
      type: 'human',
      role: 'super_admin',
      appAccess: ['manage'],
      tenants: 'all',
    })
    const { tenantId } = await caller.call('admin.tenants.create', { body: newCustomer })
    await tenants.overrideBilling(tenantId, { action: 'mark_paid', reason: 'A test' })
  })
}

describe('copydesk billing, tenant plan and tenant override', () => {
  it('list and replay events, and say what is wrong', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const run = (...args: string[]) => cli(args, { cwd: folder.path })
    const listed = await run(
      'billing',
      'events',
      '--from',
      '2026-01-01',
      '--type',
      'payment.failed',
      '--json',
    )
    expect([listed.code, JSON.parse(listed.stdout)]).toEqual([0, []])
    expect(await run('billing', 'replay', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('01ARZ3NDEKTSV4RRFFQ69G5FAV: There is no billing event'),
    })
    expect((await run('billing', 'replay', 'x')).code).toBe(2)
    expect((await run('billing', 'events', '--from', 'yesterday')).code).toBe(2)
    await run('tenant', 'create', '--name', 'Hearth Ltd')
    expect(await run('tenant', 'plan', 'Hearth Ltd', 'agency')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reason'),
    })
    expect(await run('tenant', 'plan', 'Hearth Ltd', 'agency', '--dry-run')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no subscription'),
    })
    expect((await run('tenant', 'plan', 'Nobody Ltd', 'agency', '--dry-run')).code).toBe(1)
    const override = (...args: string[]) => run('tenant', 'override', 'Hearth Ltd', ...args, '--reason', 'r')
    expect((await override('give_all')).code).toBe(2)
    expect(await override('apply_discount', '20')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect((await override('apply_discount', '20', '--yes')).stderr).toContain('no subscription')
  })

  it('show what a change of plan would bill, make it, and give a discount', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    await subscribe(folder.path)
    const run = (...args: string[]) => cli(['tenant', ...args], { cwd: folder.path })
    const expected = await run('plan', 'Customer', 'agency', '--dry-run')
    expect(expected.stdout).toMatch(
      /^Own plan, monthly \(\$10\.00\) would be agency, monthly \(\$299\.00\)\./,
    )
    expect(expected.stdout).toMatch(/Unused rest of the plan Own plan\t-\$/)
    expect(expected.stdout).toMatch(/This would be an invoice over \$/)
    const done = await run('plan', 'Customer', 'agency', '--reason', 'by phone', '--yes', '--json')
    expect(JSON.parse(done.stdout)).toMatchObject({
      applied: true,
      after: { plan: 'agency', priceAmount: 29_900 },
      invoice: { type: 'plan_change', number: expect.stringMatching(/^INV-/) },
    })
    expect((await run('plan', 'Customer', 'agency', '--reason', 'again', '--yes')).code).toBe(1)
    const given = await run('override', 'Customer', 'apply_discount', '20', '--reason', 'a friend', '--yes')
    expect(given).toMatchObject({ code: 0, stdout: 'apply_discount 20 is done for Customer.\n' })
  })
})
