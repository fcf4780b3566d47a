import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findWordPress } from '../../config/wordpress.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'copydesk-php-'))
  mkdirSync(join(folder, 'wp-includes'))
  writeFileSync(join(folder, 'wp-includes', 'version.php'), '')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A program in the place of PHP's; its third argument is the host of the database. */
function php(lines: string): string {
  const path = join(folder, `php-${Math.random()}`)
  writeFileSync(path, `#!/bin/sh\n${lines}\n`)
  chmodSync(path, 0o755)
  return path
}

describe.skipIf(process.platform === 'win32')('findWordPress', () => {
  it('takes the first host whose MariaDB answers', async () => {
    const found = php(
      `if [ "$4" = localhost ]; then echo '{"found":["1"]}'; else echo '{"fault":"Connection refused"}'; fi`,
    )
    expect(await findWordPress(folder, found)).toEqual({ databaseHost: 'localhost' })
  })

  it('says what each host has answered', async () => {
    const refused = php(`echo '{"fault":"Connection refused"}'`)
    expect(await findWordPress(folder, refused)).toEqual({
      reason:
        'PHP reaches no MariaDB as root without a password (127.0.0.1: Connection refused; localhost: Connection refused)',
    })
  })

  it.each([
    ['PHP is missing', () => join(folder, 'nothing'), /PHP is not installed/],
    ['PHP fails', () => php('exit 3'), /Command failed/],
    ['PHP says something else', () => php('echo Warning'), /JSON|Warning/],
  ])('says so when %s', async (_, program, reason) => {
    expect(await findWordPress(folder, program())).toEqual({ reason: expect.stringMatching(reason) })
  })

  it('says that there is no WordPress', async () => {
    expect(await findWordPress(join(folder, 'nothing'))).toEqual({ reason: 'it is not installed' })
  })
})
