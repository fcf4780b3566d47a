import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { password } from '../kit/app.ts'
import type { Staff } from './staff.ts'

const oats = '# Oats\n\nOur oats are sown without sugar in Thuringia.\n'
const rye = '# Rye\n\nThe rye loaf rests twelve hours.\n'

/** A folder with files that are taken, one that is broken, one that is too large, and hidden ones. */
export function folderIn({ home }: Staff): string {
  const folder = join(home, 'brand')
  mkdirSync(join(folder, 'bread'), { recursive: true })
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, 'bread', 'rye.md'), rye)
  writeFileSync(join(folder, 'broken.pdf'), '%PDF-1.7\nnothing')
  writeFileSync(join(folder, 'large.txt'), 'x')
  truncateSync(join(folder, 'large.txt'), 10 * 2 ** 20 + 1)
  writeFileSync(join(folder, 'oats.md'), oats)
  writeFileSync(join(folder, 'program.bin'), Buffer.from([0, 1, 2, 3, 0xff]))
  writeFileSync(join(folder, '.secret.md'), 'secret')
  writeFileSync(join(folder, '.git', 'config.md'), 'secret')
  symlinkSync(join(folder, 'oats.md'), join(folder, 'link.md'))
  return folder
}

/** The environment of someone who has logged in with a password. */
export async function loggedIn(
  staff: Staff,
  person = 'reviewer.1',
): Promise<{ env: Record<string, string> }> {
  const env = { TMPDIR: join(staff.home, 'tmp') }
  const email = `${person}.tenant-1@test.example`
  const args = ['login', staff.harness.url, '--email', email, '--password-stdin']
  expect(await staff.run(args, { env, input: password })).toMatchObject({ code: 0 })
  return { env }
}
