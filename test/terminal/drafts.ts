import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStaff, type Staff } from './staff.ts'

export const first = '# Oats\n\nMorning Oats are rolled and cheap. Find your nearest shop.'
export const second = first.replace('cheap', 'honest')

/** A staff with a text that waits, and an editor that adds a line to what it is given. */
export async function withText(options: Parameters<typeof createStaff>[0] = {}) {
  const staff = await createStaff(options)
  await (await staff.harness.order()).deliver(first)
  const editor = join(staff.folder, 'editor.sh')
  writeFileSync(editor, '#!/bin/sh\nprintf "\\nAdded by hand." >> "$1"\n', { mode: 0o755 })
  const open = async (env: Record<string, string> = {}) => {
    const terminal = await staff.sit({ env: { EDITOR: editor, ...env } })
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/rolled and/)
    return terminal
  }
  return { staff, open }
}

/** All files below the drafts of everybody. */
export function draftFiles({ folder }: Staff): string[] {
  const drafts = join(folder, '.config', 'copydesk', 'drafts')
  try {
    return readdirSync(drafts, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? join(entry.parentPath, entry.name) : [],
    )
  } catch {
    return []
  }
}

export const approvals = ({ harness }: Staff) =>
  harness.app.db.sql.all('select status, resolution, resolution_note from approvals order by id')

/** Decides elsewhere on what waits. */
export async function decideElsewhere(
  { harness, other }: Staff,
  body: { resolution: 'rejected' | 'revision_requested' },
) {
  const [asked] = await harness.app.db.sql.all<{ id: string }>(
    `select id from approvals where status = 'pending'`,
  )
  const params = { id: asked?.id ?? '' }
  await other.call('cli', 'POST /approvals/:id/resolve', { params, body: { ...body, note: 'Off brand' } })
}
