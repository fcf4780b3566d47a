import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { nameFaults } from '../../config/names.ts'

it('names exports of one package with the same name, except endpoints and migrations', () => {
  const root = mkdtempSync(join(tmpdir(), 'copydesk-names-'))
  try {
    for (const [file, text] of Object.entries({
      'packages/core/src/a.ts': 'export const Line = 1\nexport type Line = 1\n',
      'packages/core/src/b.ts': 'export interface Line {}\nexport async function read() {}\n',
      'packages/core/src/surfaces/dm/c.ts': 'export const read = 1\n',
      'packages/other/src/d.ts': 'export function read() {}\n',
    })) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    expect(nameFaults(root)).toEqual([
      expect.stringMatching(/^packages\/core\/src\/[ab]\.ts, .*: "Line" is exported by more/),
    ])
  } finally {
    rmSync(root, { recursive: true })
  }
})
