import { describe, expect, it } from 'vitest'
import { person } from '../surfaces/auth/registrations.ts'
import { cli, setUpIn, startCli, temporaryFolder } from './process.ts'

async function json(args: string[], cwd: string): Promise<never> {
  const ended = await cli([...args, '--json'], { cwd })
  expect(ended.stderr).not.toContain('error')
  expect(ended.code).toBe(0)
  return JSON.parse(ended.stdout) as never
}

describe('copydesk coupon', () => {
  it('creates, lists and disables coupons', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    const spring = ['coupon', 'create', '--code', 'spring', '--percent', '20', '--until', '2099-05-31']
    expect(await json([...spring, '--max', '100', '--plan', 'pro', 'agency'], cwd)).toMatchObject({
      code: 'SPRING',
      percentOff: 20,
      // The last day counts.
      validUntil: '2099-06-01T00:00:00.000Z',
      maxRedemptions: 100,
      plans: ['pro', 'agency'],
      status: 'active',
    })
    const later = ['coupon', 'create', '--code', 'LATER', '--amount', '500', '--currency', 'eur']
    expect(await json([...later, '--from', '2099-01-01'], cwd)).toMatchObject({
      amountOff: 500,
      currency: 'EUR',
      status: 'scheduled',
    })
    const listed = await cli(['coupon', 'list'], { cwd })
    expect(listed.stdout).toMatch(/^SPRING\t20 %\tpro, agency\t0 of 100\t2099-06-01T00:00:00.000Z\tactive$/m)
    expect(listed.stdout).toMatch(/^LATER\t500 EUR\tall\t0\t-\tscheduled$/m)
    expect((await cli(['coupon', 'disable', 'spring'], { cwd })).code).toBe(2)
    expect(await json(['coupon', 'disable', 'spring', '--yes'], cwd)).toMatchObject({ status: 'disabled' })
    const unknown = await cli(['coupon', 'disable', 'nosuch', '--yes'], { cwd })
    expect(unknown).toMatchObject({ code: 1, stderr: 'error: There is no coupon with this code\n' })
  })

  it('rejects invalid and duplicate coupons', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    for (const wrong of [
      ['--code', 'X1Y', '--percent', '10', '--until', '2099-02-30'],
      ['--code', 'X1Y', '--percent', '10', '--until', '3000-01-01'],
      ['--code', 'X1Y', '--percent', '10', '--from', '1969-12-31'],
      ['--code', 'X1Y', '--percent', '10', '--from', '0000-01-01'],
      ['--code', 'X1Y', '--percent', '1e308'],
      ['--code', 'X1Y', '--amount', '5', '--currency', 'XYZ'],
      ['--code', 'X1Y'],
    ]) {
      const refused = await cli(['coupon', 'create', ...wrong], { cwd })
      expect(refused, wrong.join(' ')).toMatchObject({ code: 2, stdout: '' })
      expect(refused.stderr).not.toMatch(/^\s+at /m)
    }
    const last = ['coupon', 'create', '--code', 'LAST', '--percent', '5', '--until', '2999-12-31']
    expect(await json(last, cwd)).toMatchObject({ validUntil: '3000-01-01T00:00:00.000Z' })
    const first = ['coupon', 'create', '--code', 'spring', '--percent', '20']
    await json(first, cwd)
    const twice = await cli(first, { cwd })
    expect(twice).toMatchObject({ code: 1, stdout: '' })
    expect(twice.stderr).toContain('There is a coupon SPRING already')
    expect(await json(['coupon', 'list'], cwd)).toHaveLength(2)
  })
})

describe('copydesk plan', () => {
  it('lists prices and sets a price and a trial', async () => {
    using folder = temporaryFolder()
    await setUpIn(folder.path)
    const cwd = folder.path
    const before = (await json(['plan', 'list'], cwd)) as Array<Record<string, unknown>>
    expect(before).toContainEqual(
      expect.objectContaining({
        plan: 'pro',
        region: 'IN',
        cycle: 'annual',
        amount: 6_999_000,
        currency: 'INR',
      }),
    )
    expect((await cli(['plan', 'list', '--region', 'gb'], { cwd })).stdout).toMatch(
      /^pro\tGB\tmonthly\t79\.00 GBP\t-\t\S+\t\S+( GBP)?\t\w{26}$/m,
    )
    const set = ['plan', 'set', 'pro', '--region', 'gb', '--price', '6900', '--trial-days', '14']
    expect(await json(set, cwd)).toMatchObject({ amount: 6_900, trialDays: 14 })
    const after = (await json(['plan', 'list'], cwd)) as Array<Record<string, unknown>>
    expect(after).toHaveLength(before.length)
    expect(after.filter(({ plan }) => plan === 'pro').every(({ trialDays }) => trialDays === 14)).toBe(true)
    for (const wrong of [
      ['gold', '--region', 'GB', '--price', '1'],
      ['pro', '--region', 'XX', '--price', '1'],
      ['pro', '--region', 'GB', '--price', '9.99'],
    ])
      expect((await cli(['plan', 'set', ...wrong], { cwd })).code, wrong.join(' ')).toBe(2)
    expect(await json(['plan', 'list'], cwd)).toEqual(after)
  })
})

describe('registration', () => {
  it('is closed unless a setting opens it', async () => {
    using folder = temporaryFolder()
    const register = async (env: Record<string, string>) => {
      const running = await startCli(['up', '--port', '0', '--json'], { cwd: folder.path, env })
      await running.says('"pid"')
      const { url } = JSON.parse(running.said().stdout) as { url: string }
      const answer = await fetch(`${url}/auth/v1/register/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(person),
      })
      running.child.kill('SIGTERM')
      await running.ended
      return answer.status
    }
    expect(await register({})).toBe(403)
    expect(await register({ COPYDESK_REGISTRATION: 'open' })).toBe(201)
    const odd = await cli(['plan', 'list'], { cwd: folder.path, env: { COPYDESK_REGISTRATION: 'maybe' } })
    expect(odd).toMatchObject({ code: 2, stdout: '' })
    expect(odd.stderr).toContain('registration: must be one of open, closed')
  })
})
