import { describe, expect, it } from 'vitest'
import { addAds, seededDigest } from '../kit/seeded-ads.ts'
import { addMailings } from '../kit/seeded-mailings.ts'
import type { Terminal } from '../kit/terminal.ts'
import { createWordPressServer } from '../kit/wordpress-server.ts'
import { sit } from './logged-in.ts'
import { createStaff, type Staff } from './staff.ts'

const admin = 'admin.1.tenant-1@test.example'
const member = 'member.1.tenant-1@test.example'
const dayMs = 86_400_000

/** A piece that was approved is to go out in some days. */
async function scheduled(
  { harness }: Staff,
  site: Awaited<ReturnType<typeof createWordPressServer>>,
  days: number,
) {
  const { admin: team } = harness.team
  const { url: server, login } = site
  await team.call('dashboard', 'PUT /integrations/:platform/credentials', {
    params: { platform: 'cms_site' },
    body: { server, ...login },
  })
  const { data: channels } = await team.call('dashboard', 'GET /channels')
  const agent = await harness.order()
  await agent.deliver('# Rye at night\n\nIt is dark.\n')
  const { data } = await team.call('dashboard', 'GET /approvals', { query: { 'filter.status': 'pending' } })
  await team.call('dashboard', 'POST /approvals/:approvalId/resolve', {
    params: { approvalId: data[0]?.id ?? '' },
    body: { resolution: 'approved' },
  })
  const { id: activityId } = await harness.activityOf(agent.runId)
  const scheduleFor = new Date(Date.now() + days * dayMs).toISOString()
  return team.call('dashboard', 'POST /publications', {
    body: { activityId, channelId: channels[0]?.id ?? '', scheduleFor },
  })
}

/** Opens the plan of the first campaign's ads, below one that was applied. */
async function openPlan(terminal: Terminal): Promise<void> {
  terminal.press('4')
  await terminal.shows(/campaigns +\d campaign/)
  terminal.press('end', 'enter')
  await terminal.shows(/made outside[^]*25\.00 EUR → 20\.00 EUR[^]*c ads/)
  terminal.press('c')
  await terminal.shows(/changes of ads[^]*applied[^]*planned/)
  // Wherever a narrow window breaks the line.
  await terminal.shows(
    /at\s+most\s+30\.00\s+EUR\s+a\s+day,\s+20\.00\s+EUR\s+running,\s+0\.00\s+EUR\s+planned,\s+10\.00\s+EUR\s+left/,
  )
  terminal.press('o')
  await terminal.shows(/copydesk made outside[^]*Daily budget: 25\.00 EUR → 20\.00 EUR/)
  terminal.press('escape')
  await terminal.shows(/changes of ads[^]*applied[^]*planned/)
  terminal.press('end', 'enter')
}

describe('the calendar of a tenant’s users', () => {
  it('shows what goes out when, and withdraws it after a confirmation', async () => {
    await using staff = await createStaff()
    await using site = await createWordPressServer()
    await scheduled(staff, site, 40)
    await using terminal = await sit(staff, admin)
    terminal.press('8')
    await terminal.shows(/calendar +from today on[^]*Nothing goes out in these days/)
    terminal.press('n')
    await terminal.shows(/1 entry[^]*scheduled +Rye at night +cms_site/)
    terminal.press('enter')
    await terminal.shows(/scheduled +cms_site[^]*For \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    terminal.press('x')
    await terminal.shows('withdraw a publication')
    terminal.press('n')
    await terminal.hides('y: yes')
    const states = () => staff.harness.app.db.sql.all<{ status: string }>('select status from publications')
    expect(await states()).toEqual([{ status: 'scheduled' }])
    terminal.press('x')
    await terminal.shows('withdraw a publication')
    terminal.press('y')
    await terminal.shows(/cancelled +cms_site/)
    expect(await states()).toEqual([{ status: 'cancelled' }])
    terminal.press('escape')
    await terminal.shows('Nothing goes out in these days')
    terminal.press('p')
    await terminal.shows(/Nothing goes out in these days/)
  })

  it('shows what goes to leads, and pauses it', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    await (await harness.order()).deliver('# Rye at night\n\nIt is dark.\n')
    await addMailings(harness.app, harness.team, 'Oats')
    await using terminal = await sit(staff, admin)
    terminal.press('8')
    await terminal.shows(/2 entries[^]*scheduled +News of Oats +mailing to leads[^]*paused +News of Oats/)
    terminal.press('enter')
    await terminal.shows(/scheduled +to all leads[^]*For \d{4}-\d\d-\d\d/)
    terminal.press('s')
    await terminal.shows(/paused +to all leads/)
    terminal.press('escape')
    await terminal.shows(/paused +News of Oats +mailing to leads[^]*paused +News of Oats/)
  })
})

describe('the changes of a campaign’s ads', () => {
  it('are shown with before and after, and approved by the digest of what is shown', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    await harness.order()
    await addAds(harness.app, harness.team, 'Oats')
    const state = async () =>
      (
        await harness.app.db.sql.get<{ status: string }>(
          'select status from ad_change_sets where digest = ? order by id',
          [seededDigest],
        )
      )?.status
    await using seat = await sit(staff, member)
    await openPlan(seat)
    await seat.shows(new RegExp(`at most 30.00 EUR a day[^]*digest ${seededDigest}`))
    // Only admins approve.
    expect(seat.screen()).not.toMatch(/a approve/)
    await using terminal = await sit(staff, admin, {}, 40)
    await openPlan(terminal)
    await terminal.shows(/a approve/)
    terminal.press('a')
    // Also on a narrow window nothing of what is approved is cut off.
    await terminal.shows(/enabled[^]*→[^]*paused[^]*Make 1 change/)
    terminal.press('n')
    await terminal.hides('y: yes')
    expect(await state()).toBe('planned')
    terminal.press('a')
    await terminal.shows(/Make 1 change/)
    terminal.press('y')
    await terminal.shows(/is approved/)
    expect(await state()).not.toBe('planned')
  })
})
