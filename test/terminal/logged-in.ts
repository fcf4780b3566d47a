import { expect } from 'vitest'
import { cli } from '../cli/process.ts'
import { password } from '../kit/app.ts'
import { bundled } from '../kit/bundled.ts'
import { openTerminal, type Terminal } from '../kit/terminal.ts'
import type { Staff } from './staff.ts'

/** Logs someone in with a password and opens their terminal. */
export async function sit(
  { harness, folder }: Staff,
  email: string,
  env: Record<string, string> = {},
  columns = 140,
): Promise<Terminal> {
  const args = ['login', harness.url, '--email', email, '--password-stdin']
  const logged = await cli(args, { cwd: folder, input: `${password}\n` })
  expect(logged).toMatchObject({ code: 0 })
  const main = await bundled('main')
  const terminal = openTerminal({
    command: process.execPath,
    args: [main, 'terminal'],
    cwd: folder,
    columns,
    env: { HOME: folder, ...env },
  })
  await terminal.shows(/^copydesk \S/)
  return terminal
}
