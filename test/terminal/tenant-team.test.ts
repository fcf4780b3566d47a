import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../cli/process.ts'
import { password } from '../kit/app.ts'
import { bundled } from '../kit/bundled.ts'
import { openTerminal } from '../kit/terminal.ts'
import { createStaff, type Staff } from './staff.ts'

const admin = 'admin.1.tenant-1@test.example'
const member = 'member.1.tenant-1@test.example'

/** Logs someone of the tenant in and opens their terminal. */
async function sit(staff: Staff, email: string, env: Record<string, string> = {}) {
  const { harness, folder } = staff
  const args = ['login', harness.url, '--email', email, '--password-stdin']
  const logged = await cli(args, { cwd: folder, input: `${password}\n` })
  expect(logged).toMatchObject({ code: 0 })
  const main = await bundled('main')
  const terminal = openTerminal({
    command: process.execPath,
    args: [main, 'terminal'],
    cwd: folder,
    columns: 140,
    env: { HOME: folder, ...env },
  })
  await terminal.shows(/^copydesk \S/)
  return terminal
}

/** A piece of work that waits for a verdict. */
async function waiting({ harness }: Staff, text = 'Rye at **night**.'): Promise<void> {
  const agent = await harness.order()
  await agent.deliver(text)
}

describe('the terminal of an admin', () => {
  it('lists pending approvals, and accepts a verdict with its note for the next version', async () => {
    await using staff = await createStaff()
    await waiting(staff)
    await using terminal = await sit(staff, admin)
    await terminal.shows(/1 approval waiting/)
    terminal.press('2')
    await terminal.shows(/queue: waiting/)
    terminal.press('enter')
    await terminal.shows(/Rye at night\./)
    expect(terminal.screen()).toMatch(/a approve.*r reject.*b revise/)
    terminal.press('b')
    await terminal.shows(/What should be different/)
    terminal.press('Name the price')
    terminal.press('enter')
    await terminal.shows(/revision requested[^]*Nothing else is pending/)
    const again = await staff.harness.next()
    await again.deliver('Rye at night, 3 pounds.')
    terminal.press('2')
    await terminal.shows(/queue: waiting[^]*Social post: draft/)
    terminal.press('enter')
    await terminal.shows(/Rye at night, 3 pounds\./)
  })

  it('creates a campaign from a brief in the editor, keeps the draft, and shows its progress', async () => {
    await using staff = await createStaff()
    const editor = join(staff.folder, 'editor.sh')
    writeFileSync(editor, '#!/bin/sh\nprintf "# Autumn\\n\\nPlums.\\n" > "$1"\n', { mode: 0o755 })
    await using terminal = await sit(staff, admin, { EDITOR: editor })
    terminal.press('4')
    await terminal.shows(/No campaigns yet/)
    terminal.press('n')
    await terminal.shows(/Which deliverables in each period/)
    terminal.press('escape')
    await terminal.shows(/Your draft is kept/)
    terminal.press('n')
    await terminal.shows(/Which deliverables in each period/)
    terminal.press('ctrl+u')
    terminal.press('poem=1')
    terminal.press('enter')
    await terminal.shows(/there is no type “poem”/)
    terminal.press('ctrl+u')
    terminal.press('social_post=1')
    terminal.press('enter')
    await terminal.shows(/Start “Autumn”\?/)
    terminal.press('y')
    await terminal.shows(/“Autumn” is created as campaign/)
    const agent = await staff.harness.next()
    await terminal.shows(/Autumn +(?:draft|active)/)
    terminal.press('enter')
    await terminal.shows(/social_post +1/)
    await agent.deliver('Plums.')
    await terminal.shows(/1 pending approval/)
    terminal.press('enter')
    await terminal.shows(/Plums\./)
  })

  it('has no key, screen or command of staff', async () => {
    await using staff = await createStaff()
    await waiting(staff)
    await using terminal = await sit(staff, admin)
    expect(terminal.screen()).toMatch(/4 campaigns/)
    expect(terminal.screen()).not.toMatch(/4 tenants/)
    terminal.press('3')
    await terminal.shows(/\d+ agents/)
    expect(terminal.screen()).not.toMatch(/p pause/)
    terminal.press('5')
    await terminal.shows(/by agent/)
    terminal.press(':')
    terminal.press('/tenants')
    terminal.press('enter')
    await terminal.shows(/`tenants` is for reviewers and super-admins; you are an admin of Tenant 1/)
    terminal.press(':')
    terminal.press('what waits for me')
    terminal.press('enter')
    await terminal.shows(/Plain words are for reviewers/)
    terminal.press('?')
    await terminal.shows(/4 +campaigns/)
    terminal.press('G')
    await terminal.shows(/\/campaign create/)
    expect(terminal.screen()).not.toMatch(/\/impersonate/)
  })
})

describe('the terminal of a member', () => {
  it('reads everything and has no key to decide or create', async () => {
    await using staff = await createStaff()
    await waiting(staff)
    await using terminal = await sit(staff, member)
    await terminal.shows(/1 approval waiting/)
    expect(terminal.screen()).not.toMatch(/n new campaign/)
    terminal.press('2')
    await terminal.shows(/Social post: draft/)
    terminal.press('enter')
    await terminal.shows(/Rye at night\./)
    expect(terminal.screen()).not.toMatch(/a approve/)
    terminal.press('a')
    terminal.press('o')
    await terminal.shows(/m comment/)
    expect(terminal.screen()).not.toMatch(/t retry/)
  })
})
