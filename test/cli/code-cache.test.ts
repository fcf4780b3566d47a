import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { cliProcess, temporaryFolder } from './process.ts'

/** Runs a command that loads little, with a folder for caches of its own. */
async function versionIn(cwd: string): Promise<void> {
  const env = { XDG_CACHE_HOME: join(cwd, 'cache'), NODE_COMPILE_CACHE: '' }
  const ended = await cliProcess(['--version'], { cwd, env })
  expect(ended).toEqual({ code: 0, signal: null, stdout: `${manifest.version}\n`, stderr: '' })
}

describe('compiled code', () => {
  it('is kept for the next start in a folder of the user that is private', async () => {
    using folder = temporaryFolder()
    await versionIn(folder.path)
    const kept = join(folder.path, 'cache/copydesk/code', manifest.version)
    expect(readdirSync(kept, { recursive: true }).length).toBeGreaterThan(3)
    expect(statSync(kept).mode & 0o777).toBe(0o700)
  })

  it('is neither read from nor written to a folder that others can write to', async () => {
    using folder = temporaryFolder()
    const kept = join(folder.path, 'cache/copydesk/code', manifest.version)
    mkdirSync(kept, { recursive: true })
    chmodSync(kept, 0o777)
    await versionIn(folder.path)
    expect(readdirSync(kept)).toEqual([])
  })

  it('is not kept where that cannot be written, which is no error', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'cache'), 'no folder')
    await versionIn(folder.path)
    expect(readFileSync(join(folder.path, 'cache'), 'utf8')).toBe('no folder')
  })

  it('of another version is removed after a month, by the first start of this one', async () => {
    using folder = temporaryFolder()
    const all = join(folder.path, 'cache/copydesk/code')
    for (const version of ['0.0.1', '0.0.2']) mkdirSync(join(all, version), { recursive: true, mode: 0o700 })
    const old = Date.now() / 1_000 - 31 * 86_400
    utimesSync(join(all, '0.0.1'), old, old)
    await versionIn(folder.path)
    expect(readdirSync(all).toSorted()).toEqual(['0.0.2', manifest.version])
  })
})
