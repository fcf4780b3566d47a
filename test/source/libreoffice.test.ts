import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findLibreOffice } from '../../config/libreoffice.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'copydesk-office-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A program in the place of LibreOffice's. */
function program(lines: string): string {
  const path = join(folder, `soffice-${Math.random()}`)
  writeFileSync(path, `#!/bin/sh\n${lines}\n`)
  chmodSync(path, 0o755)
  return path
}

/** Finds the folder to write to among the arguments, as the script's \$out. */
const findOut = 'while [ "$1" != --outdir ]; do shift; done; out=$2'

describe.skipIf(process.platform === 'win32')('findLibreOffice', () => {
  it('takes a program that converts a sheet', async () => {
    const working = program(`${findOut}; echo converted > "$out/sheet.csv"`)
    expect(await findLibreOffice([join(folder, 'nothing'), working])).toEqual({ program: working })
  })

  it.each([
    [
      'ends well and writes nothing',
      'echo "no export filter"',
      /converts nothing \(exit code 0\); it said: no export filter/,
    ],
    ['fails', 'exit 77', /converts nothing \(exit code 77\)/],
    ['writes something else', `${findOut}; echo other > "$out/sheet.csv"`, /converts a sheet wrongly/],
  ])('does not take one that %s, and says why', async (_, lines, reason) => {
    expect(await findLibreOffice([program(lines)])).toEqual({ reason: expect.stringMatching(reason) })
  })

  it('ends one that hangs, with what it has started', async () => {
    const hanging = program('sleep 1000 & wait')
    expect(await findLibreOffice([hanging], 200)).toEqual({
      reason: 'the one that is installed did not end within 200 ms',
    })
  })

  it('says that there is none', async () => {
    expect(await findLibreOffice([join(folder, 'nothing')])).toEqual({ reason: 'it is not installed' })
  })
})
